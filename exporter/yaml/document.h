#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/result.h"
#include "yaml/scalar.h"

// A strict reader: a key that no code reads is an error, and every error names file and line. Used
// for settings and layouts. A read records its error and goes on, so that the caller is a plain
// list of reads; Document::finish() returns the first error. One thread.
//
//   auto document = yaml::Document::parse(text, "otp-25-jit.yaml");
//   if (!document) return document.error();
//   std::string release;
//   document->root().require("otp_release", release);
//   yaml::Mapping structs = document->root().mapping("structs");
//   for (const std::string& name : structs.keys()) {       // structs: {Process: {htop: [80, 8]}}
//     std::array<std::uint32_t, 2> htop{};
//     structs.mapping(name).require("htop", htop);
//   }
//   if (auto done = document->finish(); !done) return done.error();
namespace beam_exporter::yaml {

struct Node;
struct Reading;

// A view of one mapping. It is cheap to copy, and keeps its document alive. A mapping that is not
// in the file has a valid, empty view.
class Mapping {
 public:
  bool has(std::string_view key) const;
  std::vector<std::string> keys() const;  // in the file's order
  int line() const {
    return line_;
  }  // from 1; of an absent mapping: the line of the mapping that should hold it

  // Sets `into` and returns true. Returns false when the key is absent, and when its value is
  // wrong: that error is recorded. `rule` goes to yaml::convert: a WholeRange, RealRange or
  // DurationRange. T: bool, whole numbers, double, std::string, milliseconds, and std::vector or
  // std::array of these.
  template <class T, class... Rule>
  bool read(std::string_view key, T& into, Rule... rule) const {
    return scalar(key, [&](Scalar value) { return convert(value, into, rule...); });
  }

  template <class T, class... Rule>
  bool read(std::string_view key, std::vector<T>& into, Rule... rule) const {
    std::vector<T> fresh;
    const bool good = items(key, any_count, [&](Scalar value) -> os::Status {
      T item{};
      auto done = convert(value, item, rule...);
      if (done) fresh.push_back(std::move(item));
      return done;
    });
    if (good) into = std::move(fresh);
    return good;
  }

  template <class T, std::size_t N, class... Rule>
  bool read(std::string_view key, std::array<T, N>& into, Rule... rule) const {
    std::array<T, N> fresh{};
    std::size_t at = 0;
    const bool good =
        items(key, N, [&](Scalar value) { return convert(value, fresh[at++], rule...); });
    if (good) into = std::move(fresh);
    return good;
  }

  // As read(), but an absent key is an error.
  template <class T, class... Rule>
  bool require(std::string_view key, T& into, Rule... rule) const {
    return demand(key) && read(key, into, rule...);
  }

  // Passes the text of a value to `take`, for a type of the caller's own. The error that `take`
  // returns is recorded.
  using Take = std::function<os::Status(Scalar)>;
  bool scalar(std::string_view key, const Take& take) const;
  static constexpr std::size_t any_count = static_cast<std::size_t>(-1);
  bool items(std::string_view key, std::size_t count, const Take& take) const;

  // Passes the key and the list of every entry to `take`, in the file's order: one pass, for keys
  // that only the file knows. The error that `take` returns is recorded.
  using TakeList = std::function<os::Status(std::string_view key, std::span<const Scalar> list)>;
  void lists(const TakeList& take) const;

  Mapping mapping(std::string_view key) const;                // `key:` without a value is empty
  std::vector<Mapping> mappings(std::string_view key) const;  // a list of mappings

  // Records an error of the caller about a key that it has read.
  void reject(std::string_view key, const std::string& text) const;

 private:
  friend class Document;
  Mapping(std::shared_ptr<Reading> reading, Node* node, int line, std::string path);

  Node* find(std::string_view key, int* line) const;
  bool demand(std::string_view key) const;
  void record(int line, std::string_view key, const std::string& text) const;
  std::string path_of(std::string_view key) const;

  std::shared_ptr<Reading> reading_;
  Node* node_;  // null: absent
  int line_;
  std::string path_;
};

class Document {
 public:
  // `name` is for error texts. The top of the document must be a mapping, or empty.
  static os::Result<Document> parse(std::string_view text, std::string name);
  // As parse(), from a file. `what` is for the error text: "cannot read config file /x: No such
  // file".
  static os::Result<Document> load(const std::string& path, std::string_view what);

  Mapping root() const;

  // Call it after the last read. Returns the error with the lowest line: a wrong value or an
  // unknown key; else the first required key that is missing.
  os::Status finish() const;

 private:
  explicit Document(std::shared_ptr<Reading> reading) : reading_(std::move(reading)) {}

  std::shared_ptr<Reading> reading_;
};

}  // namespace beam_exporter::yaml
