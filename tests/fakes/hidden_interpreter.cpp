#include <algorithm>
#include <cstring>
#include <span>

#include "fakes/fake_vm.h"

// The machine code of a FakeVm without symbols that interprets: what is to be found in it
// (exporter/beam/hidden/interpreter_code.h), and what is like it.
namespace beam_exporter::tests {

namespace {

constexpr std::uint8_t filler = 0x90;
constexpr os::Address text_begin = FakeVm::interpreter, text_end = FakeVm::bias + 0x8000,
                      unwind_begin = FakeVm::bias + 0x8000, code_end = FakeVm::bias + 0x9000;

std::vector<std::uint8_t> with_operand(std::vector<std::uint8_t> opcode, os::Address at,
                                       os::Address to) {
  const auto distance =
      static_cast<std::int32_t>(static_cast<std::int64_t>(to - at - opcode.size() - 4));
  std::uint8_t bytes[sizeof distance];
  std::memcpy(bytes, &distance, sizeof distance);
  opcode.insert(opcode.end(), bytes, bytes + sizeof distance);
  return opcode;
}

FakeVm::Function& function_at(std::vector<FakeVm::Function>& functions, os::Address begin) {
  return *std::ranges::find(functions, begin, &FakeVm::Function::begin);
}

}  // namespace

void FakeVm::add_code(os::Address function, const std::vector<std::uint8_t>& code) {
  auto& to = function_at(functions, function);
  to.code.insert(to.code.end(), code.begin(), code.end());
  std::vector<std::uint8_t> all = to.code;
  all.resize(to.size, filler);
  memory.put_array(to.begin, all);
}

void FakeVm::add_call(os::Address from, os::Address to) {
  const auto& function = function_at(functions, from);
  add_code(from, with_operand({0xe8}, from + function.code.size(), to));
}

void FakeVm::add_read(os::Address from, os::Address place) {
  const auto& function = function_at(functions, from);
  add_code(from, with_operand({0x8b, 0x05}, from + function.code.size(), place));
}

// As emu/beam_emu.c and emu/instrs.tab of OTP 29 are compiled.
void FakeVm::put_hidden_interpreter() {
  constexpr os::Address small_function = bias + 0x5800;
  functions = {{interpreter, 0x1000},
               {interpreted_schedule, 0x2000},
               {interpreted_dirty_loop, 0x800},
               {small_function, 0x100},
               {other_function, 0x1000}};
  add_code(interpreter, interpreter_code(layout));
  for (int times = 0; times < 8; ++times) add_read(interpreter, active_index_place);
  add_read(interpreter, process_table);  // another word of the VM's data is read so too
  for (const os::Address caller : {interpreter, interpreted_dirty_loop}) {
    add_call(caller, interpreted_schedule);
    add_call(caller, small_function);
    add_call(caller, other_function);
  }
  add_call(interpreted_schedule, other_function);
}

void FakeVm::add_text(SmallElf& elf) const {
  if (functions.empty()) return;
  auto& code = elf.segments.front();
  code.addresses.end = code_end - bias;
  code.content.resize(code.addresses.size(), std::byte{filler});
  std::vector<os::AddressRange> bounds;
  for (const auto& function : functions) {
    bounds.push_back({function.begin - bias, function.begin + function.size - bias});
    std::ranges::copy(std::as_bytes(std::span(function.code)),
                      code.content.begin() + static_cast<std::ptrdiff_t>(bounds.back().begin));
  }
  const auto table = unwind_table(bounds);
  std::memcpy(code.content.data() + (unwind_begin - bias), table.data(), table.size());
  elf.sections = {{".text", {text_begin - bias, text_end - bias}},
                  {".eh_frame", {unwind_begin - bias, unwind_begin - bias + table.size()}}};
}

}  // namespace beam_exporter::tests
