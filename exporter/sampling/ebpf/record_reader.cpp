#include "sampling/ebpf/record_reader.h"

#include <algorithm>
#include <cstring>

#include "beam/allocators/carrier_functions.h"

namespace beam_exporter::sampling {

namespace {

using Register = os::UserRegisters;
static_assert(int{Register::count} == int{sample_registers});
static_assert(int{Register::rbp} == int{register_rbp} && int{Register::rsp} == int{register_rsp});

void copy_words(std::span<const std::byte> bytes, std::vector<std::uint64_t>& into) {
  into.resize(bytes.size() / sizeof(std::uint64_t));
  if (into.empty()) return;  // memcpy takes no null pointer, even for nothing
  std::memcpy(into.data(), bytes.data(), into.size() * sizeof(std::uint64_t));
}

}  // namespace

// The record taken apart; the spans lie in the ring.
struct RecordParts {
  sample_record record;
  os::UserRegisters registers;
  std::span<const std::byte> process, native, low, young, old;

  bool split(std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof record) return false;
    std::memcpy(&record, bytes.data(), sizeof record);
    std::ranges::copy(record.registers, registers.value.begin());
    bytes = bytes.subspan(sizeof record);
    for (auto [size, part] : {std::pair{record.process_bytes, &process},
                              {record.native_bytes, &native},
                              {record.low_bytes, &low},
                              {record.young_bytes, &young},
                              {record.old_bytes, &old}}) {
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
  return RecordHead{record.thread,
                    record.asked != 0 && record.carrier_function < beam::CarrierFunction::kinds};
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
  else if (rsp == parts.record.young_begin)
    seen.stack = parts.young;
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
                           record.asked, record.had, record.carrier_flags);
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
  out.process_unreadable = record.current_process != 0 && !out.process;
  const bool jit = scheduler != nullptr && scheduler->runtime_stack != 0 &&
                   vm_->in_jit_area(parts.registers[Register::rip]);
  if (jit)
    in_jit_code(parts, *scheduler, out);
  else
    in_native_code(parts, scheduler, out);
}

void RecordReader::in_jit_code(const RecordParts& parts, const beam::Scheduler& scheduler,
                               ObservedThread& out) {
  const os::Address rip = parts.registers[Register::rip];
  os::Address e = parts.registers[Register::rsp];
  out.top.instruction = rip;
  if (!out.process) return;
  if (vm_->frame_pointers()) out.top.frame_pointer = parts.registers[Register::rbp];
  // Around a call of C code the JIT is on the thread's own stack for some instructions.
  if (e == scheduler.runtime_stack)
    e = native_->saved_where(rip) == beam::SavedStackPointer::in_register
            ? parts.registers[Register::rbp]
            : out.process->stop;
  take_stack(parts, e, out);
}

void RecordReader::in_native_code(const RecordParts& parts, const beam::Scheduler* scheduler,
                                  ObservedThread& out) {
  // The copy ends right below the JIT's return address or above it; that word came by itself.
  const os::UserRegisters caller =
      native_->unwind(parts.registers, {parts.record.native_begin, parts.native}, out);
  if (scheduler == nullptr) return;
  if ((parts.record.flags & sample_jit_return) != 0) out.top.return_to = parts.record.jit_return;
  if (!out.process) return;
  if (const auto e = native_->enter_process(out, caller, *scheduler))
    take_stack(parts, *e, out);
  else
    out.stack_cut = true;
}

// In the midst of a garbage collection heap and hend are the new ones and the stack is still in the
// old place: its end is told by the mark at the bottom.
void RecordReader::take_unbounded(const RecordParts& parts, os::Address e,
                                  ObservedThread& out) const {
  out.stack_cut = true;
  if (e != parts.record.young_begin || vm_->stack_bottom() == 0) return;
  out.young_begin = e;
  copy_words(parts.young, out.young_words);
  const auto bottom = std::ranges::find(out.young_words, vm_->stack_bottom());
  out.stack_cut = bottom == out.young_words.end();
  out.young_words.erase(bottom, out.young_words.end());
}

// The copy begins in the page of Process.stop; further down the program has copied where it guessed
// the stack pointer to be. Where it is in neither, nothing is known: what would be read now is
// another moment's.
void RecordReader::take_stack(const RecordParts& parts, os::Address e, ObservedThread& out) const {
  if (!out.process->holds(e)) return take_unbounded(parts, e, out);
  out.young_begin = e;
  // An empty stack, as of a process that ends: what was copied there is somebody else's.
  if (e == out.process->hend) return;
  out.old_begin = parts.record.old_begin;
  copy_words(parts.old, out.old_words);
  const auto from = [&](os::Address begin, std::span<const std::byte> part) {
    if (e < begin || e >= begin + part.size()) return false;
    copy_words(part.subspan(e - begin), out.young_words);
    return true;
  };
  if (from(parts.record.young_begin, parts.young)) {
    const os::Address reached = parts.record.young_begin + parts.young.size();
    out.stack_cut = reached < out.process->hend && parts.old.empty();
    return;
  }
  const bool low = from(parts.record.low_begin, parts.low);
  // Between the guessed part and a bottom that the young part has reached frames are left out.
  out.stack_cut = e != out.process->hend && (!low || parts.old.empty());
}

}  // namespace beam_exporter::sampling
