#include "beam/terms/atoms.h"

#include <gtest/gtest.h>

#include "beam/terms/term.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class AtomsTest : public tests::EachRelease {
 protected:
  Atoms atoms{vm.layout, vm.memory, tests::FakeVm::atom_table};
};
INSTANTIATE_TEST_SUITE_P(Releases, AtomsTest, tests::each_release, tests::release_name);

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t k = 0; k < times; ++k) all += text;
  return all;
}

TEST_P(AtomsTest, names_are_utf8_of_any_legal_length) {
  const std::vector<std::string> names = {
      "false", "", "lists", "föö", "日本語", repeated("x", 255), repeated("😀", 255)};
  for (const auto& name : names) EXPECT_EQ(atoms.name(vm.atom(name)), name);
}

TEST_P(AtomsTest, atoms_beyond_the_first_segment_are_found) {
  for (int k = 0; k < 2500; ++k) vm.atom("atom_" + std::to_string(k));
  EXPECT_EQ(atoms.name(vm.atom("atom_0")), "atom_0");
  EXPECT_EQ(atoms.name(vm.atom("atom_2499")), "atom_2499");
  EXPECT_GT(atoms.count().value_or(0), 2500U);
}

TEST_P(AtomsTest, a_longer_name_than_any_atom_has_is_refused) {
  const Eterm term = vm.atom("long");
  vm.memory.put(vm.atom_object(term), vm.layout.atom.length, 255 * 4 + 1);
  EXPECT_EQ(atoms.name(term), std::nullopt);
}

// As in memory that is no name, or when the length is not its own.
TEST_P(AtomsTest, a_name_that_is_no_utf8_is_refused) {
  const Eterm term = vm.atom("日本語");
  vm.memory.put(vm.atom_object(term), vm.layout.atom.length, 8);
  EXPECT_EQ(atoms.name(term), std::nullopt);
  vm.memory.put(vm.atom_object(term), vm.layout.atom.length, 9);
  EXPECT_EQ(atoms.name(term), "日本語");
}

TEST_P(AtomsTest, an_index_beyond_the_table_is_no_atom) {
  const std::uint64_t entries = *atoms.count();
  EXPECT_TRUE(atoms.name(((entries - 1) << 6) | 0x0b));
  EXPECT_EQ(atoms.name((entries << 6) | 0x0b), std::nullopt);
  EXPECT_EQ(atoms.name((0xffffffffULL << 6) | 0x0b), std::nullopt);
}

TEST_P(AtomsTest, other_terms_are_no_atoms) {
  for (const Eterm term : {0x3ULL, 0x3bULL, 0xfULL, 0x1fULL, 0x0ULL, ~0ULL, 0x0bULL | 1ULL << 40})
    EXPECT_EQ(atoms.name(term), std::nullopt) << std::hex << term;
}

TEST_P(AtomsTest, a_slot_that_names_another_index_is_refused) {
  const Eterm term = vm.atom("moved");
  vm.memory.put(vm.atom_object(term), vm.layout.atom.index, 0);
  EXPECT_EQ(atoms.name(term), std::nullopt);
}

TEST_P(AtomsTest, what_could_not_be_read_is_tried_again) {
  const Eterm term = vm.atom("late");
  const auto place = vm.layout.atom.index.at(vm.atom_object(term));
  vm.memory.forget(place, 4);
  EXPECT_EQ(atoms.name(term), std::nullopt);
  vm.memory.put(place, static_cast<std::uint32_t>(term >> 6));
  EXPECT_EQ(atoms.name(term), "late");
}

TEST_P(AtomsTest, a_name_that_is_no_whole_binary_is_refused) {
  const auto& layout = vm.layout;
  if (layout.atom.text.present()) return;
  const Eterm on_heap = vm.atom("on_heap"), outside = vm.atom(repeated("outside", 20));
  const auto binary = [&](Eterm atom) {
    return *vm.memory.value<Eterm>(layout.atom.binary.at(vm.atom_object(atom)));
  };
  const os::Address part = pointer(binary(outside));
  vm.memory.put(part, layout.sub_bits.start, 4 * 8 + 1);
  EXPECT_EQ(atoms.name(outside), std::nullopt);
  vm.memory.put(part, layout.sub_bits.start, 4 * 8);
  EXPECT_TRUE(atoms.name(outside));
  constexpr Eterm float_header = 0x18;
  vm.memory.put(pointer(binary(on_heap)), float_header);
  EXPECT_EQ(atoms.name(on_heap), std::nullopt);
  vm.memory.put(vm.atom_object(on_heap), layout.atom.binary, Eterm{0xf});
  EXPECT_EQ(atoms.name(on_heap), std::nullopt);
}

TEST_P(AtomsTest, a_name_once_read_costs_no_further_read) {
  const Eterm term = vm.atom("kept");
  ASSERT_EQ(atoms.name(term), "kept");
  const std::size_t reads = vm.memory.reads();
  EXPECT_EQ(atoms.name(term), "kept");
  EXPECT_EQ(vm.memory.reads(), reads);
}

TEST_P(AtomsTest, without_a_table_there_are_no_names) {
  Atoms nowhere(vm.layout, vm.memory, 0x1234560000);
  EXPECT_EQ(nowhere.name(vm.atom("false")), std::nullopt);
  EXPECT_EQ(nowhere.count(), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::beam
