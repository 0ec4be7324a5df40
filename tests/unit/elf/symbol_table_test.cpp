#include "elf/symbol_table.h"

#include <gtest/gtest.h>

namespace beam_exporter::elf {
namespace {

Symbol function_at(os::Address value) { return {value, 16, true, true}; }

TEST(SymbolTable, a_global_symbol_hides_local_ones_of_its_name) {
  SymbolTable table;
  table.add("init", true, function_at(0x100));
  table.add("init", false, function_at(0x900));
  table.add("ini", true, function_at(0x200));
  table.sort();
  ASSERT_TRUE(table.find("init"));
  EXPECT_EQ(table.find("init")->value, 0x900u);
  EXPECT_FALSE(table.find("in"));
  EXPECT_FALSE(table.find("zzz"));
}

TEST(SymbolTable, static_functions_of_two_sources_may_share_a_name) {
  SymbolTable table;
  table.add("cleanup", true, function_at(0x300));
  table.add("cleanup", true, function_at(0x100));
  table.sort();
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.find("cleanup")->value, 0x100u);
  EXPECT_EQ(table.at(1).symbol.value, 0x300u);
}

TEST(SymbolTable, what_two_tables_repeat_is_there_once) {
  SymbolTable table;
  for (const bool local : {true, false}) table.add("twice", local, function_at(0x100));
  table.add("alias", true, function_at(0x100));
  table.sort();
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.at(0).name, "alias");
  EXPECT_EQ(table.at(1).name, "twice");
  EXPECT_FALSE(table.at(1).local);
}

TEST(SymbolTable, repeated_symbols_among_others_of_their_name_are_there_once) {
  SymbolTable table;
  for (const os::Address value : {0x300, 0x100, 0x300, 0x200})
    for (const bool local : {true, false})
      if (local || value == 0x300) table.add("init", local, function_at(value));
  table.add("later", true, function_at(0x300));
  table.sort();
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table.find("init")->value, 0x300u);
  EXPECT_EQ(table.at(1).symbol.value, 0x100u);
  EXPECT_EQ(table.at(2).symbol.value, 0x200u);
  EXPECT_EQ(table.at(3).name, "later");
}

}  // namespace
}  // namespace beam_exporter::elf
