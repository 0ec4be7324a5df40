#include "beam/hidden/globals.h"

#include <gmock/gmock.h>

#include "beam/code/bif_table.h"
#include "beam/hidden/allocator_functions.h"
#include "harness/each_release.h"

// Each global of a VM without symbols is found where the same VM with symbols has it, or not at
// all.
namespace beam_exporter::beam {
namespace {

using tests::FakeVm;

class HiddenGlobalsTest : public tests::EachRelease {
 protected:
  void SetUp() override { vm.hide_symbols(); }
  // What attach() says when it fails.
  std::string refusal() const {
    const auto attached = vm.attach();
    return attached ? "attached" : attached.error().text;
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, HiddenGlobalsTest, tests::each_jit_release, tests::release_name);

TEST_P(HiddenGlobalsTest, all_are_found_at_their_places) {
  const auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  const auto& data = (*attached)->static_data();
  EXPECT_EQ(data.symbol("erts_atom_table"), FakeVm::atom_table);
  EXPECT_EQ(data.symbol("erts_proc"), FakeVm::process_table);
  EXPECT_EQ(data.symbol("the_active_code_index"), FakeVm::active_index_place);
  EXPECT_EQ(data.symbol("erts_aligned_scheduler_data"), FakeVm::scheduler_arrays);
  EXPECT_EQ(data.symbol("erts_aligned_dirty_cpu_scheduler_data"), FakeVm::scheduler_arrays + 16);
  EXPECT_EQ(data.symbol("erts_aligned_dirty_io_scheduler_data"), FakeVm::scheduler_arrays + 32);
  EXPECT_EQ(data.symbol("erts_schedule"), FakeVm::schedule_function);
  EXPECT_EQ(
      data.range("bif_table"),
      (os::AddressRange{FakeVm::bif_table, FakeVm::bif_table + FakeVm::bifs * FakeVm::bif_bytes}));
  EXPECT_EQ(data.symbol("erts_port"), std::nullopt) << "there is none";
  EXPECT_EQ((*attached)->release().otp_release, vm.layout.otp_release);
  EXPECT_EQ((*attached)->release().erts_version, vm.layout.erts_version);
  EXPECT_EQ((*attached)->schedulers().size(), vm.schedulers.size());
  EXPECT_EQ((*attached)->code_place().ranges, FakeVm::ranges);
  EXPECT_EQ(read_bif_table(data, vm.memory).size(), FakeVm::bifs);
}

// Names, records and instances of allocators 1 to 4, with zeros around.
class HiddenAllocatorsTest : public HiddenGlobalsTest {
 protected:
  static constexpr os::Address names = FakeVm::data_begin + 0x3800, info = names + 0x100,
                               threads = names + 0x300;
  void SetUp() override {
    HiddenGlobalsTest::SetUp();
    const auto& at = vm.layout.allocators;
    for (std::size_t number = 0; number < FakeVm::allocator_names.size(); ++number) {
      const os::Address text = FakeVm::allocator_name(number);
      vm.memory.put_zeros(text, 32);
      vm.memory.put_text(text, FakeVm::allocator_names[number]);
      vm.memory.put(names + 8 * number, text);
      if (number == 0) continue;
      const os::Address own = info + number * at.info.size,
                        thread = threads + number * at.threads.size;
      instances.push_back(vm.allocate(at.allocator.size));
      vm.memory.put(instances.back(), at.allocator.number, static_cast<std::int32_t>(number));
      vm.memory.put(instances.back(), at.allocator.strategy, 4);
      vm.memory.put(instances.back(), at.allocator.header_bytes, 368);
      const os::Address list = vm.allocate(8);
      vm.memory.put(list, instances.back());
      vm.memory.put(thread, at.threads.enabled, 1);
      vm.memory.put(thread, at.threads.count, 1);
      vm.memory.put(thread, at.threads.instances, list);
      vm.memory.put(own, at.info.alloc_util, 1);
      vm.memory.put(own, at.info.enabled, 1);
      vm.memory.put(own, at.info.extra, thread);
    }
  }
  std::optional<os::AddressRange> found(const char* table) const {
    const auto attached = vm.attach();
    EXPECT_TRUE(attached) << attached.error().text;
    return (*attached)->static_data().range(table);
  }
  std::vector<os::Address> instances;
};
INSTANTIATE_TEST_SUITE_P(Releases, HiddenAllocatorsTest, tests::each_jit_release,
                         tests::release_name);

// Zeros before the records are a record that is not used, and behind it all numbers are one less:
// as in a stripped OTP 29.0.6.
TEST_P(HiddenAllocatorsTest, are_found_by_the_numbers_that_they_hold) {
  const auto& at = vm.layout.allocators;
  const std::uint64_t records = FakeVm::allocator_names.size();
  EXPECT_EQ(found("erts_alc_a2ad"), (os::AddressRange{names, names + 8 * records}));
  EXPECT_EQ(found("erts_allctrs_info"), (os::AddressRange{info, info + records * at.info.size}));
  EXPECT_EQ(found("erts_allctr_thr_spec"),
            (os::AddressRange{threads, threads + records * at.threads.size}));
}

TEST_P(HiddenAllocatorsTest, that_hold_other_numbers_are_none) {
  vm.memory.put(instances[2], vm.layout.allocators.allocator.number, 7);
  EXPECT_EQ(found("erts_allctrs_info"), std::nullopt);
}

// A table of functions whose records point to those of the other table; the second is sys_alloc.
class HiddenAllocatorFunctionsTest : public HiddenAllocatorsTest {
 protected:
  static constexpr os::Address table = FakeVm::data_begin + 0x3d00;
  static constexpr os::AddressRange code{FakeVm::bias + 0x500, FakeVm::bias + 0x700};
  static os::Address function(unsigned k) { return code.begin + 16 * k; }
  void SetUp() override {
    HiddenAllocatorsTest::SetUp();
    put_record(1, {0, 1, 2}, 0);
    for (std::uint64_t number = 2; number < FakeVm::allocator_names.size(); ++number)
      put_record(number, {3, number == 2 ? 4U : 5U, 6},
                 threads + number * vm.layout.allocators.threads.size);
  }
  void put_record(std::uint64_t number, std::array<unsigned, 3> functions, os::Address extra) {
    const os::Address at = table + 32 * number;
    for (std::size_t k = 0; k < functions.size(); ++k)
      vm.memory.put(at + 8 * k, function(functions[k]));
    vm.memory.put(at + 24, extra);
  }
  std::map<os::Address, std::string_view> functions() const {
    const auto attached = vm.attach();
    EXPECT_TRUE(attached) << attached.error().text;
    return allocator_functions(vm.layout, (*attached)->static_data(), code);
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, HiddenAllocatorFunctionsTest, tests::each_jit_release,
                         tests::release_name);

TEST_P(HiddenAllocatorFunctionsTest, are_found_by_what_their_records_point_to) {
  using ::testing::Pair;
  EXPECT_THAT(functions(),
              ::testing::ElementsAre(
                  Pair(function(0), "erts_sys_alloc"), Pair(function(1), "erts_sys_realloc"),
                  Pair(function(2), "erts_sys_free"), Pair(function(3), "erts_alcu_alloc"),
                  Pair(function(4), "erts_alcu_realloc"), Pair(function(5), "erts_alcu_realloc"),
                  Pair(function(6), "erts_alcu_free")));
}

TEST_P(HiddenAllocatorFunctionsTest, outside_of_the_code_are_none) {
  put_record(3, {3, 5, 0x1000}, threads + 3 * vm.layout.allocators.threads.size);
  EXPECT_THAT(functions(), ::testing::IsEmpty());
}

TEST_P(HiddenAllocatorFunctionsTest, are_none_where_the_records_are_not_in_their_places) {
  put_record(3, {3, 5, 6}, threads + 4 * vm.layout.allocators.threads.size);
  put_record(4, {3, 5, 6}, threads + 3 * vm.layout.allocators.threads.size);
  EXPECT_THAT(functions(), ::testing::IsEmpty());
}

TEST_P(HiddenGlobalsTest, symbols_are_believed_where_there_are_some) {
  constexpr os::Address elsewhere = FakeVm::data_begin + 0x3f00;
  vm.more_symbols = {{"erts_schedule", elsewhere - FakeVm::bias, 64, true}};
  const auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  EXPECT_EQ((*attached)->static_data().symbol("erts_schedule"), elsewhere);
}

TEST_P(HiddenGlobalsTest, other_data_that_points_to_the_name_is_no_table_of_atoms) {
  const auto name =
      *vm.memory.value<os::Address>(vm.layout.index_table.table_name.at(FakeVm::atom_table));
  // Behind the real one in the data, and instead of it.
  vm.memory.put(FakeVm::data_begin + 0x3e00, vm.layout.index_table.table_name, name);
  vm.memory.put(FakeVm::data_begin + 0x3e00, vm.layout.index_table.entries, 5);
  vm.memory.put(FakeVm::data_begin + 0x3e00, vm.layout.index_table.limit, 1 << 20);
  EXPECT_EQ(refusal(), "attached");
  vm.memory.put(FakeVm::atom_table, vm.layout.index_table.table_name, os::Address{0});
  EXPECT_THAT(refusal(), ::testing::HasSubstr("no table of atoms"));
}

TEST_P(HiddenGlobalsTest, two_arrays_of_first_schedulers_are_ambiguous) {
  const auto& fields = vm.layout.scheduler_data;
  const os::Address other = vm.allocate(vm.layout.aligned_scheduler_data.size);
  const os::Address place = FakeVm::data_begin + 0x3f00;
  vm.memory.put(place, other);
  EXPECT_EQ(refusal(), "attached") << "zeros are no scheduler";
  vm.memory.put(other, fields.no, 1);
  vm.memory.put(other, fields.ssi, vm.allocate(vm.layout.sleep_info.size));
  EXPECT_EQ(refusal(), "attached") << "without a run queue it is none either";
  vm.memory.put(other, fields.run_queue, vm.allocate(256));
  EXPECT_THAT(refusal(), ::testing::HasSubstr("erts_aligned_scheduler_data"));
  vm.memory.put(place, vm.schedulers.front());
  EXPECT_EQ(refusal(), "attached") << "two pointers to one array";
}

TEST_P(HiddenGlobalsTest, the_place_of_the_active_index_must_hold_an_index) {
  vm.memory.put(FakeVm::process_table, std::uint32_t{7});
  vm.set_active_index(3);
  EXPECT_THAT(refusal(), ::testing::HasSubstr("the_active_code_index"));
}

TEST_P(HiddenGlobalsTest, a_vm_whose_shared_code_is_unknown_is_refused) {
  vm.memory.put_array(FakeVm::shared_code, std::vector<std::uint8_t>(64 << 10, 0x90));
  EXPECT_THAT(refusal(), ::testing::HasSubstr("the_active_code_index"));
  vm.memory.forget(FakeVm::shared_code, 4096);
  EXPECT_THAT(refusal(), ::testing::HasSubstr("the_active_code_index"));
}

TEST_P(HiddenGlobalsTest, few_or_unsound_entries_are_no_table_of_bifs) {
  constexpr os::Address entry = FakeVm::bif_table + 100 * FakeVm::bif_bytes;
  vm.memory.put(entry + 24, FakeVm::data_begin);  // no machine code
  const auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  EXPECT_EQ((*attached)->static_data().symbol("bif_table"), std::nullopt);
}

TEST_P(HiddenGlobalsTest, the_bottom_of_the_stacks_is_what_most_processes_have) {
  const auto normal_exit = FakeVm::shared_code + 0x308;
  for (int k = 0; k < 5; ++k) vm.set_stack(vm.spawn("init", "loop", 1), {normal_exit});
  vm.set_stack(vm.processes.back(), {FakeVm::shared_code + 0x700});  // torn
  auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  EXPECT_EQ((*attached)->stack_bottom(), normal_exit);
  EXPECT_FALSE((*attached)->frame_pointers());
  if (!vm.layout.process.frame_pointer.present()) return;
  for (const os::Address process : vm.processes)
    vm.memory.put(process, vm.layout.process.frame_pointer,
                  *vm.memory.value<os::Address>(vm.layout.process.stop.at(process)));
  attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  EXPECT_TRUE((*attached)->frame_pointers());
}

}  // namespace
}  // namespace beam_exporter::beam
