#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "sampling/observed_thread.h"

// What a source passes on: samples and growth events.
namespace beam_exporter::sampling {

// A sample of a thread on a CPU.
struct RawSample : ObservedThread {
  std::chrono::nanoseconds cpu_time{};  // the CPU time of the thread that this sample stands for
  bool in_kernel = false;               // the thread was in a system call
  // Addresses in functions of the kernel, the innermost first; empty unless kernel stacks are
  // taken.
  std::vector<os::Address> kernel;

  void clear() {
    ObservedThread::clear();
    cpu_time = {};
    in_kernel = false;
    kernel.clear();
  }
};

// A thread that is about to get a new carrier for an allocator, or to make a carrier larger.
struct GrowthEvent : ObservedThread {
  os::Address allocator = 0;  // the Allctr_t of the carrier
  std::uint64_t bytes = 0;

  void clear() {
    ObservedThread::clear();
    allocator = bytes = 0;
  }
};

// The samples and growth events of one collect(). The next batch reuses its memory.
class SampleBatch {
 public:
  // Adds an empty element, which the caller fills; drop_last_... removes it.
  RawSample& next_sample() { return samples_.next(); }
  GrowthEvent& next_growth() { return growth_.next(); }
  void drop_last_sample() { --samples_.used; }
  void drop_last_growth() { --growth_.used; }

  std::span<const RawSample> samples() const { return samples_.all(); }
  std::span<const GrowthEvent> growth() const { return growth_.all(); }
  bool empty() const { return samples_.used == 0 && growth_.used == 0; }
  void clear() { samples_.used = growth_.used = 0; }

 private:
  template <class Event>
  struct List {
    std::vector<Event> events;
    std::size_t used = 0;

    Event& next() {
      if (used == events.size()) events.emplace_back();
      Event& event = events[used++];
      event.clear();
      return event;
    }
    std::span<const Event> all() const { return {events.data(), used}; }
  };
  List<RawSample> samples_;
  List<GrowthEvent> growth_;
};

}  // namespace beam_exporter::sampling
