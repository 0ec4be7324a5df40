#pragma once

#include <cstdint>

#include "beam/layout/member.h"

// What a process is and where it is listed, part of Layout (OTP 25 and 27). Read by processes/,
// code/, schedulers/, process_proof and sampling.
namespace beam_exporter::beam {

// erl_process.h struct process.
struct ProcessLayout : Struct<"Process"> {
  Member<Eterm> id{"common.id"};
  Member<os::Address> reg{"common.u.alive.reg"};  // RegProc*, valid while alive
  Member<os::Address> htop{"htop"}, stop{"stop"}, heap{"heap"}, hend{"hend"};
  // Builds with ERLANG_FRAME_POINTERS.
  Member<os::Address> frame_pointer{"frame_pointer", Need::optional};
  Member<os::Address> i{"i"};              // next instruction when scheduled out
  Member<os::Address> current{"current"};  // const ErtsCodeMFA*
  Member<std::uint64_t> initial_module{"u.initial.module"};
  Member<std::uint64_t> initial_function{"u.initial.function"};
  Member<std::uint64_t> initial_arity{"u.initial.arity"};
  Member<std::uint32_t> state{"state.counter"};
  // ErtsProcSysTask*, null while a dirty scheduler has none to do.
  Member<os::Address> dirty_tasks{"dirty_sys_tasks", Need::optional};
  // Reductions left, as of the last call of C code.
  Member<std::int64_t> fcalls{"fcalls", Need::optional};
  Member<std::uint64_t> heap_words{"heap_sz"};  // of the young heap
  Member<std::uint64_t> fragment_words{"mbuf_sz"};
  Member<os::Address> old_heap{"old_heap"}, old_hend{"old_hend"};
  Member<os::Address> dictionary{"dictionary"};              // ProcDict*, null while empty
  Member<std::uint64_t> reductions{"reds", Need::optional};  // without those of its time slice
  // What process_info's `memory` has besides heaps and messages (process_memory.h).
  Member<os::Address> links{"common.u.alive.links", Need::optional};        // tree
  Member<os::Address> monitors{"common.u.alive.monitors", Need::optional};  // tree
  // Monitors of which this process is the target: a ring.
  Member<os::Address> target_monitors{"common.u.alive.lt_monitors", Need::optional};
  Member<os::Address> abandoned_heap{"abandoned_heap", Need::optional};
  // Where its argument registers are saved, and the array for the first six of them.
  Member<os::Address> saved_registers{"arg_reg", Need::optional};
  Member<Eterm> own_registers{"def_arg_reg", Need::optional};
  Member<std::uint64_t> live_registers{"arity", Need::optional};
  Member<os::Address> specific_data{"psd.counter", Need::optional};  // ErtsPSD*, mostly null
  // Lists of terms with something outside the heap (off_heap_binaries.h).
  Member<os::Address> off_heap{"off_heap.first", Need::optional};
  Member<os::Address> writable_binaries{"wrt_bins", Need::optional};  // 25+
  Member<os::Address> fragments{"mbuf", Need::optional};              // ErlHeapFragment*
  // Fetched messages, OTP <= 26.
  Member<std::int64_t> queue_length{"sig_qs.len", Need::optional};
  // 27+: of the inner queue; behind its last signal.
  Member<std::int64_t> fetched_in_order{"sig_qs.mq_len", Need::optional};
  Member<std::int64_t> fetched{"sig_qs.mlenoffs", Need::optional};
  // Not fetched yet: OTP <= 26; 27+.
  Member<std::int64_t> incoming_length{"sig_inq.len", Need::optional};
  Member<std::int64_t> incoming{"sig_inq.mlenoffs", Need::optional};
  // ErtsMessage** to the first non-message.
  Member<os::Address> fetched_signals{"sig_qs.nmsigs.next", Need::optional};
  Member<os::Address> incoming_signals{"sig_inq.nmsigs.next", Need::optional};
  // ErtsSignalInQueueBufferArray*, 25+.
  Member<os::Address> incoming_buffers{"sig_inq_buffers.counter", Need::optional};
  Member<std::uint32_t> queue_flags{"sig_qs.flags", Need::optional};  // FS_*
  // ErtsMessage*, the first of each queue.
  Member<os::Address> inner_first{"sig_qs.first", Need::optional};
  Member<os::Address> middle_first{"sig_qs.cont", Need::optional};
  Member<os::Address> incoming_first{"sig_inq.first", Need::optional};
};

// erl_ptab.h ErtsPTab (processes and ports).
struct ProcessTableLayout : Struct<"ErtsPTab"> {
  Member<std::uint32_t> count{"vola.tile.count.counter"};  // live elements
  Member<os::Address> tab{"r.o.tab"};
  Member<std::uint32_t> max{"r.o.max"};
  Member<std::uint64_t> pix_mask{"r.o.pix_mask"};
  Member<os::Address> invalid_element{"r.o.invalid_element"};
};

// register.h struct reg_proc.
struct RegisteredLayout : Struct<"RegProc"> {
  Member<Eterm> registered_name{"name"};
};

// erl_process_dict.h ProcDict: a hash of used_slots terms, each a pair, a list of pairs, or nil.
struct DictionaryLayout : Struct<"ProcDict"> {
  Member<std::uint32_t> used_slots{"usedSlots"};
  Member<std::uint32_t> slots{"arraySize", Need::optional};  // that have memory
  Member<Eterm> data{"data"};
};

// erl_process.h ErtsPSD: pointers to rarely used data of a process. Its size matters.
struct SpecificDataLayout : Struct<"ErtsPSD"> {
  Member<os::Address> first{"data", Need::optional};
};

}  // namespace beam_exporter::beam
