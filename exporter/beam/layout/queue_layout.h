#pragma once

#include <cstdint>

#include "beam/layout/member.h"

// Messages and signals of processes, part of Layout. Read by process_scan and what it is made of.
namespace beam_exporter::beam {

// erl_message.h ErtsSignal, of ErtsSignalCommon and ErtsNonMsgSignal (OTP 27) in
// erl_proc_sig_queue.h. `next` is an ErtsMessage**: the place that points
// to the next signal that is no message.
struct SignalLayout : Struct<"ErtsSignal"> {
  Member<os::Address> next{"common.specific.next"};
  Member<std::int64_t> messages_before{"nm_sig.mlenoffs", Need::optional};
};

// erl_message.h ErtsSignalInQueueBuffer (OTP 25+): its size is the stride of the array below.
struct SignalBufferLayout : Struct<"ErtsSignalInQueueBuffer", Need::optional> {};

// erl_message.h ErtsSignalInQueueBufferArray (OTP 25+): where messages wait when many processes
// send to one. The members are those of the first slot.
struct SignalBuffersLayout : Struct<"ErtsSignalInQueueBufferArray"> {
  Member<std::int64_t> length{"slots.b.queue.len", Need::optional};
  Member<std::int64_t> messages{"slots.b.queue.mlenoffs", Need::optional};
  Member<os::Address> signals{"slots.b.queue.nmsigs.next", Need::optional};
  Member<std::uint64_t> nonempty{"nonempty_slots.counter", Need::optional};
};

// erl_message.h ErtsMessage: a message, or the beginning of another signal, which has a tag for a
// term. The fragment behind it is there when `attached` is 1.
struct MessageLayout : Struct<"ErtsMessage"> {
  Member<os::Address> next{"next", Need::optional};
  Member<os::Address> attached{"data.attached", Need::optional};  // ErlHeapFragment*, 0 or 1
  Member<Eterm> term{"m", Need::optional};
  Member<os::Address> fragment_next{"hfrag.next", Need::optional};
  Member<std::uint64_t> fragment_room{"hfrag.alloc_size", Need::optional};  // words
  Member<std::uint64_t> fragment_used{"hfrag.used_size", Need::optional};   // words
};

// erl_message.h struct erl_heap_fragment.
struct HeapFragmentLayout : Struct<"ErlHeapFragment"> {
  Member<os::Address> next{"next", Need::optional};
  Member<std::uint64_t> room{"alloc_size", Need::optional};  // words
  Member<std::uint64_t> used{"used_size", Need::optional};   // words
  Member<os::Address> off_heap{"off_heap.first", Need::optional};
};

}  // namespace beam_exporter::beam
