#include "staged_vm.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

// What a C function of the VM looks like to an unwinder.
asm(R"(
  .text
  .type staged_c_code, @function
staged_c_code:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  .globl staged_in_c_code
staged_in_c_code:
  nop
  pop %rbp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size staged_c_code, . - staged_c_code

  .type staged_schedule, @function
staged_schedule:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  .globl staged_in_schedule
staged_in_schedule:
  nop
  pop %rbp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size staged_schedule, . - staged_schedule
)");
extern "C" const char staged_in_c_code[], staged_in_schedule[], __executable_start[];

namespace beam_exporter::tests {

namespace {

// Where this file is mapped in the VM: between its data and its code.
constexpr os::Address mapped_at = 0x570000000000;
constexpr std::size_t mapped_bytes = 1 << 30;
constexpr os::Address bottom_place = FakeVm::data_begin + 0x980;

os::Address moved(const char* here) {
  return mapped_at + static_cast<os::Address>(here - __executable_start);
}

std::string own_file_mapped() {
  struct stat file {};
  stat("/proc/self/exe", &file);
  std::ostringstream line;
  line << std::hex << mapped_at << '-' << mapped_at + mapped_bytes << " r-xp 00000000 00:00 "
       << std::dec << file.st_ino << ' '
       << std::filesystem::read_symlink("/proc/self/exe").string();
  return line.str();
}

}  // namespace

StagedVm::StagedVm(const std::string& release, bool frame_pointers,
                   const beam::ForcedPlaces& forced)
    : memory(shipped_layout(release)) {
  memory.forced = forced;
  memory.more_mappings = {own_file_mapped()};
  memory.more_symbols = {{"beam_normal_exit", bottom_place - FakeVm::bias, 8},
                         {"erts_schedule", in_schedule() - 1 - FakeVm::bias, 4, true}};
  memory.memory.put(bottom_place, bottom);
  memory.memory.put(FakeVm::frame_layout, std::uint32_t{frame_pointers});
  next_jit_ = memory.erlang.begin + 0x100000;
  make_process();
  auto attached = memory.attach();
  if (!attached) throw std::runtime_error(attached.error().text);
  vm = std::move(*attached);
  native = std::make_unique<sampling::NativeReader>(*vm);
}

os::Address StagedVm::in_c_code() { return moved(staged_in_c_code); }
os::Address StagedVm::in_schedule() { return moved(staged_in_schedule); }

// The encodings are those of beam/code/runtime_call.cpp.
os::Address StagedVm::jit_from_process() {
  return jit({0x49, 0x8b, 0x65, static_cast<std::uint8_t>(memory.layout.process.stop.offset)});
}
os::Address StagedVm::jit_from_register() { return jit({0x48, 0x89, 0xec}); }

os::Address StagedVm::jit(const std::vector<std::uint8_t>& code) {
  const os::Address at = next_jit_;
  next_jit_ += 0x1000;
  memory.memory.put_bytes(at, std::vector<std::byte>(256, std::byte{0x90}));
  memory.memory.put_array(at, code);
  return at;
}

os::UserRegisters StagedVm::registers(os::Address rip, os::Address rsp, std::uint64_t rbp) {
  os::UserRegisters out;
  out.value[Register::rip] = rip;
  out.value[Register::rsp] = rsp;
  out.value[Register::rbp] = rbp;
  return out;
}

// rbp has another value than it had at the call, so that only the unwound one can be right.
os::UserRegisters StagedVm::c_registers(os::Address rip) const {
  return registers(rip, runtime_stack() - 16, 0x1111);
}

os::UserRegisters StagedVm::interpreting(os::UserRegisters registers, os::Address i,
                                         os::Address e) {
  registers.value[Register::rbx] = i;
  registers.value[Register::r13] = e;
  return registers;
}

void StagedVm::make_process(std::size_t heap_bytes) {
  process = memory.spawn("demo", "start", 2);
  heap = memory.allocate(heap_bytes);
  hend = heap + heap_bytes;
  const auto& at = memory.layout.process;
  set(at.heap, heap);
  set(at.htop, heap + 64);
  set(at.hend, hend);
  stack = {0xa0, 0xa1, 0xa2, 0xa3};
  stop = memory.set_stack(process, stack);
}

void StagedVm::executes(std::size_t scheduler) {
  memory.memory.put(memory.schedulers.at(scheduler), memory.layout.scheduler_data.current_process,
                    process);
}

std::vector<std::byte> StagedVm::process_bytes() const {
  std::vector<std::byte> bytes(memory.layout.process.size);
  if (!memory.memory.read(process, bytes)) throw std::logic_error("no process");
  return bytes;
}

void StagedRecord::set_c_stack(const StagedVm& vm, os::Address rip, std::uint64_t saved,
                               os::Address return_to) {
  set(vm.c_registers(rip));
  record.native_begin = vm.runtime_stack() - 16;
  native = StagedVm::c_stack(saved, return_to);
  record.jit_return = return_to;
  record.flags |= sampling::sample_jit_return;
}

void StagedRecord::set_process(const StagedVm& vm) {
  record.flags |= sampling::sample_scheduler | sampling::sample_process;
  record.current_process = vm.process;
  process = vm.process_bytes();
}

std::vector<std::byte> StagedRecord::bytes() {
  const auto size = [](const auto& part) {
    return static_cast<unsigned>(part.size() * sizeof part[0]);
  };
  record.process_bytes = size(process);
  record.native_bytes = size(native);
  record.guessed_bytes = size(guessed);
  record.top_bytes = size(top);
  record.bottom_bytes = size(bottom);
  std::vector<std::byte> out;
  const auto append = [&](std::span<const std::byte> part) {
    out.insert(out.end(), part.begin(), part.end());
  };
  append(std::as_bytes(std::span(&record, 1)));
  append(process);
  for (const auto* words : {&native, &guessed, &top, &bottom})
    append(std::as_bytes(std::span(*words)));
  return out;
}

}  // namespace beam_exporter::tests
