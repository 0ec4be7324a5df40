// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: what its programs share; the maps, where things are in this VM, and the
// place where a record is put together.
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

// Struct offsets of this very VM (beam::Layout), set before the program is loaded.
const volatile struct vm_places vm = {};

// The code index that user space knows the names for; another one in the VM: wake it at once.
unsigned int known_code_index = 0;

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, most_threads);
  __type(key, u32);
  __type(value, struct watched_thread);
} threads SEC(".maps");

// By thread id as the VM itself sees it: for programs that all threads of the VM hit.
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
  // Room for every part at its largest; parts lie one behind the other without gaps.
  char bytes[most_process_bytes + most_native_bytes + most_low_bytes + most_young_bytes +
             most_old_bytes];
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
