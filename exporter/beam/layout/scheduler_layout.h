#pragma once

#include <cstdint>

#include "beam/layout/member.h"

// Schedulers and their run queues, part of Layout (OTP 25 and 27). Read by schedulers/,
// layout_check and sampling.
namespace beam_exporter::beam {

// erl_process.h struct ErtsSchedulerData_; the arrays hold ErtsAlignedSchedulerData.
struct SchedulerDataLayout : Struct<"ErtsSchedulerData"> {
  // ErtsSchedulerRegisters*, OTP 24+; JIT: on the thread's own stack.
  Member<os::Address> registers{"registers", Need::optional};
  Member<os::Address> ssi{"ssi"};  // ErtsSchedulerSleepInfo*
  Member<os::Address> current_process{"current_process"};
  Member<os::Address> current_nif{"current_nif"};
  Member<os::Address> current_port{"current_port"};
  Member<os::Address> run_queue{"run_queue"};
  Member<std::uint32_t> type{"type"};
  Member<std::uint64_t> no{"no"}, dirty_no{"dirty_no"};
  Member<std::uint64_t> io_in{"io.in", Need::optional}, io_out{"io.out", Need::optional};
  Member<std::uint32_t> thread_id{"thr_id", Need::optional};  // absent in files of before
  // Of all it ran; moves whenever a process is scheduled out.
  Member<std::uint64_t> reductions{"reductions", Need::optional};
  Member<std::uint64_t> collections{"gc_info.garbage_cols", Need::optional};
  // The second of each since OTP 26; ets_count() and ets_ring() are the one that is there.
  Member<std::int64_t> ets_tables{"ets_tables.count.counter", Need::optional};
  Member<std::int64_t> ets_tables_in_union{"u.ets_tables.count.counter", Need::optional};
  Member<os::Address> ets_list{"ets_tables.clist", Need::optional};
  Member<os::Address> ets_list_in_union{"u.ets_tables.clist", Need::optional};

  const Field<std::int64_t>& ets_count() const {
    return ets_tables.present() ? ets_tables : ets_tables_in_union;
  }
  const Field<os::Address>& ets_ring() const {
    return ets_list.present() ? ets_list : ets_list_in_union;
  }
};

// Only its size matters: the stride of erts_aligned_scheduler_data[].
struct AlignedSchedulerDataLayout : Struct<"ErtsAlignedSchedulerData"> {};

// erl_process.h struct ErtsSchedulerRegisters_.
struct SchedulerRegistersLayout : Struct<"ErtsSchedulerRegisters"> {
  // C called from JIT code runs below this address; JIT flavor only.
  Member<os::Address> runtime_stack{"aux_regs.d.runtime_stack", Need::optional};
};

// erl_process.h struct ErtsSchedulerSleepInfo_.
struct SleepInfoLayout : Struct<"ErtsSchedulerSleepInfo"> {
  Member<std::uint32_t> flags{"flags.counter"};
};

// erl_process.h ErtsRunQueue.
struct RunQueueLayout : Struct<"ErtsRunQueue"> {
  Member<std::uint32_t> length{"len.counter"};
  Member<std::uint64_t> context_switches{"procs.context_switches"};
  Member<std::uint64_t> reductions{"procs.reductions"};
};

// erl_threads.h erts_mtx_t: what stands behind a mutex is found by its size.
struct MutexLayout : Struct<"erts_mtx_t"> {};

}  // namespace beam_exporter::beam
