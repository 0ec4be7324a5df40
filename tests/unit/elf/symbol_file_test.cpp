#include "elf/symbol_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fakes/must.h"
#include "harness/temporary_folder.h"

namespace beam_exporter::elf {
namespace {

using ::testing::HasSubstr;

Image unstripped() { return tests::must(Image::open(NATIVE_SAMPLE_FULL)); }

class SymbolFileOf : public ::testing::Test {
 protected:
  os::Result<SymbolFile> read(const std::string& text) {
    const auto path = folder_.path() / "build.yaml";
    std::ofstream(path) << text;
    return read_symbol_file(path.string());
  }
  std::string refusal(const std::string& text) {
    const auto file = read(text);
    return file ? "none" : file.error().text;
  }

  tests::TemporaryFolder folder_;
};

TEST_F(SymbolFileOf, holds_every_symbol_of_its_build) {
  const auto image = unstripped();
  const auto file = read(tests::must(write_symbol_file(image)));
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->build_id, image.build_id());
  ASSERT_EQ(file->symbols.size(), image.symbols().size());
  ASSERT_TRUE(file->symbols.find("first_static") && file->symbols.find("native_sample_leaf"));
  for (std::size_t i = 0; i < image.symbols().size(); ++i) {
    const auto told = file->symbols.at(i), own = image.symbols().at(i);
    EXPECT_EQ(told.name, own.name);
    EXPECT_EQ(told.local, own.local) << own.name;
    EXPECT_EQ(told.symbol.value, own.symbol.value) << own.name;
    EXPECT_EQ(told.symbol.size, own.symbol.size) << own.name;
    EXPECT_EQ(told.symbol.is_function, own.symbol.is_function) << own.name;
  }
}

TEST_F(SymbolFileOf, keeps_names_that_yaml_takes_for_something_else) {
  auto image = unstripped();
  const auto begin = image.symbol("native_sample_leaf")->value;
  SymbolTable names;
  for (const char* name : {"y", "null", "1e5", "copy.constprop.0", "a: b", "say \"hi\""})
    names.add(name, true, {begin, 1, true, true});
  for (const os::Address place : {begin, begin + 1})
    names.add("init", true, {place, 1, true, true});
  image.add_symbol_table(names, "");
  const auto file = read(tests::must(write_symbol_file(image)));
  ASSERT_TRUE(file) << file.error().text;
  for (const char* name : {"y", "null", "1e5", "copy.constprop.0"})
    EXPECT_TRUE(file->symbols.find(name)) << name;
  EXPECT_EQ(file->symbols.size(), image.symbols().size() - 2);  // no compiler writes the last two
  std::vector<os::Address> places;
  for (std::size_t i = 0; i < file->symbols.size(); ++i)
    if (file->symbols.at(i).name == "init") places.push_back(file->symbols.at(i).symbol.value);
  EXPECT_THAT(places, ::testing::ElementsAre(begin, begin + 1));
}

TEST_F(SymbolFileOf, names_the_line_that_is_wrong) {
  const std::string id = "build_id: \"0123456789abcdef\"\n";
  EXPECT_EQ(refusal(id), "none");
  EXPECT_THAT(refusal("functions: {}\n"), HasSubstr("build_id is missing"));
  EXPECT_THAT(refusal("build_id: ../../x\n"), HasSubstr(":1: build_id: '../../x' is not lower"));
  EXPECT_THAT(refusal(id + "functions:\n  f: [1]\n"), HasSubstr(":3: functions.f: a list of 1"));
  EXPECT_THAT(refusal(id + "functions:\n  f: []\n"), HasSubstr("a list of 0"));
  EXPECT_THAT(refusal(id + "functions:\n  f: 1\n"), HasSubstr("where a list is needed"));
  EXPECT_THAT(refusal(id + "functions:\n  f: [[1], 2]\n"), HasSubstr("one value is needed"));
  EXPECT_THAT(refusal(id + "functions:\n  f: [-1, 2]\n"), HasSubstr("functions.f: "));
  EXPECT_THAT(refusal(id + "data:\n  f: [x, 2]\n"), HasSubstr("data.f: "));
  EXPECT_THAT(refusal(id + "function: {}\n"), HasSubstr("unknown key 'function'"));
}

TEST_F(SymbolFileOf, is_refused_for_a_file_that_has_no_symbols_or_too_many) {
  const auto stripped = tests::must(Image::open(NATIVE_SAMPLE));
  const auto none = write_symbol_file(stripped);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("stripped"));
  auto image = unstripped();
  const auto begin = image.symbol("native_sample_leaf")->value;
  SymbolTable many;
  for (int i = 0; i < 50'000; ++i)
    many.add("some_name_" + std::to_string(i), true, {begin, 1, true, true});
  image.add_symbol_table(many, "");
  const auto refused = write_symbol_file(image);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("install its debug file instead"));
}

}  // namespace
}  // namespace beam_exporter::elf
