#include "elf/frame_rules.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "elf/elf_handle.h"

namespace beam_exporter::elf {

namespace {

constexpr std::size_t most_rows = 1 << 16;
// rax to r15: a CFA can be computed from these.
constexpr unsigned general_registers = os::UserRegisters::rip;

struct FrameDeleter {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};

std::optional<std::int32_t> narrow(std::uint64_t wide) {
  const auto value = static_cast<std::int64_t>(wide);
  if (value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::int32_t>(value);
}

using Operations = std::span<const Dwarf_Op>;

std::optional<FrameExpression> expression(Operations operations) {
  std::vector<FrameExpression::Operation> copies;
  copies.reserve(operations.size());
  for (const auto& operation : operations)
    copies.push_back({operation.atom, operation.number, operation.number2});
  return FrameExpression::of(std::move(copies));
}

// elfutils gives each rule as a DWARF expression (libdw/dwarf_frame_register.c). No operations and
// a null array mean "same value"; CFA, or CFA plus a constant, is where the value was saved. One
// that ends with DW_OP_stack_value is the value itself: no compiler writes that.
RegisterRule register_rule(Dwarf_Frame* frame, int number, FrameRule& out) {
  using Kind = RegisterRule::Kind;
  Dwarf_Op room[3];
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_register(frame, number, room, &ops, &count) != 0) return {};
  if (count == 0) return {ops == nullptr ? Kind::same : Kind::unknown, 0};
  if (count == 1 && ops[0].atom == DW_OP_call_frame_cfa) return {Kind::at_cfa, 0};
  if (count == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst)
    if (const auto offset = narrow(ops[1].number)) return {Kind::at_cfa, *offset};
  auto computed = expression(Operations(ops, count));
  if (!computed) return {};
  out.expressions.push_back(*std::move(computed));
  return {Kind::computed, static_cast<std::int32_t>(out.expressions.size() - 1)};
}

std::optional<FrameRule> frame_rule(Dwarf_Frame* frame) {
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count == 0) return std::nullopt;
  FrameRule rule;
  if (count == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom < DW_OP_breg0 + general_registers) {
    rule.cfa_register = static_cast<std::uint8_t>(ops[0].atom - DW_OP_breg0);
    rule.cfa_offset = static_cast<std::int64_t>(ops[0].number);
  } else if (count == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < general_registers) {
    rule.cfa_register = static_cast<std::uint8_t>(ops[0].number);
    rule.cfa_offset = static_cast<std::int64_t>(ops[0].number2);
  } else {
    rule.cfa_expression = expression(Operations(ops, count));
    if (!rule.cfa_expression) return std::nullopt;
  }
  for (int number = 0; number < os::UserRegisters::count; ++number)
    rule.registers[static_cast<std::size_t>(number)] = register_rule(frame, number, rule);
  return rule;
}

}  // namespace

struct FrameRules::Source {
  int fd = -1;
  ElfHandle elf;
  Dwarf_CFI* cfi = nullptr;  // reads from `elf`
  ~Source() {
    if (cfi != nullptr) dwarf_cfi_end(cfi);
  }
};

FrameRules::FrameRules(std::unique_ptr<Source> source) : source_(std::move(source)) {}
FrameRules::FrameRules(FrameRules&&) noexcept = default;
FrameRules& FrameRules::operator=(FrameRules&&) noexcept = default;
FrameRules::~FrameRules() = default;

os::Result<FrameRules> FrameRules::open(const Image& image) {
  auto source = std::make_unique<Source>();
  source->elf = open_elf(image.descriptor());
  if (source->elf) source->cfi = dwarf_getcfi_elf(source->elf.get());
  if (source->cfi == nullptr)
    return os::Error{os::ErrorKind::unsupported, image.name() + " has no .eh_frame to unwind by"};
  return FrameRules(std::move(source));
}

const FrameRule* FrameRules::at(std::uint64_t address) {
  const Row& found = row(address);
  return found.usable ? &found.rule : nullptr;
}

bool FrameRules::covers(std::uint64_t address) { return row(address).exists; }

const FrameRules::Row& FrameRules::row(std::uint64_t address) {
  const auto after = rows_.upper_bound(address);
  if (after != rows_.begin() && std::prev(after)->second.end > address)
    return std::prev(after)->second;
  return read(address);
}

const FrameRules::Row& FrameRules::read(std::uint64_t address) {
  if (rows_.size() >= most_rows) rows_.clear();
  Dwarf_Frame* raw = nullptr;
  Row row;
  if (dwarf_cfi_addrframe(source_->cfi, address, &raw) == 0) {
    const std::unique_ptr<Dwarf_Frame, FrameDeleter> frame(raw);
    Dwarf_Addr begin = 0, end = 0;
    bool is_signal_frame = false;
    dwarf_frame_info(frame.get(), &begin, &end, &is_signal_frame);
    row.end = end;
    row.exists = true;
    if (auto rule = frame_rule(frame.get())) {
      row.usable = true;
      row.rule = *rule;
    }
  }
  // An address without a row is remembered too, for itself only.
  if (row.end <= address) row.end = address + 1;
  // The row is kept from this address on, not from `begin`. After DW_CFA_restore_state, libdw
  // (0.188) returns the begin of the remembered row, which lies before the epilogue between the
  // two.
  return rows_.insert_or_assign(address, row).first->second;
}

}  // namespace beam_exporter::elf
