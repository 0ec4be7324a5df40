#include "beam/processes/process_name.h"

#include <gtest/gtest.h>

#include "beam/terms/term.h"
#include "fakes/corrupted.h"
#include "fakes/fake_terms.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class ProcessNameTest : public tests::EachRelease {
 protected:
  std::optional<std::string> name() { return process_name(vm.layout, vm.memory, atoms, process); }
  void set_dictionary(const std::vector<Eterm>& slots) {
    process.dictionary = vm.allocate(vm.layout.dictionary.data.offset + slots.size() * 8);
    vm.memory.put(process.dictionary, vm.layout.dictionary.used_slots,
                  static_cast<std::uint32_t>(slots.size()));
    vm.memory.put_array(vm.layout.dictionary.data.at(process.dictionary), slots);
  }
  Eterm initial_call(std::int64_t arity) {
    return terms.tuple(
        {vm.atom("$initial_call"),
         terms.tuple({vm.atom("Elixir.Shop.Cart"), vm.atom("init"), terms.integer(arity)})});
  }

  tests::TermsInMemory terms{vm};
  Atoms atoms{vm.layout, vm.memory, tests::FakeVm::atom_table};
  ScannedProcess process{.id = 0x3, .initial = {vm.atom("proc_lib"), vm.atom("init_p"), 5}};
  static constexpr Eterm nil = 0x3b;
};
INSTANTIATE_TEST_SUITE_P(Releases, ProcessNameTest, tests::each_release, tests::release_name);

TEST_P(ProcessNameTest, registered_then_label_then_initial_call) {
  EXPECT_EQ(name(), "proc_lib:init_p/5");
  set_dictionary({nil, initial_call(1)});
  EXPECT_EQ(name(), "Shop.Cart:init/1");
  const Eterm label = terms.tuple({vm.atom("$process_label"), vm.atom("worker")});
  // Two keys of equal hash share a slot.
  set_dictionary({terms.list({initial_call(1), label}), nil});
  EXPECT_EQ(name(), "worker");
  process.registered = vm.allocate(vm.layout.registered.size);
  vm.memory.put(process.registered, vm.layout.registered.registered_name, vm.atom("boss"));
  EXPECT_EQ(name(), "boss");
  vm.memory.put(process.registered, vm.layout.registered.registered_name,
                vm.atom("Elixir.MyApp.Repo"));
  EXPECT_EQ(name(), "MyApp.Repo");
}

TEST_P(ProcessNameTest, wild_pointers_fall_back_to_the_initial_call) {
  for (const os::Address wild :
       {os::Address{1}, os::Address{0xdead0000}, ~os::Address{0}, ~os::Address{0} - 31}) {
    process.registered = process.dictionary = wild;
    EXPECT_EQ(name(), "proc_lib:init_p/5");
  }
}

TEST_P(ProcessNameTest, without_any_name_there_is_none) {
  process.initial = {0x3, vm.atom("init_p"), 5};
  EXPECT_EQ(name(), std::nullopt);
  process.initial = {vm.atom("proc_lib"), vm.atom("init_p"), 256};
  EXPECT_EQ(name(), std::nullopt);
}

TEST_P(ProcessNameTest, a_dictionary_of_absurd_size_is_not_looked_at) {
  set_dictionary({initial_call(1)});
  for (const std::uint32_t size : {0U, 1025U, 0x80000000U, 0xffffffffU}) {
    vm.memory.put(process.dictionary, vm.layout.dictionary.used_slots, size);
    EXPECT_EQ(name(), "proc_lib:init_p/5");
  }
  // Larger than it is, so that memory ends in its midst.
  vm.memory.put(process.dictionary, vm.layout.dictionary.used_slots, 1024);
  vm.memory.forget(process.dictionary + 1024, 4096);
  EXPECT_EQ(name(), "proc_lib:init_p/5");
}

TEST_P(ProcessNameTest, a_slot_whose_list_bites_its_tail_is_left) {
  const Eterm other = terms.tuple({vm.atom("key"), vm.atom("value")});
  const Eterm list = terms.list({other, other});
  vm.memory.put(beam::pointer(list) + 8, list);
  set_dictionary({list, list, initial_call(3)});
  const auto before = vm.memory.reads();
  EXPECT_EQ(name(), "Shop.Cart:init/3");
  EXPECT_LT(vm.memory.reads() - before, 1000U);
}

TEST_P(ProcessNameTest, many_such_lists_are_bounded_together) {
  const Eterm list = terms.list({vm.atom("x")});
  vm.memory.put(beam::pointer(list) + 8, list);
  set_dictionary(std::vector<Eterm>(1024, list));
  const auto before = vm.memory.reads();
  EXPECT_EQ(name(), "proc_lib:init_p/5");
  EXPECT_LT(vm.memory.reads() - before, 140000U);
}

TEST_P(ProcessNameTest, an_initial_call_that_is_none_is_passed_over) {
  for (const Eterm call :
       {nil, Eterm{0x2}, Eterm{0xdead0002}, terms.integer(7), terms.tuple({nil, nil, nil}),
        terms.tuple({vm.atom("m"), vm.atom("f"), terms.integer(-1)}),
        terms.tuple({vm.atom("m"), vm.atom("f"), terms.integer(256)}),
        terms.tuple({vm.atom("m"), vm.atom("f")})}) {
    set_dictionary({terms.tuple({vm.atom("$initial_call"), call})});
    EXPECT_EQ(name(), "proc_lib:init_p/5") << std::hex << call;
  }
}

TEST_P(ProcessNameTest, whatever_one_word_becomes_the_look_is_bounded) {
  const Eterm label = terms.tuple({vm.atom("$process_label"), terms.list({vm.atom("a"), nil})});
  set_dictionary({terms.list({initial_call(1), label}), nil});
  tests::with_each_word_corrupted(vm.memory, terms.begin(), terms.bytes(), [&] {
    const auto before = vm.memory.reads();
    const auto text = name();
    ASSERT_LT(vm.memory.reads() - before, 5000U);
    ASSERT_TRUE(text && text->size() < 1000);
  });
}

}  // namespace
}  // namespace beam_exporter::beam
