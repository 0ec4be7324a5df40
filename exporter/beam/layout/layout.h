#pragma once

#include <string>

#include "beam/layout/allocator_layout.h"
#include "beam/layout/code_layout.h"
#include "beam/layout/ets_layout.h"
#include "beam/layout/link_layout.h"
#include "beam/layout/process_layout.h"
#include "beam/layout/queue_layout.h"
#include "beam/layout/scheduler_layout.h"
#include "beam/layout/term_layout.h"

// Where ERTS keeps what we read, as typed offsets. A release is a row of data
// (config/layouts/*.yaml or DWARF), never a branch in code. The headers above say each struct and
// each member once (member.h); the DWARF reader, the YAML reader and writer, and the comparison
// with independent builds all take what they say, as rows.
//
// They cite files of erts/emulator/beam (those of sys/common say so) of OTP 25.2.3 and 27.3.4.1:
//   https://github.com/erlang/otp/blob/OTP-25.2.3/erts/emulator/beam/erl_process.h
//   https://github.com/erlang/otp/blob/OTP-27.3.4.1/erts/emulator/sys/common/erl_mmap.c
namespace beam_exporter::beam {

// In the order of layout files. A struct that is not here is neither read nor written.
struct StructLayouts {
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
  SpecificDataLayout specific_data;
  SignalLayout signal;
  SignalBufferLayout signal_buffer;
  SignalBuffersLayout signal_buffers;
  MessageLayout message;
  HeapFragmentLayout heap_fragment;
  HeapBinaryLayout heap_binary;
  HeapBitsLayout heap_bits;
  SubBitsLayout sub_bits;
  ProcBinLayout proc_bin;
  BinRefLayout bin_ref;
  BinaryLayout binary;
  LinkLayout link;
  DistantLinkLayout distant_link;
  MonitorLayout monitor;
  PlainMonitorLayout plain_monitor;
  ExtendedMonitorLayout extended_monitor;
  SuspendMonitorLayout suspend_monitor;
  MutexLayout mutex;
  EtsTableLayout ets_table;
  AllocatorLayouts allocators;
};

// What a layout must have beside its required members: of these a release has one or the other. The
// text says what is missing; empty when nothing is.
inline std::string missing_alternative(const StructLayouts& layout) {
  const bool name_is_term =
      layout.atom.binary.present() && is_whole(layout.heap_bits) && is_whole(layout.sub_bits);
  if (!layout.atom.text.present() && !name_is_term)
    return "Atom has neither name nor u.bin with ErlHeapBits and ErlSubBits";
  return "";
}

// Everything we know of one build of ERTS. Immutable once made; one per executable file.
struct Layout : StructLayouts {
  std::string otp_release;    // "25"
  std::string erts_version;   // of the build the offsets come from, "13.1.5"
  std::string flavor;         // "jit" or "emu"
  std::string build = "opt";  // Release::build
  std::string arch;           // "x86_64"
  std::string origin;         // "dwarf" or the layout's name, "otp-25-jit"; not part of the YAML

  // Its code is data that a C function interprets, not machine code.
  bool interpreted() const { return flavor == "emu"; }
};

}  // namespace beam_exporter::beam
