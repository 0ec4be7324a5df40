#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "beam/layout/allocator_layout.h"
#include "beam/layout/field.h"
#include "beam/layout/queue_layout.h"
#include "os/address.h"

// Where ERTS keeps what we read, as typed offsets. A release is a row of data
// (config/layouts/*.yaml or DWARF), never a branch in code. Each struct lists its members once, in
// fields(); the DWARF reader, the YAML reader and writer, and the comparison with independent
// builds all walk that one list.
namespace beam_exporter::beam {

// erts/emulator/beam/erl_process.h struct process (OTP 25, 27).
struct ProcessLayout {
  static constexpr std::string_view name = "Process";
  std::uint32_t size = 0;
  Field<Eterm> id;
  Field<os::Address> reg;  // RegProc*, valid while alive
  Field<os::Address> htop, stop, heap, hend;
  Field<os::Address> frame_pointer;
  Field<os::Address> i;        // next instruction when scheduled out
  Field<os::Address> current;  // const ErtsCodeMFA*
  Field<std::uint64_t> initial_module, initial_function, initial_arity;
  Field<std::uint32_t> state;
  Field<os::Address> dirty_tasks;  // ErtsProcSysTask*, null while a dirty scheduler has none to do
  Field<std::int64_t> fcalls;      // reductions left, as of the last call of C code
  Field<std::uint64_t> heap_words, fragment_words;  // young heap; heap fragments
  Field<os::Address> old_heap, old_hend;
  Field<os::Address> dictionary;                         // ProcDict*, null while empty
  Field<std::int64_t> queue_length;                      // OTP <= 25: fetched messages
  Field<std::int64_t> fetched_in_order, fetched;         // 26+: inner queue; behind its last signal
  Field<std::int64_t> incoming_length, incoming;         // not fetched yet: OTP <= 25; 26+
  Field<os::Address> fetched_signals, incoming_signals;  // ErtsMessage** to the first non-message
  Field<os::Address> incoming_buffers;                   // ErtsSignalInQueueBufferArray*, 25+
  Field<std::uint32_t> queue_flags;                      // FS_*
  Field<os::Address> inner_first, middle_first, incoming_first;  // ErtsMessage*

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("common.id", self.id, Need::required);
    visit("common.u.alive.reg", self.reg, Need::required);
    visit("htop", self.htop, Need::required);
    visit("stop", self.stop, Need::required);
    visit("heap", self.heap, Need::required);
    visit("hend", self.hend, Need::required);
    visit("frame_pointer", self.frame_pointer,
          Need::optional);  // builds with ERLANG_FRAME_POINTERS
    visit("i", self.i, Need::required);
    visit("current", self.current, Need::required);
    visit("u.initial.module", self.initial_module, Need::required);
    visit("u.initial.function", self.initial_function, Need::required);
    visit("u.initial.arity", self.initial_arity, Need::required);
    visit("state.counter", self.state, Need::required);
    visit("dirty_sys_tasks", self.dirty_tasks, Need::optional);
    visit("fcalls", self.fcalls, Need::optional);
    visit("heap_sz", self.heap_words, Need::required);
    visit("mbuf_sz", self.fragment_words, Need::required);
    visit("old_heap", self.old_heap, Need::required);
    visit("old_hend", self.old_hend, Need::required);
    visit("dictionary", self.dictionary, Need::required);
    visit("sig_qs.len", self.queue_length, Need::optional);
    visit("sig_qs.mq_len", self.fetched_in_order, Need::optional);
    visit("sig_qs.mlenoffs", self.fetched, Need::optional);
    visit("sig_inq.len", self.incoming_length, Need::optional);
    visit("sig_inq.mlenoffs", self.incoming, Need::optional);
    visit("sig_qs.nmsigs.next", self.fetched_signals, Need::optional);
    visit("sig_inq.nmsigs.next", self.incoming_signals, Need::optional);
    visit("sig_inq_buffers.counter", self.incoming_buffers, Need::optional);
    visit("sig_qs.flags", self.queue_flags, Need::optional);
    visit("sig_qs.first", self.inner_first, Need::optional);
    visit("sig_qs.cont", self.middle_first, Need::optional);
    visit("sig_inq.first", self.incoming_first, Need::optional);
  }
};

