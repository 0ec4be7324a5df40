/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only */
#pragma once

#ifdef __cplusplus
namespace beam_exporter::sampling {
#endif

/* What the kernel half of the eBPF source and its user half say to each other; plain C, both sides
 * include it. */

enum {
  sample_registers = 17, /* rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip: os::UserRegisters' order */
  register_rbp = 6,
  register_rsp = 7,
  most_process_bytes = 1024,
  most_native_bytes = 8 * 1024,
  most_old_bytes = 8 * 1024,
  /* From a stack pointer that was guessed far below Process.stop. */
  most_low_bytes = 4 * 1024,
  /* C stack words next to the JIT that are searched for it. */
  searched_words = 64,
  /* Of a stack whose end is not known: what lies within a page mostly is there to be read. */
  unbounded_bytes = 2 * 1024,
  most_young_bytes = 8 * 1024,
  most_threads = 4096,
};

enum thread_role {
  role_normal = 0, /* a normal scheduler of the JIT: runtime_stack is set */
  role_dirty = 1,
  role_other = 2, /* executes no processes */
};

/* What differs from VM to VM. */
struct vm_places {
  unsigned int current_process, current_nif, current_port, reductions; /* in ErtsSchedulerData */
  unsigned int process_size, heap, hend, stop;                         /* of and in Process */
  unsigned int frame_pointers;                                         /* Erlang frames keep them */
  unsigned long long active_code_index;                                /* address */
  unsigned long long pid_namespace_device, pid_namespace_inode;
  unsigned int pid_inside;   /* the VM's own, in that namespace */
  unsigned long long period; /* ns of a thread's CPU time from one sample to the next */
};

/* One watched thread; the attach cookie is its index. */
struct watched_thread {
  unsigned long long scheduler_data;
  unsigned long long sleep_flags; /* address of ErtsSchedulerSleepInfo.flags */
  unsigned long long runtime_stack;
  unsigned long long stack_low, stack_high; /* the thread's own stack */
  unsigned int role;
  unsigned int unused;
};

enum sample_flags {
  sample_in_kernel = 1,     /* the thread was in a system call */
  sample_scheduler = 2,     /* the scheduler's fields could be read */
  sample_process = 4,       /* a process struct follows */
  sample_jit_return = 8,    /* jit_return could be read */
  sample_stack_unread = 16, /* a stack there was could not be read (not resident) */
};

/* A record: this, then process_bytes, native_bytes, low_bytes, young_bytes and old_bytes of memory:
 * the last three of the Erlang stack. */
struct sample_record {
  unsigned long long time;     /* CLOCK_MONOTONIC, ns */
  unsigned long long cpu_time; /* of the thread, that it stands for; ns */
  unsigned long long registers[sample_registers];
  unsigned long long current_process, current_nif, current_port, reductions;
  unsigned long long jit_return; /* the word below runtime_stack */
  unsigned long long native_begin, low_begin, young_begin, old_begin;
  unsigned int sleep_flags;
  unsigned int thread; /* index of the watched_thread */
  unsigned int flags;
  unsigned int process_bytes, native_bytes, low_bytes, young_bytes, old_bytes;
  unsigned int carrier_flags; /* as the function was given them */
  /* Of a carrier that is asked for, or is to be resized: the Allctr_t that asks, for how many
   * bytes, what there are now, and by which function; else all 0. */
  unsigned long long allocator, asked, had, carrier_function;
};

/* The functions that get carriers, by what they are given; the attach cookie. As
 * beam::CarrierFunction::Kind, which says more. */
enum carrier_function_kind {
  carrier_segment_alloc = 0,   /* (Allctr_t *, Uint *size, Uint flags) */
  carrier_system_alloc = 1,    /* (Allctr_t *, Uint *size, int) */
  carrier_segment_realloc = 2, /* (Allctr_t *, void *, Uint old, Uint *size) */
  carrier_system_realloc = 3,  /* (Allctr_t *, void *, Uint *size, Uint old, int) */
};

/* What samples cannot tell of a watched thread, in ns since it is watched: time that it was not on
 * a CPU in the midst of work (preempted, or blocked by a lock or a device), by what kind of work as
 * far as the scheduler tells, or while it spun (preempted); sleep is not in here. And time on a CPU
 * that it spun and that was too short to be sampled. */
struct off_cpu_time {
  unsigned long long working, in_port, in_nif, spinning, spun;
  unsigned long long lost; /* on a CPU, in samples that were lost */
  /* When it last left its CPU, CLOCK_MONOTONIC; what it had run till then; how. */
  unsigned long long left_at, run_time, involuntary;
  unsigned int left; /* enum left_cpu */
  unsigned int unused;
};

/* A thread on the tick source's clock: since when it is on a CPU (CLOCK_MONOTONIC; 0: it is not, or
 * was not seen yet), and how long it had run in all at its last sample and will have at its next.
 */
struct thread_clock {
  unsigned long long on_cpu_since, sampled, due;
};

enum left_cpu {
  left_unknown = 0,
  left_to_sleep = 1,
  left_working = 2,
  left_in_port = 3,
  left_in_nif = 4,
  left_spinning = 5
};

/* Sums over all samples, one row per CPU. */
struct sample_costs {
  unsigned long long runs;
  unsigned long long nanoseconds; /* spent in the program */
  unsigned long long dropped;     /* ring full */
  unsigned long long missed;      /* due, and nothing looked at the thread while it ran */
};

#ifdef __cplusplus
}  // namespace beam_exporter::sampling
#endif
