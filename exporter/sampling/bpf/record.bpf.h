// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: how a record is filled, from the registers to the ring. Every loop and
// every read has a constant bound.
#pragma once

#include "off_cpu.bpf.h"
#include "shared.bpf.h"

// Keeps clang from proving a bound away that the verifier then cannot see.
#define OPAQUE(value) asm volatile("" : "+r"(value))

// Copies [from, to) behind what is there, at most `most` bytes (a constant); returns how many.
#define APPEND(scratch, at, most_at, from, to, most)                                     \
  ({                                                                                     \
    u64 length_ = (to) > (from) ? (to) - (from) : 0;                                     \
    u64 at_ = (at);                                                                      \
    if (length_ > (most)) length_ = (most);                                              \
    OPAQUE(length_);                                                                     \
    OPAQUE(at_);                                                                         \
    u32 copied_ = 0;                                                                     \
    if (length_ > 0 && length_ <= (most) && at_ <= (most_at)) {                          \
      if (bpf_probe_read_user(&(scratch)->bytes[at_], (u32)length_, (void*)(from)) == 0) \
        copied_ = (u32)length_;                                                          \
      else                                                                               \
        (scratch)->record.flags |= sample_stack_unread;                                  \
    }                                                                                    \
    copied_;                                                                             \
  })

static __always_inline void copy_registers(u64* out, const struct pt_regs* in) {
  out[0] = in->rax, out[1] = in->rdx, out[2] = in->rcx, out[3] = in->rbx;
  out[4] = in->rsi, out[5] = in->rdi, out[6] = in->rbp, out[7] = in->rsp;
  out[8] = in->r8, out[9] = in->r9, out[10] = in->r10, out[11] = in->r11;
  out[12] = in->r12, out[13] = in->r13, out[14] = in->r14, out[15] = in->r15;
  out[16] = in->rip;
}

// The registers of the user state, also when the timer hit the thread inside a system call.
static __always_inline bool user_registers(struct bpf_perf_event_data* ctx,
                                           struct sample_record* record) {
  struct pt_regs user;
  if ((ctx->regs.cs & 3) == 3) {
    // Field by field: the verifier allows no pointer into the context.
    user.r15 = ctx->regs.r15, user.r14 = ctx->regs.r14, user.r13 = ctx->regs.r13;
    user.r12 = ctx->regs.r12, user.rbp = ctx->regs.rbp, user.rbx = ctx->regs.rbx;
    user.r11 = ctx->regs.r11, user.r10 = ctx->regs.r10, user.r9 = ctx->regs.r9;
    user.r8 = ctx->regs.r8, user.rax = ctx->regs.rax, user.rcx = ctx->regs.rcx;
    user.rdx = ctx->regs.rdx, user.rsi = ctx->regs.rsi, user.rdi = ctx->regs.rdi;
    user.rip = ctx->regs.rip, user.rsp = ctx->regs.rsp;
  } else {
    const void* saved = (const void*)bpf_task_pt_regs(bpf_get_current_task_btf());
    if (bpf_probe_read_kernel(&user, sizeof user, saved) != 0) return false;
    record->flags |= sample_in_kernel;
  }
  copy_registers(record->registers, &user);
  return true;
}

static __always_inline void read_scheduler(const struct watched_thread* thread,
                                           struct sample_record* record) {
  const u64 data = thread->scheduler_data;
  if (bpf_probe_read_user(&record->current_process, 8, (void*)(data + vm.current_process)) == 0)
    record->flags |= sample_scheduler;
  record->current_nif = user_word(data + vm.current_nif);
  record->current_port = user_word(data + vm.current_port);
  record->reductions = user_word(data + vm.reductions);
  bpf_probe_read_user(&record->sleep_flags, sizeof record->sleep_flags, (void*)thread->sleep_flags);
}

// A guess at the Erlang stack pointer under C code: rbp as it was at the call is still there, or
// was pushed by the first C functions. Of what they pushed it is the highest pointer into the heap
// block below `below`: live data and the heap top lie further down. User space knows whether it was
// right. Without a branch, which the verifier would follow both ways at every word.
static __always_inline u64 better(u64 best, u64 word, u64 heap, u64 below) {
  const u64 higher = (best - word) >> 63, in_heap = (heap - word) >> 63,
            is_below = (word - below) >> 63;
  const u64 aligned = ((word & 7) - 1) >> 63;
  const u64 mask = -(higher & in_heap & is_below & aligned);
  return (best & ~mask) | (word & mask);
}

// Tells the verifier that a word of the stack's copy is asked for: an offset below 16 KiB, of a
// word.
enum { searched_mask = 16 * 1024 - 8 };
_Static_assert(most_process_bytes + most_native_bytes <= 16 * 1024, "no copy lies behind the mask");

static __always_inline u64 saved_stack_pointer(struct scratch* scratch, u32 native_at, u64 heap,
                                               u64 below) {
  const u32 bytes = scratch->record.native_bytes;
  u64 best = better(0, scratch->record.registers[register_rbp], heap, below);
  u32 from = native_at + (bytes > searched_words * 8 ? bytes - searched_words * 8 : 0);
  OPAQUE(from);
  // Words behind a shorter stack are left over from other samples: a guess may be wrong.
#pragma unroll
  for (int k = 0; k < searched_words; k++)
    best = better(best, *(u64*)&scratch->bytes[(from + k * 8) & searched_mask], heap, below);
  return best;
}