// erl_process.h struct ErtsSchedulerData_; the arrays hold ErtsAlignedSchedulerData.
struct SchedulerDataLayout {
  static constexpr std::string_view name = "ErtsSchedulerData";
  std::uint32_t size = 0;
  Field<os::Address> registers;  // ErtsSchedulerRegisters*: JIT: on the thread's own stack
  Field<os::Address> ssi;        // ErtsSchedulerSleepInfo*
  Field<os::Address> current_process, current_nif, current_port, run_queue;
  Field<std::uint32_t> type;
  Field<std::uint64_t> no, dirty_no;
  Field<std::uint64_t> io_in, io_out, collections;
  Field<std::uint64_t> reductions;  // of all it ran; moves whenever a process is scheduled out
  Field<std::int64_t> ets_tables, ets_tables_in_union;  // the second in OTP 27

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("registers", self.registers, Need::optional);  // OTP 24+
    visit("ssi", self.ssi, Need::required);
    visit("current_process", self.current_process, Need::required);
    visit("current_nif", self.current_nif, Need::required);
    visit("current_port", self.current_port, Need::required);
    visit("run_queue", self.run_queue, Need::required);
    visit("type", self.type, Need::required);
    visit("no", self.no, Need::required);
    visit("dirty_no", self.dirty_no, Need::required);
    visit("io.in", self.io_in, Need::optional);
    visit("io.out", self.io_out, Need::optional);
    visit("reductions", self.reductions, Need::optional);
    visit("gc_info.garbage_cols", self.collections, Need::optional);
    visit("ets_tables.count.counter", self.ets_tables, Need::optional);
    visit("u.ets_tables.count.counter", self.ets_tables_in_union, Need::optional);
  }
};

// Only its size matters: the stride of erts_aligned_scheduler_data[].
struct AlignedSchedulerDataLayout {
  static constexpr std::string_view name = "ErtsAlignedSchedulerData";
  std::uint32_t size = 0;
  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

// erl_process.h struct ErtsSchedulerRegisters_.
struct SchedulerRegistersLayout {
  static constexpr std::string_view name = "ErtsSchedulerRegisters";
  std::uint32_t size = 0;
  Field<os::Address> runtime_stack;  // C called from JIT code runs below this address

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("aux_regs.d.runtime_stack", self.runtime_stack, Need::optional);  // JIT flavor only
  }
};

// erl_process.h struct ErtsSchedulerSleepInfo_.
struct SleepInfoLayout {
  static constexpr std::string_view name = "ErtsSchedulerSleepInfo";
  std::uint32_t size = 0;
  Field<std::uint32_t> flags;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("flags.counter", self.flags, Need::required);
  }
};

// erl_ptab.h ErtsPTab (processes and ports).
struct ProcessTableLayout {
  static constexpr std::string_view name = "ErtsPTab";
  std::uint32_t size = 0;
  Field<std::uint32_t> count;  // live elements
  Field<os::Address> tab;
  Field<std::uint32_t> max;
  Field<std::uint64_t> pix_mask;
  Field<os::Address> invalid_element;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("vola.tile.count.counter", self.count, Need::required);
    visit("r.o.tab", self.tab, Need::required);
    visit("r.o.max", self.max, Need::required);
    visit("r.o.pix_mask", self.pix_mask, Need::required);
    visit("r.o.invalid_element", self.invalid_element, Need::required);
  }
};

// register.h struct reg_proc.
struct RegisteredLayout {
  static constexpr std::string_view name = "RegProc";
  std::uint32_t size = 0;
  Field<Eterm> registered_name;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("name", self.registered_name, Need::required);
  }
};

// index.h IndexTable.
struct IndexTableLayout {
  static constexpr std::string_view name = "IndexTable";
  std::uint32_t size = 0;
  Field<os::Address> table_name;  // char* in the rodata of the executable
  Field<std::uint32_t> limit, entries;
  Field<os::Address> seg_table;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("htable.name", self.table_name, Need::required);
    visit("limit", self.limit, Need::required);
    visit("entries", self.entries, Need::required);
    visit("seg_table", self.seg_table, Need::required);
  }
};

// atom.h Atom.
struct AtomLayout {
  static constexpr std::string_view name = "Atom";
  std::uint32_t size = 0;
  Field<std::uint32_t> index;
  Field<std::uint16_t> length;  // bytes
  Field<os::Address> text;      // UTF-8, not terminated

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("slot.index", self.index, Need::required);
    visit("len", self.length, Need::required);
    visit("name", self.text, Need::required);
  }
};

