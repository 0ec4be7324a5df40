#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "sampling/observed_thread.h"

// The first values that travel: what a source has seen of the VM's threads.
namespace beam_exporter::sampling {

// A thread on a CPU.
struct RawSample : ObservedThread {
  std::chrono::nanoseconds cpu_time{};  // how much CPU time of the thread it stands for

  void clear() {
    ObservedThread::clear();
    cpu_time = {};
  }
};

// A thread about to get a carrier for an allocator, or to make one larger.
struct GrowthEvent : ObservedThread {
  os::Address allocator = 0;  // the Allctr_t that asked
  std::uint64_t bytes = 0;

  void clear() {
    ObservedThread::clear();
    allocator = bytes = 0;
  }
};

// What was drained together. Its memory is used again for the next batch.
class SampleBatch {
 public:
  // A blank one, to be filled; drop_last_... takes it back.
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
