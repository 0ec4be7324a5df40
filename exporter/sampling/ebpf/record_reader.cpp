#include "sampling/ebpf/record_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "beam/allocators/carrier_functions.h"

namespace beam_exporter::sampling {

namespace {

using Register = os::UserRegisters;
static_assert(int{Register::count} == int{sample_registers});
static_assert(int{Register::rbp} == int{register_rbp} && int{Register::rsp} == int{register_rsp});
static_assert(int{Register::r12} == int{register_r12} && int{Register::rdi} == int{register_rdi});

void copy_words(std::span<const std::byte> bytes, std::vector<std::uint64_t>& into) {
  into.resize(bytes.size() / sizeof(std::uint64_t));
  if (into.empty()) return;  // memcpy does not take a null pointer, even for 0 bytes
  std::memcpy(into.data(), bytes.data(), into.size() * sizeof(std::uint64_t));
}

}  // namespace

// The parts of a record; the spans point into the ring.
struct RecordParts {
  sample_record record;
  os::UserRegisters registers;
  std::span<const std::byte> process, native, guessed, top, bottom, kernel;

  elf::StackBytes c_stack() const { return {record.native_begin, native}; }

  bool split(std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof record) return false;
    std::memcpy(&record, bytes.data(), sizeof record);
    std::ranges::copy(record.registers, registers.value.begin());
    bytes = bytes.subspan(sizeof record);
    for (auto [size, part] : {std::pair{record.process_bytes, &process},
                              {record.native_bytes, &native},
                              {record.guessed_bytes, &guessed},
                              {record.top_bytes, &top},
                              {record.bottom_bytes, &bottom},
                              {record.kernel_bytes, &kernel}}) {
      if (size > bytes.size()) return false;
      *part = bytes.first(size);
      bytes = bytes.subspan(size);
    }
    return true;
  }
};

std::optional<RecordHead> head_of(std::span<const std::byte> bytes) {
  sample_record record;
  if (bytes.size() < sizeof record) return std::nullopt;
  std::memcpy(&record, bytes.data(), sizeof record);
  return RecordHead{record.thread, record.new_bytes != 0 &&
                                       record.carrier_function < beam::CarrierFunction::kinds};
}

os::PerfSample as_perf_sample(std::span<const std::byte> bytes) {
  RecordParts parts;
  os::PerfSample seen;
  if (!parts.split(bytes)) return seen;
  seen.time = std::chrono::nanoseconds(parts.record.time);
  seen.has_registers = true;
  seen.registers = parts.registers;
  const os::Address rsp = parts.registers[Register::rsp];
  if (rsp == parts.record.native_begin)
    seen.stack = parts.native;
  else if (rsp == parts.record.top_begin)
    seen.stack = parts.top;
  return seen;
}

std::optional<std::uint64_t> RecordReader::reductions(const sample_record& record) const {
  if (!vm_->layout().scheduler_data.reductions.present()) return std::nullopt;
  return record.reductions;
}

bool RecordReader::read(std::span<const std::byte> bytes, const beam::Scheduler* scheduler,
                        RawSample& out) {
  RecordParts parts;
  if (!parts.split(bytes)) return false;
  out.cpu_time = std::chrono::nanoseconds(parts.record.cpu_time);
  out.in_kernel = (parts.record.flags & sample_in_kernel) != 0;
  copy_words(parts.kernel, out.kernel);
  observe(parts, scheduler, out);
  return true;
}

bool RecordReader::read(std::span<const std::byte> bytes, const beam::Scheduler* scheduler,
                        GrowthEvent& out) {
  RecordParts parts;
  if (!parts.split(bytes)) return false;
  const auto& record = parts.record;
  out.allocator = record.allocator;
  out.bytes =
      beam::carrier_growth(static_cast<beam::CarrierFunction::Kind>(record.carrier_function),
                           record.new_bytes, record.old_bytes, record.carrier_flags);
  observe(parts, scheduler, out);
  return true;
}

void RecordReader::observe(const RecordParts& parts, const beam::Scheduler* scheduler,
                           ObservedThread& out) {
  const auto& record = parts.record;
  out.time = std::chrono::nanoseconds(record.time);
  if ((record.flags & sample_scheduler) != 0)
    out.scheduler = SchedulerFields{record.current_process, record.current_nif, record.current_port,
                                    record.sleep_flags, reductions(record)};
  if ((record.flags & sample_process) != 0)
    out.process = beam::process_from(vm_->layout(), record.current_process, parts.process);
  if ((record.flags & sample_called) != 0)
    out.called = {record.called[0], record.called[1], record.called[2]};
  out.process_unreadable = record.current_process != 0 && !out.process;
  if (!native_->in_erlang_code(scheduler, parts.registers[Register::rip]))
    in_native_code(parts, scheduler, out);
  else if (vm_->interpreter() != nullptr)
    in_interpreter(parts, out);
  else
    in_jit_code(parts, *scheduler, out);
}

