#include "os/perf/kernel_symbols.h"

#include <gtest/gtest.h>

#include <sstream>

namespace beam_exporter::os {
namespace {

KernelSymbols symbols_of(const std::string& text) {
  std::istringstream stream(text);
  return KernelSymbols::parse(stream);
}

TEST(KernelSymbolsTest, an_address_belongs_to_the_last_function_that_begins_before_it) {
  const auto symbols = symbols_of(
      "ffffffff81000200 t second\n"
      "ffffffff81000100 T first\n"
      "ffffffffc0000000 t third\t[a_module]\n");
  EXPECT_EQ(symbols.name_of(0xffffffff810000ff), "");
  EXPECT_EQ(symbols.name_of(0xffffffff81000100), "first");
  EXPECT_EQ(symbols.name_of(0xffffffff810001ff), "first");
  EXPECT_EQ(symbols.name_of(0xffffffff81000200), "second");
  EXPECT_EQ(symbols.name_of(0xffffffffc0000004), "third");
}

TEST(KernelSymbolsTest, data_and_lines_of_another_form_are_no_functions) {
  const auto symbols = symbols_of(
      "ffffffff81000100 T first\n"
      "ffffffff81000180 d table\n"
      "no address T name\n"
      "ffffffff81000190\n"
      "ffffffff81000190 T\n"
      "\n");
  EXPECT_EQ(symbols.name_of(0xffffffff810001ff), "first");
}

TEST(KernelSymbolsTest, of_two_names_for_one_address_the_first_counts) {
  EXPECT_EQ(symbols_of("81000100 T first\n81000100 t alias\n").name_of(0x81000100), "first");
}

TEST(KernelSymbolsTest, hidden_addresses_name_nothing) {
  const auto symbols = symbols_of("0000000000000000 T first\n0000000000000000 T second\n");
  EXPECT_TRUE(symbols.empty());
  EXPECT_EQ(symbols.name_of(0xffffffff81000100), "");
}

}  // namespace
}  // namespace beam_exporter::os
