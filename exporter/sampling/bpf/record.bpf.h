// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: fills a record, from the registers on, and writes it into the ring.
// Every loop and every read has a constant bound.
#pragma once

#include "off_cpu.bpf.h"
#include "shared.bpf.h"

// Prevents clang from removing a check that it finds superfluous, but that the verifier needs to
// see.
#define OPAQUE(value) asm volatile("" : "+r"(value))

// Copies [from, to) to offset `at` of `scratch`, at most `most` bytes (a constant). Returns how
// many.
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

// Reads the user registers, also when the timer interrupted the thread inside a system call.
static __always_inline bool user_registers(struct bpf_perf_event_data* ctx,
                                           struct sample_record* record) {
  struct pt_regs user;
  if ((ctx->regs.cs & 3) == 3) {
    // Field by field: the verifier does not allow a pointer into the context.
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

// Guesses the Erlang stack pointer under C code: it was in rbp (r12 in OTP 24, the interpreter's
// own register without the JIT) at the call, and is still there, or the first C functions have
// pushed it. It is the highest pointer into the heap block below `below` among the pushed words:
// live data and the heap top lie further down. User space checks the guess. There is no branch: the
// verifier would follow both ways at every word.
static __always_inline u64 better_guess(u64 best, u64 word, u64 heap, u64 below) {
  const u64 higher = (best - word) >> 63, in_heap = (heap - word) >> 63,
            is_below = (word - below) >> 63;
  const u64 aligned = ((word & 7) - 1) >> 63;
  const u64 mask = -(higher & in_heap & is_below & aligned);
  return (best & ~mask) | (word & mask);
}

// Under C code only a place in the frame is exact.
static __always_inline u64 interpreter_stack_pointer(const struct sample_record* record,
                                                     const struct watched_thread* thread) {
  const u64 base = record->registers[vm.stack_register & 15];
  if (!vm.stack_in_frame) return base;
  return user_word(thread->stack_word ? thread->stack_word : base + vm.stack_offset);
}

// From there on the Erlang stack is copied where the interpreter may have moved its pointer without
// having stored it in its place: some words, of the same page, because the one below may be
// missing.
static __always_inline u64 below(u64 e, u64 heap) {
  u64 begin = e - moved_bytes > (e & ~4095ULL) ? e - moved_bytes : e & ~4095ULL;
  return begin > heap ? begin : heap;
}

// Tells the verifier that this is the offset of a word in the copied stack: below 16 KiB, and
// aligned.
enum { searched_mask = 16 * 1024 - 8 };
_Static_assert(most_process_bytes + most_native_bytes <= 16 * 1024, "no copy lies behind the mask");

static __always_inline u64 saved_stack_pointer(struct scratch* scratch, u32 native_at, u64 own,
                                               u64 heap, u64 below) {
  const u32 bytes = scratch->record.native_bytes;
  u64 best = better_guess(0, scratch->record.registers[register_rbp], heap, below);
  best = better_guess(best, scratch->record.registers[register_r12], heap, below);
  best = better_guess(best, own, heap, below);
  u32 from = native_at + (bytes > searched_words * 8 ? bytes - searched_words * 8 : 0);
  OPAQUE(from);
  // If the stack is shorter, the words after it are left from other samples: the guess may be
  // wrong.
#pragma unroll
  for (int k = 0; k < searched_words; k++)
    best = better_guess(best, *(u64*)&scratch->bytes[(from + k * 8) & searched_mask], heap, below);
  return best;
}

// Fills everything except the registers, which are filled already, and writes the record into the
// ring.
static __always_inline void fill_record(struct scratch* scratch,
                                        const struct watched_thread* thread,
                                        struct sample_costs* cost, u64 started) {
  struct sample_record* record = &scratch->record;
  const u64 rsp = record->registers[register_rsp];
  // The kernel does not tell the stack of a thread that is running when user space asks. The thread
  // is on that stack now.
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
      const u64 current = record->current_nif != 0 ? user_word(process + vm.current) : 0;
      if (current != 0 &&
          bpf_probe_read_user(record->called, sizeof record->called, (void*)current) == 0)
        record->flags |= sample_called;
    }
  }

  if (on_own_stack) {
    const bool below_erlang = rsp <= thread->runtime_stack;
    const u64 end = !below_erlang       ? stack_high
                    : thread->frame_end ? thread->frame_end
                                        : thread->runtime_stack;
    record->native_begin = rsp;
    native_at = at;
    record->native_bytes = APPEND(scratch, at, most_process_bytes, rsp, end, most_native_bytes);
    // The kernel merges a stack with memory that is mapped above it: `end` may be far above the
    // outermost frame, in pages that were never touched.
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
    if (below_erlang &&
        bpf_probe_read_user(&record->jit_return, 8, (void*)(thread->runtime_stack - 8)) == 0)
      record->flags |= sample_jit_return;
  }

  if (record->flags & sample_process) {
    const u64 e = interpreter_stack_pointer(record, thread);
    // Between two processes and after a collection the register is stale.
    const bool interprets =
        thread->role == role_interpreter &&
        record->registers[register_rip] - vm.interpreter < vm.interpreter_bytes && e >= heap &&
        e < hend;
    const u64 known = (interprets ? e : on_own_stack ? stop : rsp) & ~7ULL;
    const bool bounded = known >= heap && known < hend;
    // During a garbage collection `heap` and `hend` are those of the new heap, and the stack is
    // still in the old one: user space finds its end by the mark at the bottom.
    u64 begin = bounded && interprets && vm.stack_in_frame ? below(known, heap) : known;
    u64 end = bounded ? hend : known + unbounded_bytes;
    if (bounded && on_own_stack && !interprets && !vm.frame_pointers &&
        (thread->role == role_normal || thread->role == role_interpreter)) {
      // Erlang code may have called C code without storing the stack pointer, which is then below
      // `stop`. The rest of the page of `stop` can be read; further down, pages may be missing, so
      // we read only from the guess on.
      const u64 page = known & ~4095ULL;
      begin = page > heap ? page : heap;
      u64 guess = 0;
      if (!vm.stack_in_frame)
        guess = saved_stack_pointer(scratch, native_at, e, heap, known + 1);
      else if (e >= heap && e < begin)
        guess = below(e, heap) & ~7ULL;
      if (guess != 0 && guess < begin) {
        record->guessed_begin = guess;
        record->guessed_bytes = APPEND(scratch, at, most_process_bytes + most_native_bytes, guess,
                                       begin, most_guessed_bytes);
        at += record->guessed_bytes;
      }
    }
    record->top_begin = begin;
    record->top_bytes =
        APPEND(scratch, at, most_process_bytes + most_native_bytes + most_guessed_bytes, begin, end,
               most_top_bytes);
    at += record->top_bytes;
    const u64 reached = begin + record->top_bytes;
    if (bounded && record->top_bytes != 0 && reached < hend) {
      const u64 bottom = hend - reached > most_bottom_bytes ? hend - most_bottom_bytes : reached;
      record->bottom_begin = bottom;
      record->bottom_bytes = APPEND(
          scratch, at, most_process_bytes + most_native_bytes + most_guessed_bytes + most_top_bytes,
          bottom, hend, most_bottom_bytes);
      at += record->bottom_bytes;
    }
  }

  if (vm.kernel_stacks) {
    u64 length = record->kernel_bytes, kernel_at = at;
    record->kernel_bytes = 0;
    OPAQUE(length);
    OPAQUE(kernel_at);
    if (length > 0 && length <= most_kernel_bytes &&
        kernel_at <= sizeof scratch->bytes - most_kernel_bytes &&
        bpf_probe_read_kernel(&scratch->bytes[kernel_at], (u32)length, scratch->kernel) == 0) {
      record->kernel_bytes = (u32)length;
      at += (u32)length;
    }
  }

  u32 code_index = 0;
  bpf_probe_read_user(&code_index, sizeof code_index, (void*)vm.active_code_index);
  // User space need not fetch the record soon, unless names change or the ring fills.
  const bool hurry =
      code_index != known_code_index || bpf_ringbuf_query(&samples, BPF_RB_AVAIL_DATA) >
                                            bpf_ringbuf_query(&samples, BPF_RB_RING_SIZE) / 4;
  u64 total = sizeof *record + at;
  OPAQUE(total);
  if (total > sizeof scratch->record + sizeof scratch->bytes) return;
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

static __always_inline void begin_record(struct sample_record* record, u64 started, u32 index) {
  __builtin_memset(record, 0, sizeof *record);
  record->time = started;
  record->thread = index;
}
