#include "sampling/perf/remote_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "beam/layout/remote_struct.h"
#include "os/monotonic_clock.h"

namespace beam_exporter::sampling {

namespace {

using Register = os::UserRegisters;

// How much is taken of the top and of the bottom of a deep Erlang stack: a bound for the work of a
// sample.
constexpr std::uint64_t window_bytes = std::uint64_t{16} * 1024;

// The word at `address` in the stack that the kernel copied, if the copy reaches that far.
std::optional<std::uint64_t> copied_word(const os::PerfSample& seen, os::Address address) {
  const os::Address begin = seen.registers[Register::rsp];
  if (address < begin || address - begin > seen.stack.size() ||
      seen.stack.size() - (address - begin) < sizeof(std::uint64_t))
    return std::nullopt;
  std::uint64_t word = 0;
  std::memcpy(&word, seen.stack.data() + (address - begin), sizeof word);
  return word;
}

elf::KnownRegisters known_in(const os::PerfSample& seen) {
  return seen.only_place ? elf::KnownRegisters::only_place : elf::KnownRegisters::all;
}

}  // namespace

void RemoteReader::complete(const os::PerfSample& seen, const beam::Scheduler* scheduler,
                            ObservedThread& out) {
  out.time = seen.time;
  if (!native_->in_erlang_code(scheduler, seen.registers[Register::rip]))
    in_native_code(seen, scheduler, out);
  else if (vm_->interpreter() != nullptr)
    in_interpreter(seen, *scheduler, out);
  else
    in_jit_code(seen, *scheduler, out);
  out.read_delay = std::max(std::chrono::nanoseconds(0), os::monotonic_now() - seen.time);
}

// r13 is c_p and rsp is the Erlang stack pointer (jit/x86/beam_asm.hpp, OTP 25 and 27). Both, and
// the stack that the kernel copied from rsp, are of the sampled instant.
void RemoteReader::in_jit_code(const os::PerfSample& seen, const beam::Scheduler& scheduler,
                               ObservedThread& out) {
  const os::Address rip = seen.registers[Register::rip], rsp = seen.registers[Register::rsp];
  out.top.instruction = rip;
  if (vm_->frame_pointers()) out.top.frame_pointer = seen.registers[Register::rbp];
  out.process = beam::read_process(vm_->layout(), vm_->memory(), seen.registers[Register::r13]);
  out.process_unreadable = !out.process;
  if (rsp != scheduler.runtime_stack) return take_copied_stack(seen, out);
  // Before and after a call of C code the JIT uses the thread's own stack for some instructions.
  if (!out.process) return;
  const auto in_register = beam::register_of(native_->where_saved(rip));
  read_stack(in_register ? seen.registers[*in_register] : out.process->stop, out);
}

// The instruction and the stack pointer are of the sampled instant. The process and the words of
// its stack are read later. If it does not hold the stack pointer, it is another one, or a garbage
// collection has moved its heap.
void RemoteReader::in_interpreter(const os::PerfSample& seen, const beam::Scheduler& scheduler,
                                  ObservedThread& out) {
  read_executed(scheduler, out);
  const auto found = native_->interpreter()->find(
      out, seen.registers, {seen.registers[Register::rsp], seen.stack}, known_in(seen));
  if (!found) return;
  if (found->stored)
    out.stack_cut = true;
  else
    read_stack(found->stack, out);
}

// C code. Its frames are of the sampled instant. So is, on a normal scheduler, the address that it
// returns to in JIT code: the word below the runtime stack. The process that it works for is read
// later.
void RemoteReader::in_native_code(const os::PerfSample& seen, const beam::Scheduler* scheduler,
                                  ObservedThread& out) {
  const elf::StackBytes copied{seen.registers[Register::rsp], seen.stack};
  const os::UserRegisters caller = native_->unwind(seen.registers, copied, out, known_in(seen));
  if (scheduler == nullptr) return;
  if (scheduler->runtime_stack != 0)
    out.top.return_to = copied_word(seen, scheduler->runtime_stack - sizeof(std::uint64_t));
  read_executed(*scheduler, out);
  if (!out.process) return;
  if (out.scheduler->current_nif != 0) drop_torn_reductions(*scheduler, *out.scheduler);
  if (const auto e = native_->find_erlang_stack(out, caller, copied, *scheduler, known_in(seen)))
    read_stack(*e, out);
  else
    out.stack_cut = true;
}

void RemoteReader::read_executed(const beam::Scheduler& scheduler, ObservedThread& out) const {
  out.scheduler = read_scheduler(scheduler);
  if (!out.scheduler || out.scheduler->current_process == 0) return;
  out.process = beam::read_process(vm_->layout(), vm_->memory(), out.scheduler->current_process);
  out.process_unreadable = !out.process;
}

// A NIF call may end between two reads. Counters of two calls together would look like one call
// that lasts (NifHolds).
void RemoteReader::drop_torn_reductions(const beam::Scheduler& scheduler,
                                        SchedulerFields& fields) const {
  const auto again = read_scheduler(scheduler);
  if (!again || again->reductions != fields.reductions ||
      again->current_nif != fields.current_nif || again->current_process != fields.current_process)
    fields.reductions.reset();
}

std::optional<SchedulerFields> RemoteReader::read_scheduler(
    const beam::Scheduler& scheduler) const {
  const auto& at = vm_->layout().scheduler_data;
  SchedulerFields fields;
  std::uint64_t reductions = 0;
  std::vector<os::ReadRequest> requests = {
      {at.current_process.at(scheduler.data), os::bytes_of(fields.current_process)},
      {at.current_nif.at(scheduler.data), os::bytes_of(fields.current_nif)},
      {at.current_port.at(scheduler.data), os::bytes_of(fields.current_port)},
      {scheduler.sleep_flags, os::bytes_of(fields.sleep_flags)},
  };
  if (at.reductions.present())
    requests.push_back({at.reductions.at(scheduler.data), os::bytes_of(reductions)});
  vm_->memory().read_batch(requests);
  if (!std::ranges::all_of(requests, &os::ReadRequest::ok)) return std::nullopt;
  if (at.reductions.present()) fields.reductions = reductions;
  return fields;
}

// Takes the copied words up to the bottom of the stack. Where the copy does not reach the bottom,
// the bottom is read now, later than the sample.
void RemoteReader::take_copied_stack(const os::PerfSample& seen, ObservedThread& out) const {
  out.top_begin = seen.registers[Register::rsp];
  out.stack_cut =
      out.top_begin % sizeof(std::uint64_t) != 0 || seen.stack.size() < sizeof(std::uint64_t);
  if (out.stack_cut) return;
  out.top_words.resize(seen.stack.size() / sizeof(std::uint64_t));
  std::memcpy(out.top_words.data(), seen.stack.data(),
              out.top_words.size() * sizeof(std::uint64_t));
  const auto bottom = std::ranges::find(out.top_words, vm_->stack_bottom());
  if (bottom != out.top_words.end()) {
    out.top_words.erase(bottom, out.top_words.end());
    return;
  }
  // If a garbage collection has moved the heap since the sample, the heap does not hold the stack
  // pointer any more.
  out.stack_cut = !out.process || !out.process->holds(out.top_begin);
  if (!out.stack_cut) read_bottom(out);
}

void RemoteReader::read_stack(os::Address e, ObservedThread& out) const {
  out.stack_cut = !out.process->holds(e);
  if (out.stack_cut) return;
  out.top_begin = e;
  read_words(e, std::min(out.process->hend, e + window_bytes), out.top_words);
  read_bottom(out);
}

void RemoteReader::read_bottom(ObservedThread& out) const {
  const os::Address hend = out.process->hend;
  const os::Address reached = out.top_begin + out.top_words.size() * sizeof(std::uint64_t);
  if (reached >= hend) return;
  out.bottom_begin = std::max(reached, hend - std::min(hend, window_bytes));
  read_words(out.bottom_begin, hend, out.bottom_words);
  out.stack_cut = out.bottom_words.empty();
}

void RemoteReader::read_words(os::Address begin, os::Address end,
                              std::vector<std::uint64_t>& into) const {
  into.resize((end - begin) / 8);
  if (!vm_->memory().read(begin, std::as_writable_bytes(std::span(into)))) into.clear();
}

}  // namespace beam_exporter::sampling
