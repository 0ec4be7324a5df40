#pragma once

#include <cstdint>
#include <string_view>

#include "beam/layout/field.h"

// Structs around processes and run queues, part of Layout (layout.h says how they are filled).
// Read by process_scan and what it is made of, process_name and vitals.
namespace beam_exporter::beam {

// erl_process.h ErtsRunQueue (OTP 25, 27).
struct RunQueueLayout {
  static constexpr std::string_view name = "ErtsRunQueue";
  std::uint32_t size = 0;
  Field<std::uint32_t> length;
  Field<std::uint64_t> context_switches;
  Field<std::uint64_t> reductions;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("len.counter", self.length, Need::required);
    visit("procs.context_switches", self.context_switches, Need::required);
    visit("procs.reductions", self.reductions, Need::required);
  }
};

// erl_process_dict.h ProcDict: a hash of used_slots terms, each a pair, a list of pairs, or nil.
struct DictionaryLayout {
  static constexpr std::string_view name = "ProcDict";
  std::uint32_t size = 0;
  Field<std::uint32_t> used_slots;
  Field<Eterm> data;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("usedSlots", self.used_slots, Need::required);
    visit("data", self.data, Need::required);
  }
};

// erl_proc_sig_queue.h ErtsSignal. `next` is an ErtsMessage**: the place that points to the next
// signal that is no message.
struct SignalLayout {
  static constexpr std::string_view name = "ErtsSignal";
  std::uint32_t size = 0;
  Field<os::Address> next;
  Field<std::int64_t> messages_before;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("common.specific.next", self.next, Need::required);
    visit("nm_sig.mlenoffs", self.messages_before, Need::optional);
  }
};

// erl_message.h ErtsSignalInQueueBuffer (OTP 25+): its size is the stride of the array below.
struct SignalBufferLayout {
  static constexpr std::string_view name = "ErtsSignalInQueueBuffer";
  std::uint32_t size = 0;

  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

// erl_message.h ErtsSignalInQueueBufferArray (OTP 25+): where messages wait when many processes
// send to one. The members are those of the first slot.
struct SignalBuffersLayout {
  static constexpr std::string_view name = "ErtsSignalInQueueBufferArray";
  std::uint32_t size = 0;
  Field<std::int64_t> length;
  Field<std::int64_t> messages;
  Field<os::Address> signals;
  Field<std::uint64_t> nonempty;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("slots.b.queue.len", self.length, Need::optional);
    visit("slots.b.queue.mlenoffs", self.messages, Need::optional);
    visit("slots.b.queue.nmsigs.next", self.signals, Need::optional);
    visit("nonempty_slots.counter", self.nonempty, Need::optional);
  }
};

// erl_message.h ErtsMessage: a message, or the beginning of another signal, which has a tag for a
// term. The fragment behind it is there when `attached` is 1.
struct MessageLayout {
  static constexpr std::string_view name = "ErtsMessage";
  std::uint32_t size = 0;
  Field<os::Address> next;
  Field<os::Address> attached;  // ErlHeapFragment*, 0 or 1
  Field<Eterm> term;
  Field<os::Address> fragment_next;
  Field<std::uint64_t> fragment_room, fragment_used;  // words

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("next", self.next, Need::optional);
    visit("data.attached", self.attached, Need::optional);
    visit("m", self.term, Need::optional);
    visit("hfrag.next", self.fragment_next, Need::optional);
    visit("hfrag.alloc_size", self.fragment_room, Need::optional);
    visit("hfrag.used_size", self.fragment_used, Need::optional);
  }
};

// erl_message.h struct erl_heap_fragment.
struct HeapFragmentLayout {
  static constexpr std::string_view name = "ErlHeapFragment";
  std::uint32_t size = 0;
  Field<os::Address> next;
  Field<std::uint64_t> room, used;  // words

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("next", self.next, Need::optional);
    visit("alloc_size", self.room, Need::optional);
    visit("used_size", self.used, Need::optional);
  }
};

// erl_bits.h ErlHeapBits (OTP 27): a small binary on the heap.
struct HeapBinaryLayout {
  static constexpr std::string_view name = "ErlHeapBits";
  std::uint32_t size = 0;
  Field<std::uint64_t> bits;
  Field<std::uint64_t> data;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(".size", self.bits, Need::optional);
    visit("data", self.data, Need::optional);
  }
};

// erl_threads.h erts_mtx_t: what stands behind a mutex is found by its size.
struct MutexLayout {
  static constexpr std::string_view name = "erts_mtx_t";
  std::uint32_t size = 0;

  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

}  // namespace beam_exporter::beam