void RecordReader::in_interpreter(const RecordParts& parts, ObservedThread& out) {
  const auto found = native_->interpreter()->find(out, parts.registers, parts.c_stack());
  if (!found) return;
  // A process was just scheduled in: its registers are not loaded yet (do_schedule1 in beam_emu.c,
  // OTP 23 and 25). The first instructions after a collection look the same, but are fewer.
  if (found->stored) out.top.instruction = out.process->i;
  take_stack(parts, found->stack, out);
}

void RecordReader::in_jit_code(const RecordParts& parts, const beam::Scheduler& scheduler,
                               ObservedThread& out) {
  const os::Address rip = parts.registers[Register::rip];
  os::Address e = parts.registers[Register::rsp];
  out.top.instruction = rip;
  if (!out.process) return;
  if (vm_->frame_pointers()) out.top.frame_pointer = parts.registers[Register::rbp];
  // Before and after a call of C code the JIT uses the thread's own stack for some instructions.
  if (e == scheduler.runtime_stack) {
    const auto in_register = beam::register_of(native_->where_saved(rip));
    e = in_register ? parts.registers[*in_register] : out.process->stop;
  }
  take_stack(parts, e, out);
}

void RecordReader::in_native_code(const RecordParts& parts, const beam::Scheduler* scheduler,
                                  ObservedThread& out) {
  // The copy may end right below the JIT's return address; that word is also in the record by
  // itself.
  const os::UserRegisters caller = native_->unwind(parts.registers, parts.c_stack(), out);
  if (scheduler == nullptr) return;
  if ((parts.record.flags & sample_jit_return) != 0 && vm_->interpreter() == nullptr)
    out.top.return_to = parts.record.jit_return;
  if (!out.process) return;
  if (const auto e = native_->find_erlang_stack(out, caller, parts.c_stack(), *scheduler))
    take_stack(parts, *e, out);
  else
    out.stack_cut = true;
}

// During a garbage collection `heap` and `hend` are those of the new heap, and the stack is still
// in the old one. The mark at its bottom tells where it ends.
void RecordReader::take_unbounded(const RecordParts& parts, os::Address e,
                                  ObservedThread& out) const {
  out.stack_cut = true;
  if (e != parts.record.top_begin || vm_->stack_bottom() == 0) return;
  out.top_begin = e;
  copy_words(parts.top, out.top_words);
  const auto bottom = std::ranges::find(out.top_words, vm_->stack_bottom());
  out.stack_cut = bottom == out.top_words.end();
  out.top_words.erase(bottom, out.top_words.end());
}

// `top` begins in the page of Process.stop; `guessed` is what the BPF program copied further down,
// where it guessed the stack pointer to be. If `e` is in neither, the stack is unknown: memory that
// is read now would be of another moment.
void RecordReader::take_stack(const RecordParts& parts, os::Address e, ObservedThread& out) const {
  if (!out.process->holds(e)) return take_unbounded(parts, e, out);
  out.top_begin = e;
  // An empty stack, for example of a process that ends: the words that were copied from there
  // belong to something else.
  if (e == out.process->hend) return;
  out.bottom_begin = parts.record.bottom_begin;
  copy_words(parts.bottom, out.bottom_words);
  const auto from = [&](os::Address begin, std::span<const std::byte> part) {
    if (e < begin || e >= begin + part.size()) return false;
    copy_words(part.subspan(e - begin), out.top_words);
    return true;
  };
  if (from(parts.record.top_begin, parts.top)) {
    const os::Address reached = parts.record.top_begin + parts.top.size();
    out.stack_cut = reached < out.process->hend && parts.bottom.empty();
    return;
  }
  const bool guessed = from(parts.record.guessed_begin, parts.guessed);
  // Where `top` has reached the bottom of the stack (`bottom` is empty), the frames between
  // `guessed` and the bottom are missing.
  out.stack_cut = e != out.process->hend && (!guessed || parts.bottom.empty());
}

}  // namespace beam_exporter::sampling
