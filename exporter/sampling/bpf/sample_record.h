/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only */
#pragma once

#ifdef __cplusplus
namespace beam_exporter::sampling {
#endif

/* The structs that the BPF program and user space exchange; plain C, because both include it. */

enum {
  sample_registers = 17, /* rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip: os::UserRegisters' order */
  register_rdi = 5,
  register_rbp = 6,
  register_r12 = 12,
  register_rsp = 7,
  register_rip = 16,
  most_process_bytes = 1024,
  most_native_bytes = 8 * 1024,
  most_bottom_bytes = 8 * 1024,
  /* From the guessed stack pointer on, where it is far below Process.stop. */
  most_guessed_bytes = 4 * 1024,
  /* How far below its known place the Erlang stack of an interpreter may have grown. */
  moved_bytes = 512,
  /* How many words of the C stack, next to the JIT's frame, are searched for the guess. */
  searched_words = 64,
  /* Of a stack whose end is not known: memory near the stack pointer is mostly mapped. */
  unbounded_bytes = 2 * 1024,
  most_top_bytes = 8 * 1024,
  most_kernel_bytes = 64 * 8, /* addresses: the innermost of a kernel stack */
  most_threads = 4096,
  /* A sample stands for at most this many periods; CPU time beyond that is counted as lost. */
  most_periods = 16,
};

enum thread_role {
  role_normal = 0, /* a normal scheduler of the JIT: runtime_stack is set */
  role_dirty = 1,
  role_other = 2,       /* executes no processes */
  role_interpreter = 3, /* a normal scheduler without the JIT */
};

/* The offsets and addresses that differ from VM to VM. */
struct vm_places {
  unsigned int current_process, current_nif, current_port, reductions; /* in ErtsSchedulerData */
  unsigned int process_size, heap, hend, stop, current;                /* of and in Process */
  unsigned int frame_pointers;                                         /* Erlang frames have them */
  unsigned long long active_code_index;                                /* address */
  unsigned long long interpreter, interpreter_bytes; /* process_main; 0, 0 with the JIT */
  /* Its Erlang stack pointer: the register, or the word at the register + stack_offset. With the
   * JIT: rbp, in which OTP 25 and later save theirs. */
  unsigned int stack_register, stack_in_frame;
  long long stack_offset;
  unsigned long long pid_namespace_device, pid_namespace_inode;
  unsigned int pid_inside;    /* the VM's pid in that namespace */
  unsigned long long period;  /* ns of a thread's CPU time from one sample to the next */
  unsigned int kernel_stacks; /* whether a sample of an event carries them */
};

/* One watched thread. The attach cookie of its events is its index. */
struct watched_thread {
  unsigned long long scheduler_data;
  unsigned long long sleep_flags; /* address of ErtsSchedulerSleepInfo.flags */
  /* C code that Erlang code has called is below it. 0 where that is not known. */
  unsigned long long runtime_stack;
  unsigned long long stack_low, stack_high; /* the thread's own stack */
  /* Of an interpreter that keeps its places in its frame: where the Erlang stack pointer is, and
   * how far the frame is copied. 0 until known. */
  unsigned long long stack_word, frame_end;
  unsigned int role;
  unsigned int unused;
};

enum sample_flags {
  sample_in_kernel = 1,     /* the thread was in a system call */
  sample_scheduler = 2,     /* the scheduler's fields could be read */
  sample_process = 4,       /* the record has the process struct */
  sample_jit_return = 8,    /* jit_return could be read */
  sample_called = 32,       /* `called` could be read */
  sample_stack_unread = 16, /* a part of a stack could not be read (not resident) */
};

/* A record: this struct, followed by six pieces of memory: the process struct, the C stack, of the
 * Erlang stack the part at the guessed stack pointer, the top and the bottom, and addresses in the
 * kernel. The ..._bytes are their sizes, the ..._begin their addresses. */
struct sample_record {
  unsigned long long time;     /* CLOCK_MONOTONIC, ns */
  unsigned long long cpu_time; /* ns of the thread's CPU time that it stands for */
  unsigned long long registers[sample_registers];
  unsigned long long current_process, current_nif, current_port, reductions;
  unsigned long long jit_return; /* the word below runtime_stack, with the JIT */
  /* Of a thread in a NIF: the ErtsCodeMFA at Process.current. The VM writes another name there when
   * a dirty NIF ends (erts_call_dirty_nif, beam/erl_nif.c, OTP 25 and 27). */
  unsigned long long called[3];
  unsigned long long native_begin, guessed_begin, top_begin, bottom_begin;
  unsigned int sleep_flags;
  unsigned int thread; /* index of the watched_thread */
  unsigned int flags;
  unsigned int process_bytes, native_bytes, guessed_bytes, top_bytes, bottom_bytes;
  unsigned int kernel_bytes;
  unsigned int carrier_flags; /* argument `flags` of the function */
  /* When a carrier is made or resized: its Allctr_t, its size after and before in bytes, and the
   * function (carrier_function_kind); else all 0. */
  unsigned long long allocator, new_bytes, old_bytes, carrier_function;
};

/* The functions that get carriers, by their arguments; also, with carrier_behind, the attach
 * cookie. The values of beam::CarrierFunction::Kind. */
enum carrier_function_kind {
  carrier_segment_alloc = 0,   /* (Allctr_t *, Uint *size, Uint flags) */
  carrier_system_alloc = 1,    /* (Allctr_t *, Uint *size, int) */
  carrier_segment_realloc = 2, /* (Allctr_t *, void *, Uint old, Uint *size) */
  carrier_system_realloc = 3,  /* (Allctr_t *, void *, Uint *size, Uint old, int) */
};

/* It is called by a function of that kind. Those for segments have another first argument instead
 * of the Allctr_t, the others have a variant with an alignment, which is not 0:
 *   system_alloc    (0, void *, Uint size)         (Uint alignment, Uint size)
 *   system_realloc  (0, void *, void *, Uint size) (Uint alignment, void *, Uint size, Uint old) */
enum { carrier_kind = 3, carrier_behind = 4, most_carrier_calls = 64 };

/* Times of a watched thread that samples do not show, in ns since it is watched. `working`,
 * `in_port`, `in_nif`: it was off its CPU during such work (preempted, or blocked by a lock or a
 * device). `spinning`: it was preempted while it spun. Sleep is not counted. `spun`: it spun on a
 * CPU, for too short a time to be sampled. */
struct off_cpu_time {
  unsigned long long working, in_port, in_nif, spinning, spun;
  unsigned long long lost; /* on a CPU, in samples that were lost */
  /* When it last left its CPU, CLOCK_MONOTONIC; its run time and its nivcsw at that moment. */
  unsigned long long left_at, run_time, involuntary;
  unsigned int left; /* enum left_cpu */
  unsigned int unused;
};

/* A thread's clock. `sampled`: its run time at its last sample. Of the tick source: `due`, its run
 * time at its next sample; `on_cpu_since`, CLOCK_MONOTONIC; 0: it is on no CPU, or was not seen
 * yet. */
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

/* Sums over all samples; one element per CPU. */
struct sample_costs {
  unsigned long long runs;
  unsigned long long nanoseconds; /* spent in the program */
  unsigned long long dropped;     /* ring full */
  unsigned long long missed;      /* were due, but no tick or timer saw the thread for long */
};

#ifdef __cplusplus
}  // namespace beam_exporter::sampling
#endif
