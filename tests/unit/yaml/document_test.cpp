#include "yaml/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace beam_exporter::yaml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Document parsed(std::string_view text) {
  auto document = Document::parse(text, "f.yaml");
  EXPECT_TRUE(document) << document.error().text;
  return *document;
}

std::string outcome(const Document& document) {
  const auto done = document.finish();
  return done ? "ok" : done.error().text;
}

TEST(Document, ReadsEveryType) {
  const Document document = parsed(
      "flag: true\nnumber: 42\nreal: 0.5\ntext: plain\nquoted: '7'\nwait: 1m30s\n"
      "words: [a, 'b c']\nnumbers:\n  - 1\n  - 0x10\npair: [80, 8]\n");
  const Mapping root = document.root();
  bool flag = false;
  int number = 0;
  double real = 0;
  std::string text, quoted;
  std::chrono::milliseconds wait{0};
  std::vector<std::string> words;
  std::vector<std::uint32_t> numbers;
  std::array<std::uint16_t, 2> pair{};
  EXPECT_TRUE(root.read("flag", flag));
  EXPECT_TRUE(root.read("number", number, WholeRange{1, 50}));
  EXPECT_TRUE(root.read("real", real, RealRange{0, 1}));
  EXPECT_TRUE(root.read("text", text));
  EXPECT_TRUE(root.read("quoted", quoted));
  EXPECT_TRUE(root.read("wait", wait));
  EXPECT_TRUE(root.read("words", words));
  EXPECT_TRUE(root.read("numbers", numbers));
  EXPECT_TRUE(root.read("pair", pair));
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 42);
  EXPECT_EQ(real, 0.5);
  EXPECT_EQ(text, "plain");
  EXPECT_EQ(quoted, "7");
  EXPECT_EQ(wait, std::chrono::seconds{90});
  EXPECT_THAT(words, ElementsAre("a", "b c"));
  EXPECT_THAT(numbers, ElementsAre(1u, 16u));
  EXPECT_THAT(pair, ElementsAre(80, 8));
  EXPECT_EQ(outcome(document), "ok");
}

TEST(Document, AnAbsentKeyLeavesTheDefault) {
  const Document document = parsed("");
  int number = 99;
  EXPECT_FALSE(document.root().read("number", number));
  EXPECT_FALSE(document.root().mapping("sampling").read("frequency", number));
  EXPECT_EQ(number, 99);
  EXPECT_EQ(outcome(document), "ok");
}

TEST(Document, ASectionWithoutKeysIsEmpty) {
  const Document document = parsed("sampling:\n  # frequency: 99\n");
  int number = 99;
  EXPECT_FALSE(document.root().mapping("sampling").read("frequency", number));
  EXPECT_EQ(outcome(document), "ok");
}

TEST(Document, AnUnknownKeyIsAnErrorThatNamesTheKnownOnes) {
  const Document document = parsed("sampling:\n  source: auto\n\n  frequencyy: 99\n");
  const Mapping sampling = document.root().mapping("sampling");
  std::string source;
  int frequency = 0;
  sampling.read("source", source);
  sampling.read("frequency", frequency);
  EXPECT_EQ(outcome(document),
            "f.yaml:4: unknown key 'frequencyy' in 'sampling'; known keys: source, frequency");
}

TEST(Document, AnUnknownSectionIsAnError) {
  const Document document = parsed("a: 1\nsampel: {x: 1}\n");
  int a = 0;
  document.root().read("a", a);
  document.root().mapping("sampling");
  EXPECT_EQ(outcome(document), "f.yaml:2: unknown key 'sampel'; known keys: a, sampling");
}

TEST(Document, WrongValuesNameFileLineKeyValueAndRange) {
  const auto first_error = [](std::string_view text) {
    const Document document = parsed(text);
    const Mapping sampling = document.root().mapping("sampling");
    int frequency = 99;
    std::vector<std::string> list;
    std::array<int, 2> pair{};
    EXPECT_FALSE(sampling.read("frequency", frequency, WholeRange{1, 10000}) ||
                 sampling.read("list", list) || sampling.read("pair", pair));
    EXPECT_EQ(frequency, 99);
    return outcome(document);
  };
  EXPECT_EQ(first_error("sampling:\n  frequency: 0\n"),
            "f.yaml:2: sampling.frequency: 0 is outside 1..10000");
  EXPECT_EQ(first_error("sampling:\n  frequency: often\n"),
            "f.yaml:2: sampling.frequency: 'often' is not a whole number 1..10000");
  EXPECT_EQ(first_error("sampling:\n  frequency: [1]\n"),
            "f.yaml:2: sampling.frequency: a list, where one value is needed");
  EXPECT_EQ(first_error("\nsampling:\n  frequency:\n\n  # end\n").substr(0, 35),
            "f.yaml:3: sampling.frequency: no va");
  EXPECT_EQ(first_error("sampling:\n  list: a\n"),
            "f.yaml:2: sampling.list: 'a', where a list is needed: [first, second]");
  EXPECT_EQ(first_error("sampling:\n  pair: [1, 2, 3]\n"),
            "f.yaml:2: sampling.pair: a list of 3, where 2 values are needed");
  EXPECT_EQ(first_error("sampling:\n  pair:\n  - 1\n  - x\n").substr(0, 33),
            "f.yaml:4: sampling.pair: 'x' is n");
  EXPECT_EQ(first_error("sampling: 5\n"),
            "f.yaml:1: sampling: '5', where a mapping is needed: {key: value}");
}

