#include "elf/symbol_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "elf/native_symbols.h"
#include "fakes/must.h"
#include "unit/elf/stripped_root.h"

namespace beam_exporter::elf {
namespace {

using ::testing::HasSubstr;

// A library whose symbols were stripped, and a folder for symbol files.
class SymbolSearchIn : public StrippedRoot {
 protected:
  void SetUp() override {
    StrippedRoot::SetUp();
    builds_ = root_ / "builds";
    fs::create_directories(builds_);
    fs::copy_file(NATIVE_SAMPLE_FULL, root_ / "sample.so");
    run("objcopy --strip-all " + (root_ / "sample.so").string());
  }

  static std::string own_file() {
    return tests::must(write_symbol_file(tests::must(Image::open(NATIVE_SAMPLE_FULL))));
  }
  void put(const std::string& name, const std::string& text) {
    std::ofstream(builds_ / name) << text;
  }
  Image completed() {
    const auto search = tests::must(SymbolSearch::load(builds_));
    auto image = tests::must(Image::open((root_ / "sample.so").string()));
    EXPECT_FALSE(image.has_symbol_table());
    EXPECT_FALSE(search.complete(image, root_, "/sample.so"));
    return image;
  }
  std::string refusal() {
    const auto search = SymbolSearch::load(builds_);
    return search ? "none" : search.error().text;
  }

  fs::path builds_;
};

TEST_F(SymbolSearchIn, names_static_functions_of_a_stripped_twin) {
  EXPECT_FALSE(completed().symbol("first_static"));
  put("any name.yaml", own_file());
  const auto image = completed();
  EXPECT_EQ(image.symbols_from(), (builds_ / "any name.yaml").string());
  EXPECT_TRUE(image.has_symbol_table());
  const auto full = tests::must(Image::open(NATIVE_SAMPLE_FULL));
  EXPECT_EQ(image.functions().size(), full.functions().size());
  const auto named = NativeSymbols::read(image), known = NativeSymbols::read(full);
  for (const char* name : {"first_static", "second_static", "native_sample_hidden"}) {
    ASSERT_TRUE(named.named(name) && known.named(name)) << name;
    EXPECT_EQ(named.named(name)->range, known.named(name)->range) << name;
    EXPECT_EQ(named.named(name)->exported, known.named(name)->exported) << name;
  }
}

TEST_F(SymbolSearchIn, takes_no_symbols_of_another_build) {
  std::string text = own_file();
  const auto digit = text.find("build_id: \"") + 11;
  text[digit] = text[digit] == '0' ? '1' : '0';
  put("other.yaml", text);
  EXPECT_FALSE(completed().has_symbol_table());
}

TEST_F(SymbolSearchIn, leaves_out_symbols_outside_of_the_file) {
  auto text = own_file();
  const auto writable = tests::must(Image::open(NATIVE_SAMPLE_FULL)).segments().back().addresses;
  text.replace(text.find("functions:\n"), 11,
               "functions:\n  \"far\": [0x7fffffff0000, 8]\n  \"in_data\": [" +
                   std::to_string(writable.begin) + ", 8]\n");
  put("own.yaml", text);
  const auto image = completed();
  EXPECT_TRUE(image.symbol("first_static"));
  EXPECT_FALSE(image.symbol("far"));
  EXPECT_FALSE(image.symbol("in_data"));
}

TEST_F(SymbolSearchIn, prefers_the_debug_file) {
  strip(keep_build_id);
  const auto id = tests::must(Image::open((root_ / "opt/app/vm").string())).build_id();
  put("vm.yaml", "build_id: \"" + id + "\"\nfunctions: {}\n");
  put_debug_file("opt/app/vm.debug");
  auto image = tests::must(Image::open((root_ / "opt/app/vm").string()));
  const auto debug = tests::must(SymbolSearch::load(builds_)).complete(image, root_, "/opt/app/vm");
  ASSERT_TRUE(debug);
  EXPECT_TRUE(debug->has_debug_info());
  EXPECT_THAT(image.symbols_from(), HasSubstr("vm.debug"));
  const auto full = tests::must(Image::open((root_ / "full").string()));
  EXPECT_EQ(image.symbols().size(), full.symbols().size());
  EXPECT_EQ(image.functions().size(), full.functions().size());
  EXPECT_EQ(image.symbol("main")->value, full.symbol("main")->value);
}

TEST_F(SymbolSearchIn, takes_a_debug_file_that_was_added_if_it_is_of_that_build) {
  const auto search = tests::must(SymbolSearch::load(builds_));
  auto copy = search;
  const auto named_after = [&](const std::string& file) {
    auto image = tests::must(Image::open((root_ / "sample.so").string()));
    copy.add_debug_file(image.build_id(), file);
    (void)search.complete(image, root_, "/sample.so");
    return image.symbol("first_static").has_value();
  };
  EXPECT_FALSE(named_after((root_ / "gone").string()));
  EXPECT_FALSE(named_after((root_ / "full").string()));
  EXPECT_TRUE(named_after(NATIVE_SAMPLE_FULL));
}

TEST_F(SymbolSearchIn, leaves_a_file_with_symbols_as_it_is) {
  put("own.yaml", own_file());
  auto image = tests::must(Image::open(NATIVE_SAMPLE_FULL));
  const auto count = image.symbols().size();
  (void)tests::must(SymbolSearch::load(builds_)).complete(image, root_, "/full.so");
  EXPECT_EQ(image.symbols_from(), "");
  EXPECT_EQ(image.symbols().size(), count);
}

TEST_F(SymbolSearchIn, refuses_a_folder_with_a_bad_file_by_name) {
  put("README.md", "no symbol file");
  EXPECT_EQ(refusal(), "none");
  put("bad.yaml", "functions: 7\n");
  EXPECT_THAT(refusal(), HasSubstr("bad.yaml:1: functions: '7', where a mapping is needed"));
  fs::remove(builds_ / "bad.yaml");
  put("one.yaml", own_file());
  put("two.yaml", own_file());
  EXPECT_THAT(refusal(), HasSubstr("of the same build as"));
  fs::remove_all(builds_);
  EXPECT_THAT(refusal(), HasSubstr("builds folder"));
}

}  // namespace
}  // namespace beam_exporter::elf
