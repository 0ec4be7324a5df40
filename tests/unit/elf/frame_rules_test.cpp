#include "elf/frame_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace beam_exporter::elf {
namespace {

using Register = os::UserRegisters;

// One row of the call frame table as binutils reads it.
struct ExpectedRow {
  std::uint64_t begin = 0, end = 0;
  std::string cfa;                   // "rsp+16", "rbp+16", "exp"
  std::vector<std::string> columns;  // "rbx", "ra", ...
  std::vector<std::string> rules;    // "u", "c-16", ...
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// readelf --debug-dump=frames-interp: a header per FDE with its range, then a table.
std::vector<ExpectedRow> rows_by_readelf(const std::string& file) {
  const std::string command = "readelf --debug-dump=frames-interp " + file + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<ExpectedRow> rows;
  std::vector<std::string> columns;
  std::uint64_t end = 0;
  bool in_fde = false, open = false;
  std::array<char, 4096> buffer;
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
    const std::string line = buffer.data();
    const auto range = line.find(" FDE ");
    if (line.find(" CIE ") != std::string::npos || range != std::string::npos) {
      if (open && rows.back().end == 0) rows.back().end = end;
      in_fde = range != std::string::npos;
      open = false;
      if (const auto dots = line.find(".."); in_fde)
        end = std::stoull(line.substr(dots + 2), nullptr, 16);
      continue;
    }
    auto words = words_of(line);
    if (!in_fde || words.size() < 2 || words[1] == "ZERO") continue;  // ZERO terminator
    if (words[0] == "LOC") {
      columns.assign(words.begin() + 2, words.end());
      continue;
    }
    ExpectedRow row;
    row.begin = std::stoull(words[0], nullptr, 16);
    row.cfa = words[1];
    row.columns = columns;
    row.rules.assign(words.begin() + 2, words.end());
    if (open) rows.back().end = row.begin;
    rows.push_back(row);
    open = true;
  }
  if (open) rows.back().end = end;
  std::erase_if(rows, [](const ExpectedRow& row) { return row.end <= row.begin; });
  return rows;
}

const std::vector<std::string>& names() {
  static const std::vector<std::string> in_dwarf_order = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                          "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                          "r12", "r13", "r14", "r15", "ra"};
  return in_dwarf_order;
}

std::string cfa_text(const FrameRule& rule) {
  if (rule.cfa_expression) return "exp";
  const auto sign = rule.cfa_offset < 0 ? "" : "+";
  return names()[rule.cfa_register] + sign + std::to_string(rule.cfa_offset);
}

std::string rule_text(const RegisterRule& rule) {
  if (rule.kind != RegisterRule::Kind::at_cfa) return "u";
  return "c" + std::string(rule.offset < 0 ? "" : "+") + std::to_string(rule.offset);
}

// In any order: a row must not hide the ones that follow it, such as epilogues between
// DW_CFA_remember_state and DW_CFA_restore_state.
TEST(FrameRules, AgreeWithBinutilsForEveryRowInAnyOrder) {
  const std::string self = "/proc/self/exe";
  auto expected = rows_by_readelf("/proc/" + std::to_string(getpid()) + "/exe");
  if (expected.empty()) GTEST_SKIP() << "readelf (binutils) is not installed";
  ASSERT_GT(expected.size(), 1000u);
  std::ranges::shuffle(expected, std::mt19937(20261120));
  const auto image = Image::open(self);
  ASSERT_TRUE(image);
  auto rules = FrameRules::open(*image);
  ASSERT_TRUE(rules);
  std::size_t compared = 0;
  for (const auto& row : expected) {
    for (const std::uint64_t address : {row.begin, (row.begin + row.end) / 2, row.end - 1}) {
      const FrameRule* rule = rules->at(address);
      ASSERT_NE(rule, nullptr) << std::hex << address << " " << row.cfa;
      ASSERT_EQ(cfa_text(*rule), row.cfa) << std::hex << address;
      for (std::size_t k = 0; k < row.columns.size() && k < row.rules.size(); ++k) {
        const auto number = std::ranges::find(names(), row.columns[k]) - names().begin();
        if (number == static_cast<std::ptrdiff_t>(names().size())) continue;  // a vector register
        ASSERT_EQ(rule_text(rule->registers[static_cast<std::size_t>(number)]), row.rules[k])
            << std::hex << address << " " << row.columns[k];
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 3000u);
}

TEST(FrameRules, HasNothingForAnAddressOutsideOfCode) {
  const auto image = Image::open("/proc/self/exe");
  ASSERT_TRUE(image);
  auto rules = FrameRules::open(*image);
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->at(1), nullptr);
  EXPECT_EQ(rules->at(~std::uint64_t{0} - 16), nullptr);
}

}  // namespace
}  // namespace beam_exporter::elf