TEST(Document, TheFirstErrorByLineWinsWhateverTheOrderOfReading) {
  const Document document = parsed("a: x\nb: y\nc: 1\n");
  int number = 0;
  document.root().read("b", number);
  document.root().read("a", number);
  EXPECT_THAT(outcome(document), HasSubstr("f.yaml:1: a: 'x'"));
}

TEST(Document, AMissingKeyIsReportedAfterAMisspeltOne) {
  std::uint32_t size = 0;
  const Document misspelt = parsed("structs:\n  Process:\n    sizee: 1\n");
  misspelt.root().mapping("structs").mapping("Process").require("size", size);
  EXPECT_THAT(outcome(misspelt), HasSubstr("f.yaml:3: unknown key 'sizee' in 'structs.Process'"));

  const Document missing = parsed("structs:\n  Process: {}\n");
  missing.root().mapping("structs").mapping("Process").require("size", size);
  EXPECT_EQ(outcome(missing), "f.yaml:2: structs.Process.size is missing");
}

TEST(Document, WalksKeysNobodyKnewAtCompileTime) {
  const Document document =
      parsed("structs: {Process: {size: 776, htop: [80, 8]}, Atom: {size: 40, len: [16, 2]}}\n");
  const Mapping structs = document.root().mapping("structs");
  EXPECT_THAT(structs.keys(), ElementsAre("Process", "Atom"));
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : structs.keys()) {
    const Mapping members = structs.mapping(name);
    for (const std::string& member : members.keys()) {
      if (member == "size") {
        std::uint32_t size = 0;
        ASSERT_TRUE(members.require("size", size));
        numbers.push_back(size);
        continue;
      }
      std::array<std::uint32_t, 2> field{};
      ASSERT_TRUE(members.require(member, field));
      numbers.insert(numbers.end(), field.begin(), field.end());
    }
  }
  EXPECT_THAT(numbers, ElementsAre(776, 80, 8, 40, 16, 2));
  EXPECT_EQ(outcome(document), "ok");
}

TEST(Document, PassesEveryListInTheFilesOrder) {
  const Document document = parsed("symbols:\n  b: [1, 2]\n  a: []\n  'y': [0x10]\n");
  std::vector<std::string> seen;
  document.root().mapping("symbols").lists([&](std::string_view key, std::span<const Scalar> list) {
    std::string line(key);
    for (const auto& value : list) line += " " + std::string(value.text);
    seen.push_back(line);
    return os::Status(os::Done{});
  });
  EXPECT_THAT(seen, ElementsAre("b 1 2", "a", "y 0x10"));
  EXPECT_EQ(outcome(document), "ok");
}

TEST(Document, AListThatTheCallerRefusesIsNamed) {
  const Document document = parsed("symbols:\n  a: [1]\n  b: [2, [3]]\n  c: 4\n");
  document.root().mapping("symbols").lists([](std::string_view key, std::span<const Scalar>) {
    return key == "a" ? os::Status(os::Done{})
                      : os::Status(os::Error{os::ErrorKind::malformed, "never passed"});
  });
  EXPECT_EQ(outcome(document), "f.yaml:3: symbols.b: a list, where one value is needed");
}

TEST(Document, ReadsListsOfMappings) {
  const Document document = parsed("rules:\n- {name: a}\n- {name: b, extra: 1}\n");
  std::vector<std::string> names;
  for (const Mapping& rule : document.root().mappings("rules"))
    rule.require("name", names.emplace_back());
  EXPECT_THAT(names, ElementsAre("a", "b"));
  EXPECT_EQ(outcome(document), "f.yaml:3: unknown key 'extra' in 'rules'; known keys: name");
}

TEST(Document, CarriesTheCallersOwnComplaint) {
  const Document document = parsed("a: 1\nmatch: '('\n");
  int a = 0;
  std::string match;
  document.root().read("a", a);
  document.root().read("match", match);
  document.root().reject("match", "not a regular expression");
  EXPECT_EQ(outcome(document), "f.yaml:2: match: not a regular expression");
}

TEST(Document, AViewOutlivesItsDocument) {
  const Mapping root = [] { return parsed("a: 5\n").root(); }();
  int a = 0;
  EXPECT_TRUE(root.read("a", a));
  EXPECT_EQ(a, 5);
}

TEST(Document, TheTopMustBeAMapping) {
  EXPECT_EQ(Document::parse("\n- a\n", "f.yaml").error().text,
            "f.yaml:2: a list, where 'key: value' lines are needed");
  EXPECT_EQ(Document::parse("hello", "f.yaml").error().text,
            "f.yaml:1: 'hello', where 'key: value' lines are needed");
}

TEST(Document, LoadsAFileAndNamesOneItCannotRead) {
  const std::string absent = testing::TempDir() + "no-such-file.yaml";
  const auto none = Document::load(absent, "config file");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "cannot read config file " + absent + ": No such file or directory");
  EXPECT_EQ(none.error().kind, os::ErrorKind::not_found);

  const auto folder = Document::load(testing::TempDir(), "config file");
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().text, HasSubstr("Is a directory"));

  const std::string path = testing::TempDir() + "beam_exporter_document_test.yaml";
  std::ofstream(path) << "a: 5\nb: 6\n";
  const auto document = Document::load(path, "config file");
  ASSERT_TRUE(document);
  int a = 0;
  EXPECT_TRUE(document->root().read("a", a));
  EXPECT_EQ(outcome(*document), path + ":2: unknown key 'b'; known keys: a");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace beam_exporter::yaml
