#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "os/result.h"
#include "profile/stack_table.h"

namespace beam_exporter::profile {

// Records samples for everybody who asks. Each caller opens a window and gets the samples of its
// own time; the stack of a sample is looked up once for all windows. While no window is open, a
// batch of samples costs one load. Any thread may open windows; one thread, the observing one, adds
// samples.
class Recorder {
 public:
  // Fewer than the web server has threads to spare.
  static constexpr std::size_t most_windows = 4;

  // Waits until `duration` is over, the VM ends, or end_all() is called. Errors: system
  // (most_windows are open), gone (no VM is sampled now).
  os::Result<Profile> record(std::chrono::nanoseconds duration);

  // For a caller that waits in its own way. The Recorder must outlive the window.
  class Window;
  os::Result<Window> open();

  // The exporter ends: each caller that waits gets what was recorded; no new window can be opened.
  void end_all();

  // --- For the observing thread.

  struct Source {
    std::string target;  // "OTP 27 (erts 15.2.7, jit), pid 42"
    std::chrono::nanoseconds period{};
  };
  void begin(Source source);  // sampling of a VM begins, or begins again in another way
  void vm_ended();            // ends all windows; they keep what they have

  // Holds the lock. The number of a frame is valid as long as epoch() does not change.
  class Batch;
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

 private:
  struct Count {
    std::uint64_t samples = 0;
    std::chrono::nanoseconds cpu_time{};
  };
  struct State {
    std::chrono::system_clock::time_point begin;
    std::chrono::steady_clock::time_point began;
    std::map<std::pair<Index, Index>, Count> counts;  // by stack and labels
    std::uint64_t lost = 0;
    std::optional<std::chrono::steady_clock::time_point> ended;  // before it was closed
  };
  using Place = std::list<State>::iterator;
  Profile close(Place place);
  void forget(Place place);  // with the lock held
  bool wait(Place place, std::chrono::nanoseconds duration);
  void end_windows();

  std::atomic<bool> wanted_ = false;
  std::mutex mutex_;  // guards all members below
  std::condition_variable ended_;
  std::list<State> windows_;
  std::unique_ptr<StackTable> table_;  // while there are windows
  std::uint64_t epoch_ = 0;            // the number of the table
  Source source_;
  bool sampled_ = false, ending_ = false;
};

class Recorder::Window {
 public:
  Window(Window&& other) noexcept;
  ~Window();

  // False when the window ended earlier.
  bool wait(std::chrono::nanoseconds duration) { return recorder_->wait(place_, duration); }
  // Call it once.
  Profile finish();

 private:
  friend class Recorder;
  Window(Recorder& recorder, Place place) : recorder_(&recorder), place_(place) {}
  Recorder* recorder_;  // nullptr: after finish() or a move
  Place place_;
};

class Recorder::Batch {
 public:
  explicit Batch(Recorder& recorder) : recorder_(&recorder), lock_(recorder.mutex_) {}

  bool wanted() const { return recorder_->table_ != nullptr; }
  std::uint64_t epoch() const { return recorder_->epoch_; }

  // The functions below need wanted(). nullopt: the table is full.
  std::optional<Index> frame(const Function& function, std::uint32_t line) {
    return recorder_->table_->frame(function, line);
  }
  // Counts the sample as lost when the table is full.
  void add(std::span<const Index> innermost_first, const Labels& labels,
           std::chrono::nanoseconds cpu_time);
  void count_lost(std::uint64_t samples);

 private:
  Recorder* recorder_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace beam_exporter::profile
