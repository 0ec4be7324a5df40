#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "fakes/fake_vm.h"
#include "os/perf/user_registers.h"
#include "sampling/bpf/sample_record.h"
#include "sampling/native_reader.h"

namespace beam_exporter::tests {

using Register = os::UserRegisters;
using Words = std::vector<std::uint64_t>;

// A VM in memory with C code that can be unwound: this test's own file, as a library of the VM. Its
// functions push rbp and nothing else, so `c_stack()` is all their stack. Code behind a call is
// laid where the VM keeps JIT code.
class StagedVm {
 public:
  explicit StagedVm(const std::string& release, bool frame_pointers = false,
                    const beam::ForcedPlaces& forced = {});

  // In C code, behind its push; the second one is the VM's erts_schedule.
  static os::Address in_c_code();
  static os::Address in_schedule();

  // An address of JIT code that takes the Erlang stack pointer back from there.
  os::Address jit_from_process();
  os::Address jit_from_register();
  os::Address jit_that_tells_nothing() { return jit({}); }

  // Registers in the C function at `rip`, called with an rbp of `saved`, and its stack.
  os::UserRegisters c_registers(os::Address rip) const;
  static Words c_stack(std::uint64_t saved, os::Address return_to) { return {saved, return_to}; }
  static os::UserRegisters registers(os::Address rip, os::Address rsp, std::uint64_t rbp = 0);

  // The same registers with the interpreter's instruction and Erlang stack pointer; and all of them
  // in the interpreter itself.
  static os::UserRegisters interpreting(os::UserRegisters registers, os::Address i, os::Address e);
  os::UserRegisters interpreting(os::Address i, os::Address e) const {
    return interpreting(registers(FakeVm::interpreter + 8, runtime_stack()), i, e);
  }

  const beam::Scheduler& normal() const { return vm->schedulers().at(0); }
  const beam::Scheduler& dirty() const { return vm->schedulers().at(2); }
  // What Erlang code has called is below it.
  os::Address runtime_stack() const {
    return vm->interpreter() != nullptr ? interpreter_frame : normal().runtime_stack;
  }
  static constexpr os::Address interpreter_frame = 0x7a0000001000;

  // The process that all of it is about: a heap block of this size, words from its end down.
  void make_process(std::size_t heap_bytes = 1024);
  template <class T>
  void set(beam::Field<T> field, std::uint64_t value) {
    memory.memory.put(process, field, static_cast<T>(value));
  }
  void executes(std::size_t scheduler);  // index in memory.schedulers
  std::vector<std::byte> process_bytes() const;

  static constexpr std::uint64_t bottom = 0x7e00000000b0;  // beam_normal_exit
  FakeVm memory;
  os::Address process = 0, heap = 0, hend = 0, stop = 0;
  Words stack;  // what lies from `stop` up to `hend`
  std::unique_ptr<beam::VirtualMachine> vm;
  std::unique_ptr<sampling::NativeReader> native;

 private:
  os::Address jit(const std::vector<std::uint8_t>& code);
  os::Address next_jit_ = 0;
};

// A record as the kernel half writes it; bytes() sets the sizes, which a test may then forge.
struct StagedRecord {
  sampling::sample_record record{};
  std::vector<std::byte> process;
  Words native, guessed, top, bottom;

  void set(const os::UserRegisters& registers) {
    std::memcpy(record.registers, registers.value.data(), sizeof record.registers);
  }
  // On the C stack of a normal scheduler.
  void set_c_stack(const StagedVm& vm, os::Address rip, std::uint64_t saved, os::Address return_to);
  void set_process(const StagedVm& vm);
  void set_top(os::Address begin, Words words) {
    record.top_begin = begin;
    top = std::move(words);
  }
  std::vector<std::byte> bytes();
};

}  // namespace beam_exporter::tests
