// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: what its programs share. The maps, the struct offsets of this VM, and
// the scratch memory for a record.
#pragma once

// bpf_helpers.h uses the types of linux/bpf.h: it must come after it.
// clang-format off
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
// clang-format on

#include "sample_record.h"

typedef unsigned long long u64;
typedef unsigned int u32;

// Struct offsets of this VM (beam::Layout), set before the program is loaded.
const volatile struct vm_places vm = {};

// User space knows the names of this code index. If the VM has another one: wake user space at
// once.
unsigned int known_code_index = 0;

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, most_threads);
  __type(key, u32);
  __type(value, struct watched_thread);
} threads SEC(".maps");

// From the thread id in the VM's own pid namespace to the index. For programs that every thread of
// the VM runs.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, most_threads);
  __type(key, u32);
  __type(value, u32);
} index_of_thread SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 20);  // resized before loading
} samples SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct sample_costs);
} costs SEC(".maps");

struct scratch {
  u64 busy;
  struct sample_record record;
  // Room for every part at its largest; the parts follow each other without gaps.
  char bytes[most_process_bytes + most_native_bytes + most_guessed_bytes + most_top_bytes +
             most_bottom_bytes + most_kernel_bytes];
  u64 kernel[most_kernel_bytes / 8];
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct scratch);
} scratches SEC(".maps");

static __always_inline u64 min(u64 a, u64 b) { return a < b ? a : b; }

static __always_inline u64 user_word(u64 address) {
  u64 word = 0;
  bpf_probe_read_user(&word, sizeof word, (void*)address);
  return word;
}