// beam_code.h BeamCodeHeader.
struct CodeHeaderLayout {
  static constexpr std::string_view name = "BeamCodeHeader";
  std::uint32_t size = 0;
  Field<std::uint64_t> num_functions;
  Field<os::Address> line_table, md5, functions;  // functions: the array begins here

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("num_functions", self.num_functions, Need::required);
    visit("line_table", self.line_table, Need::optional);
    visit("md5_ptr", self.md5, Need::required);
    visit("functions", self.functions, Need::required);
  }
};

// code_ix.h ErtsCodeInfo: the header in front of every function's code.
struct CodeInfoLayout {
  static constexpr std::string_view name = "ErtsCodeInfo";
  std::uint32_t size = 0;
  Field<Eterm> module, function;
  Field<std::uint64_t> arity;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("mfa.module", self.module, Need::required);
    visit("mfa.function", self.function, Need::required);
    visit("mfa.arity", self.arity, Need::required);
  }
};

// beam_code.h BeamCodeLineTab_. Only source_line needs it.
struct LineTableLayout {
  static constexpr std::string_view name = "BeamCodeLineTab_";
  std::uint32_t size = 0;
  Field<os::Address> file_names;  // Eterm[], indexed by the file part of a location
  Field<std::uint32_t> location_size;
  Field<os::Address> locations;  // Uint16[] or Uint32[] by location_size
  Field<os::Address> functions;  // the array of per-function pointers begins here

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("fname_ptr", self.file_names, Need::optional);
    visit("loc_size", self.location_size, Need::optional);
    visit("loc_tab", self.locations, Need::optional);
    visit("func_tab", self.functions, Need::optional);
  }
};

// beam_ranges.c struct ranges and Range.
struct RangesLayout {
  static constexpr std::string_view name = "ranges";
  std::uint32_t size = 0;
  Field<os::Address> modules;
  Field<std::int64_t> count, allocated;
  Field<os::Address> mid;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("modules", self.modules, Need::required);
    visit("n", self.count, Need::required);
    visit("allocated", self.allocated, Need::required);
    visit("mid.counter", self.mid, Need::required);
  }
};

struct RangeLayout {
  static constexpr std::string_view name = "Range";
  std::uint32_t size = 0;
  Field<os::Address> start, end;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("start", self.start, Need::required);
    visit("end.counter", self.end, Need::required);
  }
};

// Everything we know of one build of ERTS. Immutable once made; one per executable file.
struct Layout {
  std::string otp_release;   // "25"
  std::string erts_version;  // of the build the offsets come from, "13.1.5"
  std::string flavor;        // "jit" or "emu"
  std::string arch;          // "x86_64"
  std::string origin;        // "dwarf" or the layout's name, "otp-25-jit"; not part of the YAML

  ProcessLayout process;
  SchedulerDataLayout scheduler_data;
  AlignedSchedulerDataLayout aligned_scheduler_data;
  SchedulerRegistersLayout scheduler_registers;
  SleepInfoLayout sleep_info;
  ProcessTableLayout process_table;
  RegisteredLayout registered;
  IndexTableLayout index_table;
  AtomLayout atom;
  CodeHeaderLayout code_header;
  CodeInfoLayout code_info;
  LineTableLayout line_table;
  RangesLayout ranges;
  RangeLayout range;
  RunQueueLayout run_queue;
  DictionaryLayout dictionary;
  SignalLayout signal;
  SignalBufferLayout signal_buffer;
  SignalBuffersLayout signal_buffers;
  MessageLayout message;
  HeapFragmentLayout heap_fragment;
  HeapBinaryLayout heap_binary;
  MutexLayout mutex;
  AllocatorLayouts allocators;

  template <class Self, class Visit>
  static void structs(Self& self, Visit&& visit) {
    visit(self.process);
    visit(self.scheduler_data);
    visit(self.aligned_scheduler_data);
    visit(self.scheduler_registers);
    visit(self.sleep_info);
    visit(self.process_table);
    visit(self.registered);
    visit(self.index_table);
    visit(self.atom);
    visit(self.code_header);
    visit(self.code_info);
    visit(self.line_table);
    visit(self.ranges);
    visit(self.range);
    visit(self.run_queue);
    visit(self.dictionary);
    visit(self.signal);
    visit(self.signal_buffer);
    visit(self.signal_buffers);
    visit(self.message);
    visit(self.heap_fragment);
    visit(self.heap_binary);
    visit(self.mutex);
    AllocatorLayouts::structs(self.allocators, visit);
  }
};

}  // namespace beam_exporter::beam
