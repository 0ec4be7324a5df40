#include "verdict/memory_rules.h"

#include "verdict/sights.h"

namespace beam_exporter::verdict {

namespace {

constexpr double mib = 1024 * 1024;

// The alert BeamFragmentationHigh asks for the same share. Below that a change of flags is not
// worth its risk; below 16 MiB a VM that does nothing has it too: one carrier for each scheduler.
constexpr double tenth = 0.1;
constexpr double worth_it = 16 * mib;

constexpr std::string_view resident_share = "its part of the resident memory";
constexpr std::string_view kept_pages =
    "erts_alloc(3) +M<S>acul, +M<S>acful; recon_alloc:fragmentation/1";

// The rules about free memory in carriers differ in what they look at and what they say.
constexpr MemoryRule much_is_free(MemoryRule rule) {
  rule.measure = "its part of the allocator's multi-block carriers";
  rule.threshold = 0.25;
  rule.reason =
      "three quarters in use is what blocks of many sizes leave (recon_alloc:fragmentation tells "
      "the same from inside)";
  rule.least_share = tenth;
  rule.least_bytes = worth_it;
  return rule;
}

constexpr MemoryRule rules[] = {
    {.name = "near_limit",
     .look = sights::near_limit,
     .measure = "memory of the control group without inactive files, as a part of its limit",
     .threshold = 0.9,
     .reason = "a collection needs the old heap and the new one at the same time, so a VM needs "
               "some of its limit for a moment",
     .least_share = 0,
     .least_bytes = 0,
     .text =
         "The control group {subject} holds {bytes} of its limit of {limit}: {left} are left. "
         "The resident memory of this VM is {resident}; other groups may pay for a part of it. At "
         "the limit the kernel kills a process.",
     .advice = "Raise the limit or mend what is below. The VM does not know the limit: +hmax ends "
               "single processes that grow without bound; beam_exporter heap --diff=10 shows who "
               "grows now.",
     .source = "Linux admin-guide/cgroup-v2.rst memory.max, cgroup-v1/memory.rst; erl(1) +hmax",
     .urgent = true},

    much_is_free(
        {.name = "idle_carriers_of_heaps",
         .look = sights::idle_heaps,
         .text =
             "{bytes} ({percent} of the resident memory) are free in {carriers} nearly empty "
             "carriers of {subject}. They are the past of processes: many heaps are gone, and the "
             "few that stay keep whole carriers. {where}.",
         .advice =
             "New processes will use it. To give it back, let the processes that stay collect: "
             "hibernate when idle, or erlang:garbage_collect(Pid). A collection moves a heap "
             "into a fuller carrier, and an empty carrier is freed. +MHacful de lets the kernel "
             "take such pages when it needs memory.",
         .source =
             "erts_alloc(3) +MHacul, +MHacful; erlang:hibernate/3; garbage_collect in erl_gc.c "
             "(OTP 25 and 27); recon_alloc:fragmentation/1"}),
    much_is_free(
        {.name = "idle_carriers_of_binaries",
         .look = sights::idle_binaries,
         .text = "{bytes} ({percent} of the resident memory) are free in {carriers} nearly empty "
                 "carriers of {subject}. Many binaries are gone, and the few that stay keep whole "
                 "carriers: a binary is never moved. {where}.",
         .advice =
             "New binaries will use it. recon:bin_leak(10) finds processes that keep binaries "
             "only because they have not collected; binary:copy/1 frees the whole of which a "
             "part is kept. +MBacful de lets the kernel take such pages when it needs memory.",
         .source = "erts_alloc(3) +MBacul, +MBacful; Efficiency Guide, Constructing and Matching "
                   "Binaries; recon:bin_leak/1"}),
    much_is_free(
        {.name = "idle_carriers",
         .look = sights::idle_others,
         .text = "{bytes} ({percent} of the resident memory) are free in {carriers} nearly empty "
                 "carriers of {subject}: most of what it once held is gone, and what stays keeps "
                 "whole carriers. {where}.",
         .advice =
             "{subject} will use it again; other allocators cannot. +M{letter}acful de lets the "
             "kernel take such pages when it needs memory.",
         .source = kept_pages}),

    much_is_free(
        {.name = "fragmented_heaps",
         .look = sights::holes_in_heaps,
         .text =
             "{subject} is fragmented: {bytes} ({percent} of the resident memory) are small holes "
             "between the blocks of {carriers} carriers that are about half full. {where}.",
         .advice = "A collection moves a heap: let idle processes hibernate. +MHas aoffcaobf keeps "
                   "heaps dense at low addresses (plain aobf works only together with +MHacul 0); "
                   "+MHlmbcs makes smaller carriers, which become empty sooner.",
         .source = "erts_alloc(3) +MHas, +MHlmbcs; adjust_carrier_migration_support in erl_alloc.c "
                   "(OTP 25 and 27)"}),
    much_is_free(
        {.name = "fragmented_binaries",
         .look = sights::holes_in_binaries,
         .text =
             "{subject} is fragmented: {bytes} ({percent} of the resident memory) are small holes "
             "between the binaries of {carriers} carriers that are about half full. {where}.",
         .advice =
             "Find who keeps old binaries beside short-lived ones: recon:bin_leak(10), "
             "binary:copy/1 for small parts. +MBas aoffcaobf puts binaries at low addresses "
             "(plain aobf works only together with +MBacul 0); +MBlmbcs makes smaller carriers.",
         .source = "erts_alloc(3) +MBas, +MBlmbcs; adjust_carrier_migration_support in erl_alloc.c "
                   "(OTP 25 and 27); recon:bin_leak/1"}),
    much_is_free(
        {.name = "fragmented",
         .look = sights::holes_in_others,
         .text =
             "{subject} is fragmented: {bytes} ({percent} of the resident memory) are small holes "
             "between the blocks of {carriers} carriers that are about half full. {where}.",
         .advice = "Look for data that live longer than the data made beside them: "
                   "instrument:allocations/0. +M{letter}as aoffcaobf puts blocks at low addresses; "
                   "+M{letter}lmbcs makes smaller carriers, which become empty sooner.",
         .source = "erts_alloc(3) +M<S>as, +M<S>lmbcs; instrument(3)"}),

    much_is_free(
        {.name = "unused_room",
         .look = sights::unused_room,
         .text =
             "{bytes} ({percent} of the resident memory) are free in large holes of {carriers} "
             "carriers of {subject}. It is room that a peak has left, and new blocks fit. {where}.",
         .advice =
             "Nothing, when peaks like the last one come again: the VM uses it before it takes "
             "more. Else +M{letter}acful de lets the kernel take such pages.",
         .source = kept_pages}),

    much_is_free(
        {.name = "large_blocks_share_carriers",
         .look = sights::large_blocks,
         .text =
             "{bytes} ({percent} of the resident memory) are free in {carriers} carriers of "
             "{subject} whose blocks are large: {mean} on average. A few blocks that stay keep a "
             "whole carrier. {where}.",
         .advice =
             "+M{letter}sbct {sbct} gives each block of more than {sbct} KiB a carrier of its "
             "own, which is freed with the block; the price is an mmap for each. In a running "
             "VM, for new blocks: erlang:system_flag(erts_alloc, {{subject}, sbct, "
             "{sbct_bytes}}).",
         .source = "erts_alloc(3) +M<S>sbct; erlang:system_flag/2 erts_alloc"}),

    {.name = "segment_cache",
     .look = sights::segment_cache,
     .measure = resident_share,
     .threshold = 0.25,
     .reason = "the cache is for the next carriers, and it shrinks by itself while it is not used",
     .least_share = 0,
     .least_bytes = worth_it,
     .text = "{bytes} ({percent} of the resident memory) are segments that carriers gave back and "
             "the VM keeps for the next ones. A moment ago the VM was so much larger.",
     .advice = "Look again in some seconds: a running VM frees them one by one. If they stay, the "
               "VM makes and frees carriers all the time; +MMmcs (default 10 for each scheduler) "
               "makes the cache smaller.",
     .source = "erts_alloc(3) +MMmcs; erts_mseg_cache_check in erl_mseg.c (OTP 25 and 27)"},
    {.name = "memory_outside_carriers",
     .look = sights::malloc_memory,
     .measure = resident_share,
     .threshold = 0.25,
     .reason = "a VM without such NIFs has some 10 MiB there",
     .least_share = 0,
     .least_bytes = 64 * mib,
     .text = "{bytes} ({percent} of the resident memory) are in no carrier of the VM. NIFs, "
             "drivers and C libraries got them from malloc or mmap; erlang:memory() does not count "
             "them.",
     .advice = "No flag of the VM helps. Look at the NIF libraries of the VM (grep /priv/ "
               "/proc/PID/maps) and their own limits. If threads of a NIF come and go, the "
               "environment variable MALLOC_ARENA_MAX=2 may help.",
     .source = "erts_alloc(3), sys_alloc; mallopt(3) M_ARENA_MAX"},
    {.name = "allocators_off",
     .look = sights::malloc_instead_of_allocators,
     .measure = resident_share,
     .threshold = 0.25,
     .reason = "so much is no longer what the C runtime itself needs",
     .least_share = 0,
     .least_bytes = 64 * mib,
     .text = "{bytes} ({percent} of the resident memory) are in no carrier of the VM. These "
             "allocators are off, so malloc gives their memory: {off}.",
     .advice = "Remove +M<S>e false and +Mea min from the flags: then the VM can tell what its "
               "memory is, and it uses it with less fragmentation.",
     .source = "erts_alloc(3) +M<S>e, +Mea, section Allocators"},
    {.name = "large_files",
     .look = sights::libraries,
     .measure = resident_share,
     .threshold = 0.25,
     .reason = "the VM's own executable and libraries are some 10 MiB",
     .least_share = 0,
     .least_bytes = 128 * mib,
     .text = "{bytes} ({percent} of the resident memory) are pages of files: libraries, or files "
             "that a NIF has mapped.",
     .advice = "Look which: /proc/PID/smaps. Pages of files that nobody changed cost little: the "
               "kernel drops them when it needs memory.",
     .source = "proc_pid_smaps(5)"},

    {.name = "binaries_beside_small_heaps",
     .look = sights::binaries_beside_heaps,
     .measure = "bytes of binaries, as a multiple of the bytes of heaps",
     .threshold = 4,
     .reason = "a heap has a few words for a binary of any size, so a process with little garbage "
               "of its own can keep many dead binaries; where caches hold binaries this is normal",
     .least_share = 0.25,
     .least_bytes = 64 * mib,
     .text = "{bytes} ({percent} of the resident memory) are binaries, beside {heaps} of heaps. It "
             "is a suspicion only: from outside one cannot tell which binaries are still needed.",
     .advice = "recon:bin_leak(10) makes all processes collect and names those that freed most. If "
               "much is freed: hibernate these processes when idle, give them {fullsweep_after, "
               "0..20}, and binary:copy/1 the parts that they keep.",
     .source = "Efficiency Guide, Constructing and Matching Binaries; erlang:spawn_opt/4 "
               "fullsweep_after; recon:bin_leak/1"},
    {.name = "one_process",
     .look = sights::one_process,
     .measure = "the largest heap, as a part of all heaps",
     .threshold = 0.25,
     .reason = "then one process decides how large the VM is",
     .least_share = tenth,
     .least_bytes = worth_it,
     .text = "The process {subject} has {bytes} ({percent} of the resident memory) of the {heaps} "
             "that all {processes} processes have; {messages} messages wait for it.",
     .advice = "Look what it does: beam_exporter pstack --process=PROCESS, process_info(Pid, "
               "current_stacktrace). If it is idle, hibernate frees what is garbage; max_heap_size "
               "(+hmax) bounds it; what many processes read belongs into ETS or persistent_term.",
     .source = "erlang:process_flag/2 max_heap_size; erl(1) +hmax; erlang:hibernate/3"},
    {.name = "long_mailbox",
     .look = sights::long_mailbox,
     .measure = "messages in the longest queue",
     .threshold = 10000,
     .reason = "as the alert BeamMailboxGrows",
     .least_share = 0,
     .least_bytes = 0,
     .text = "{messages} messages wait for the process {subject}; its heap and messages have "
             "{bytes} ({percent} of the resident memory).",
     .advice = "The process is too slow for its senders, or it waits for something: see "
               "beam_exporter pstack --process=PROCESS. Limit the senders. {message_queue_data, "
               "off_heap} keeps collections short while the queue is long.",
     .source = "erlang:process_flag/2 message_queue_data; dashboards/runbook.md BeamMailboxGrows"},
};

}  // namespace

std::span<const MemoryRule> memory_rules() { return rules; }

}  // namespace beam_exporter::verdict
