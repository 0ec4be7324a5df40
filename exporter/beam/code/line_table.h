#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "beam/code/code_module.h"
#include "beam/terms/atoms.h"

namespace beam_exporter::beam {

struct SourceLine {
  std::string file;  // as the module names it: "lists.erl", "src/shop.erl", "/src/shop.erl"
  std::uint32_t line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// The line table of one module (BeamCodeLineTab_, beam_code.h, OTP 25 and 27): the lines of its
// functions in the order of their code. The first line of a function is that of its head. Remembers
// names of files. One thread.
class LineTable {
 public:
  // nullopt: there is none, it cannot be read, or the layout lacks a needed member. All four
  // outlive it.
  static std::optional<LineTable> open(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                                       const CodeModule& module);

  // Where the lines of one function begin, ascending, and where its last line ends.
  struct Lines {
    std::uint64_t first = 0;  // the number of its first line in the module
    std::vector<os::Address> begins;
    std::size_t count() const { return begins.size() - 1; }
  };
  // `function` is an index of CodeModule::functions.
  std::optional<Lines> lines_of(std::size_t function) const;

  // The lines [first, first + count) of the module; nullopt: the line has no place in a source, or
  // it cannot be read.
  std::vector<std::optional<SourceLine>> sources(std::uint64_t first, std::size_t count);

 private:
  LineTable(const os::Memory& memory, Atoms& atoms, Eterm module)
      : memory_(&memory), atoms_(&atoms), module_(module) {}
  const std::optional<std::string>& file_name(std::uint32_t file);
  std::optional<std::string> other_file_name(std::uint32_t file) const;
  std::vector<std::uint32_t> locations(std::uint64_t first, std::size_t count) const;

  const os::Memory* memory_;
  Atoms* atoms_;
  Eterm module_;
  os::Address files_ = 0, locations_ = 0, functions_ = 0;
  std::uint32_t width_ = 0;  // of a location
  std::map<std::uint32_t, std::optional<std::string>> names_;
};

}  // namespace beam_exporter::beam
