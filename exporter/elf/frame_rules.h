#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "elf/frame_expression.h"
#include "elf/image.h"
#include "os/perf/user_registers.h"
#include "os/result.h"

namespace beam_exporter::elf {

// Where a callee's frame keeps the caller's value of one register.
struct RegisterRule {
  enum class Kind : std::uint8_t {
    same,      // the register still holds it
    at_cfa,    // saved in memory at CFA + offset
    computed,  // saved in memory where an expression tells
    unknown,   // lost
  };
  Kind kind = Kind::unknown;
  std::int32_t offset = 0;  // of `computed`: the place in FrameRule::expressions
};

// One row of the call frame table (DWARF 5, 6.4): CFA = register + offset, or as an expression
// tells, and one rule per register in DWARF order. The rule of rip is that of the return address.
struct FrameRule {
  std::uint8_t cfa_register = 0;
  std::int64_t cfa_offset = 0;
  std::optional<FrameExpression> cfa_expression;  // instead of register and offset
  std::array<RegisterRule, os::UserRegisters::count> registers;
  std::vector<FrameExpression> expressions;
};

// The .eh_frame of one file; every executable and library has one, stripped or not. A row is
// decoded once and kept: a repeated lookup costs a tree search. One thread.
class FrameRules {
 public:
  // Error: unsupported when the file has none. `image` must outlive it.
  static os::Result<FrameRules> open(const Image& image);
  FrameRules(FrameRules&&) noexcept;
  FrameRules& operator=(FrameRules&&) noexcept;
  ~FrameRules();

  // The rule for an address of the file (before the load bias); nullptr where no usable row covers
  // it.
  const FrameRule* at(std::uint64_t address);

  // False in code that was built without unwind tables. A row that at() cannot use covers too.
  bool covers(std::uint64_t address);

 private:
  struct Source;  // elfutils' handles
  struct Row {
    std::uint64_t end = 0;
    bool exists = false, usable = false;
    FrameRule rule;
  };

  explicit FrameRules(std::unique_ptr<Source> source);
  const Row& row(std::uint64_t address);
  const Row& read(std::uint64_t address);

  std::unique_ptr<Source> source_;
  std::map<std::uint64_t, Row>
      rows_;  // by the address that was looked up; a row ends where its rule ends
};

}  // namespace beam_exporter::elf