// Everything but the registers, which are there.
static __always_inline void complete(struct scratch* scratch, const struct watched_thread* thread,
                                     struct sample_costs* cost, u64 started) {
  struct sample_record* record = &scratch->record;
  const u64 rsp = record->registers[register_rsp];
  // No kernel tells the stack of a thread that runs when it is asked for: that thread is on it now.
  const u64 stack_high = thread->stack_high || thread->role == role_normal
                             ? thread->stack_high
                             : rsp + most_native_bytes;
  const bool on_own_stack = rsp >= thread->stack_low && rsp < stack_high;
  u32 at = 0, native_at = 0;

  if (thread->role != role_other) read_scheduler(thread, record);
  u64 heap = 0, hend = 0, stop = 0;
  if (record->current_process != 0) {
    const u64 process = record->current_process;
    u32 size = vm.process_size;
    if (size <= most_process_bytes &&
        bpf_probe_read_user(&scratch->bytes[0], size, (void*)process) == 0) {
      record->flags |= sample_process;
      record->process_bytes = size;
      at = size;
      heap = user_word(process + vm.heap);
      hend = user_word(process + vm.hend);
      stop = user_word(process + vm.stop);
    }
  }

  if (on_own_stack) {
    const bool below_jit = thread->role == role_normal && rsp <= thread->runtime_stack;
    const u64 end = below_jit ? thread->runtime_stack : stack_high;
    record->native_begin = rsp;
    native_at = at;
    record->native_bytes = APPEND(scratch, at, most_process_bytes, rsp, end, most_native_bytes);
    // The kernel merges a stack with memory mapped above it: its end may be far behind the
    // outermost frame, where no page has been touched.
    if (record->native_bytes == 0) {
      record->flags &= ~sample_stack_unread;
      record->native_bytes = APPEND(scratch, at, most_process_bytes, rsp,
                                    min((rsp | 4095) + 4097, end), most_native_bytes);
    }
    if (record->native_bytes == 0) {
      record->flags &= ~sample_stack_unread;
      record->native_bytes =
          APPEND(scratch, at, most_process_bytes, rsp, min((rsp | 4095) + 1, end), 4096);
    }
    at += record->native_bytes;
    if (below_jit &&
        bpf_probe_read_user(&record->jit_return, 8, (void*)(thread->runtime_stack - 8)) == 0)
      record->flags |= sample_jit_return;
  }

  if (record->flags & sample_process) {
    const u64 known = (on_own_stack ? stop : rsp) & ~7ULL;
    const bool bounded = known >= heap && known < hend;
    // In the midst of a garbage collection heap and hend are the new ones and the stack is still in
    // the old place: user space finds its end by the mark at the bottom.
    u64 begin = known;
    u64 end = bounded ? hend : known + unbounded_bytes;
    if (bounded && on_own_stack && thread->role == role_normal && !vm.frame_pointers) {
      // C code that was entered without storing the stack pointer: it lies below `stop`. As far as
      // the page that `stop` is in goes it is there to be read; further down only what is in use
      // is.
      const u64 page = known & ~4095ULL;
      begin = page > heap ? page : heap;
      const u64 guess = saved_stack_pointer(scratch, native_at, heap, known + 1);
      if (guess != 0 && guess < begin) {
        record->low_begin = guess;
        record->low_bytes = APPEND(scratch, at, most_process_bytes + most_native_bytes, guess,
                                   begin, most_low_bytes);
        at += record->low_bytes;
      }
    }
    record->young_begin = begin;
    record->young_bytes =
        APPEND(scratch, at, most_process_bytes + most_native_bytes + most_low_bytes, begin, end,
               most_young_bytes);
    at += record->young_bytes;
    const u64 reached = begin + record->young_bytes;
    if (bounded && record->young_bytes != 0 && reached < hend) {
      const u64 old = hend - reached > most_old_bytes ? hend - most_old_bytes : reached;
      record->old_begin = old;
      record->old_bytes = APPEND(
          scratch, at, most_process_bytes + most_native_bytes + most_low_bytes + most_young_bytes,
          old, hend, most_old_bytes);
      at += record->old_bytes;
    }
  }

  u32 code_index = 0;
  bpf_probe_read_user(&code_index, sizeof code_index, (void*)vm.active_code_index);
  // Nobody hurries to fetch what is of its instant already, unless names change or the ring fills.
  const bool hurry =
      code_index != known_code_index || bpf_ringbuf_query(&samples, BPF_RB_AVAIL_DATA) >
                                            bpf_ringbuf_query(&samples, BPF_RB_RING_SIZE) / 4;
  u64 total = sizeof *record + at;
  OPAQUE(total);
  if (total > sizeof *scratch - sizeof scratch->busy) return;
  if (bpf_ringbuf_output(&samples, record, total, hurry ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP) !=
      0) {
    const u32 index = record->thread;
    struct off_cpu_time* time = bpf_map_lookup_elem(&off_cpu, &index);
    if (time) time->lost += record->cpu_time;
    cost->dropped++;
  }
  cost->runs++;
  cost->nanoseconds += bpf_ktime_get_ns() - started;
}

static __always_inline void begin(struct sample_record* record, u64 started, u32 index) {
  __builtin_memset(record, 0, sizeof *record);
  record->time = started;
  record->thread = index;
}
