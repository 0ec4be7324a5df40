#include "beam/hidden/interpreter_code.h"

#include <gmock/gmock.h>

#include "harness/each_release.h"

// An interpreter without symbols is found by its code, and what only its code tells; or the VM is
// refused.
namespace beam_exporter::beam {
namespace {

using tests::FakeVm;

class HiddenInterpreterTest : public tests::EachRelease {
 protected:
  void SetUp() override { vm.hide_symbols(); }
  std::string refusal() const {
    const auto attached = vm.attach();
    return attached ? "attached" : attached.error().text;
  }
  std::optional<os::Address> found(const char* name) const {
    const auto attached = vm.attach();
    EXPECT_TRUE(attached) << attached.error().text;
    return attached ? (*attached)->static_data().symbol(name) : std::nullopt;
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, HiddenInterpreterTest, tests::each_interpreter,
                         tests::release_name);

TEST_P(HiddenInterpreterTest, is_found_with_what_its_code_tells) {
  const auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  const auto* interpreter = (*attached)->interpreter();
  ASSERT_NE(interpreter, nullptr);
  EXPECT_EQ(interpreter->code,
            (os::AddressRange{FakeVm::interpreter, FakeVm::interpreter + 0x1000}));
  EXPECT_EQ(interpreter->places, Interpreter::Places{});
  const auto& data = (*attached)->static_data();
  EXPECT_EQ(data.range("process_main"), interpreter->code);
  EXPECT_EQ(data.symbol("the_active_code_index"), FakeVm::active_index_place);
  EXPECT_EQ(data.symbol("erts_schedule"), FakeVm::interpreted_schedule);
  EXPECT_EQ(data.symbol("erts_atom_table"), FakeVm::atom_table);
  EXPECT_EQ(data.symbol("erts_proc"), FakeVm::process_table);
  EXPECT_EQ((*attached)->release().flavor, "emu");
  EXPECT_EQ((*attached)->schedulers().size(), vm.schedulers.size());
}

TEST_P(HiddenInterpreterTest, two_functions_with_its_code_are_ambiguous) {
  vm.add_code(FakeVm::other_function, tests::interpreter_code(vm.layout));
  EXPECT_THAT(refusal(), ::testing::HasSubstr("process_main"));
}

TEST_P(HiddenInterpreterTest, is_not_found_among_functions_that_prove_nothing) {
  vm.memory.put_bytes(FakeVm::interpreter, std::vector<std::byte>(0x1000, std::byte{0x90}));
  EXPECT_THAT(refusal(), ::testing::HasSubstr("process_main"));
}

TEST_P(HiddenInterpreterTest, is_not_found_without_the_bounds_of_functions) {
  vm.functions.clear();
  EXPECT_THAT(refusal(), ::testing::HasSubstr("process_main"));
}

TEST_P(HiddenInterpreterTest, is_looked_for_among_large_functions_only) {
  // More of them than there are candidates; their code lies elsewhere.
  for (std::uint64_t k = 0; k < 40; ++k)
    vm.functions.push_back({FakeVm::other_function + k, 0x1001});
  EXPECT_THAT(refusal(), ::testing::HasSubstr("process_main"));
}

TEST_P(HiddenInterpreterTest, is_found_behind_larger_functions_that_are_forged_or_prove_nothing) {
  for (std::uint64_t k = 0; k < 40; ++k)
    vm.functions.push_back({FakeVm::other_function + k, std::uint64_t{1} << (21 + k)});
  for (std::uint64_t k = 0; k < 30; ++k)
    vm.functions.push_back({FakeVm::other_function + k, 0x1001});
  EXPECT_EQ(refusal(), "attached");
}

TEST_P(HiddenInterpreterTest, an_index_that_two_places_may_hold_is_unknown) {
  constexpr os::Address other_place = FakeVm::data_begin + 0x3e00;
  vm.add_read(FakeVm::interpreter, other_place);
  EXPECT_EQ(refusal(), "attached");
  vm.add_read(FakeVm::interpreter, other_place);
  EXPECT_THAT(refusal(), ::testing::HasSubstr("the_active_code_index"));
  vm.memory.put(other_place, std::uint32_t{7});
  EXPECT_EQ(refusal(), "attached") << "7 is no index";
}

TEST_P(HiddenInterpreterTest, whole_words_that_are_read_are_no_index) {
  for (int times = 0; times < 20; ++times) {
    vm.add_code(FakeVm::interpreter, {0x48});  // REX.W
    vm.add_read(FakeVm::interpreter, FakeVm::data_begin + 0x3e00);
  }
  EXPECT_EQ(found("the_active_code_index"), FakeVm::active_index_place);
}

TEST_P(HiddenInterpreterTest, the_place_of_the_active_index_must_hold_an_index) {
  vm.set_active_index(3);
  EXPECT_THAT(refusal(), ::testing::HasSubstr("the_active_code_index"));
}

TEST_P(HiddenInterpreterTest, two_functions_that_could_schedule_are_ambiguous) {
  for (auto& function : vm.functions)
    if (function.begin == FakeVm::interpreted_schedule) function.code.clear();
  EXPECT_EQ(found("erts_schedule"), std::nullopt) << "other_function has two callers as well";
  for (auto& function : vm.functions)
    if (function.begin == FakeVm::other_function) function.size = 0x800;
  EXPECT_EQ(found("erts_schedule"), FakeVm::interpreted_schedule) << "the other is too small";
}

}  // namespace
}  // namespace beam_exporter::beam
