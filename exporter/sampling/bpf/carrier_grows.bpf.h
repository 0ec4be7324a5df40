// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: takes a record like a sample's when the VM calls a function that gets
// carriers.
#pragma once

#include "record.bpf.h"

// Another uprobe's program may preempt this one on its CPU: each takes a scratch that is not busy.
// (The sampler's program may preempt it too, but has a scratch of its own.)
enum { growth_scratches = 4 };

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, growth_scratches);
  __type(key, u32);
  __type(value, struct scratch);
} scratches_of_growth SEC(".maps");

// Where the functions that are behind those that get carriers return to, for a carrier: the
// register that has the Allctr_t.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, most_carrier_calls);
  __type(key, u64);
  __type(value, u32);
} carrier_calls SEC(".maps");

struct carrier_sizes {
  u64 made, old; /* bytes */
};

// The kinds of carrier_function_kind.
static __always_inline struct carrier_sizes sizes_of(u64 kind, const struct pt_regs* user) {
  const bool resized = kind >= carrier_segment_realloc;
  const u64 size_at = !resized                          ? user->rsi
                      : kind == carrier_segment_realloc ? user->rcx
                                                        : user->rdx;
  const u64 old = !resized ? 0 : kind == carrier_segment_realloc ? user->rdx : user->rcx;
  return (struct carrier_sizes){user_word(size_at), old};
}

// Of what is behind the kinds for malloc(). A carrier begins with its size, with flags in the lower
// three bits (Carrier_t.chdr, erl_alloc_util.h, OTP 23 to 29).
static __always_inline struct carrier_sizes sizes_of_malloc(u64 kind, const struct pt_regs* user) {
  const bool aligned = user->rdi != 0;
  if (kind == carrier_system_alloc)
    return (struct carrier_sizes){aligned ? user->rsi : user->rdx, 0};
  if (aligned) return (struct carrier_sizes){user->rdx, user->rcx};
  return (struct carrier_sizes){user->rcx, user_word(user->rdx) & ~7ULL};
}

static __always_inline struct scratch* free_scratch(void) {
#pragma unroll
  for (int k = 0; k < growth_scratches; k++) {
    const u32 key = k;
    struct scratch* scratch = bpf_map_lookup_elem(&scratches_of_growth, &key);
    if (scratch && *(volatile u64*)&scratch->busy == 0) return scratch;
  }
  return 0;
}

// Runs at the entry of a function that gets a carrier or makes one larger.
SEC("uprobe")
int carrier_grows(struct pt_regs* ctx) {
  const u64 started = bpf_ktime_get_ns();
  const u32 zero = 0;
  const u64 cookie = bpf_get_attach_cookie(ctx), kind = cookie & carrier_kind;
  const bool behind = (cookie & carrier_behind) != 0;
  struct bpf_pidns_info ids;
  if (bpf_get_ns_current_pid_tgid(vm.pid_namespace_device, vm.pid_namespace_inode, &ids,
                                  sizeof ids) != 0)
    return 0;
  const u32 tid = ids.pid;
  const u32* known = bpf_map_lookup_elem(&index_of_thread, &tid);
  if (!known) return 0;
  const u32 index = *known;
  const struct watched_thread* thread = bpf_map_lookup_elem(&threads, &index);
  struct sample_costs* cost = bpf_map_lookup_elem(&costs, &zero);
  if (!thread || !cost) return 0;

  struct pt_regs user;
  user.r15 = ctx->r15, user.r14 = ctx->r14, user.r13 = ctx->r13, user.r12 = ctx->r12;
  user.rbp = ctx->rbp, user.rbx = ctx->rbx, user.r11 = ctx->r11, user.r10 = ctx->r10;
  user.r9 = ctx->r9, user.r8 = ctx->r8, user.rax = ctx->rax, user.rcx = ctx->rcx;
  user.rdx = ctx->rdx, user.rsi = ctx->rsi, user.rdi = ctx->rdi;
  user.rip = ctx->rip, user.rsp = ctx->rsp;
  u32 allocator = register_rdi;
  if (behind) {
    const u64 return_to = user_word(user.rsp);
    const u32* known_call = bpf_map_lookup_elem(&carrier_calls, &return_to);
    if (!known_call) return 0;
    allocator = *known_call;
  }
  const bool of_malloc = kind == carrier_system_alloc || kind == carrier_system_realloc;
  const struct carrier_sizes bytes =
      behind && of_malloc ? sizes_of_malloc(kind, &user) : sizes_of(kind, &user);
  if (bytes.made <= bytes.old) return 0;

  struct scratch* scratch = free_scratch();
  if (!scratch) {
    cost->dropped++;
    return 0;
  }
  *(volatile u64*)&scratch->busy = 1;
  begin_record(&scratch->record, started, index);
  copy_registers(scratch->record.registers, &user);
  scratch->record.allocator = scratch->record.registers[allocator & 15];
  scratch->record.new_bytes = bytes.made;
  scratch->record.old_bytes = bytes.old;
  scratch->record.carrier_function = kind;
  if (kind == carrier_segment_alloc) scratch->record.carrier_flags = (u32)user.rdx;
  fill_record(scratch, thread, cost, started);
  *(volatile u64*)&scratch->busy = 0;
  return 0;
}
