#include "profile/recorder.h"

#include <utility>

namespace beam_exporter::profile {

using Clock = std::chrono::steady_clock;

os::Result<Profile> Recorder::record(std::chrono::nanoseconds duration) {
  auto window = open();
  if (!window) return window.error();
  window->wait(duration);
  return window->finish();
}

os::Result<Recorder::Window> Recorder::open() {
  std::lock_guard lock(mutex_);
  if (ending_) return os::Error{os::ErrorKind::gone, "the exporter is ending"};
  if (!sampled_) return os::Error{os::ErrorKind::gone, "no VM is sampled now"};
  if (windows_.size() >= most_windows)
    return os::Error{os::ErrorKind::system, "there are " + std::to_string(most_windows) +
                                                " profiles being recorded, which is the limit"};
  if (table_ == nullptr) {
    table_ = std::make_unique<StackTable>();
    ++epoch_;
  }
  windows_.push_back({.begin = std::chrono::system_clock::now(), .began = Clock::now()});
  wanted_ = true;
  return Window(*this, std::prev(windows_.end()));
}

bool Recorder::wait(Place place, std::chrono::nanoseconds duration) {
  std::unique_lock lock(mutex_);
  return !ended_.wait_for(lock, duration, [&] { return place->ended.has_value(); });
}

Profile Recorder::close(Place place) {
  std::lock_guard lock(mutex_);
  Profile profile{.functions = table_->functions(),
                  .frames = table_->frames(),
                  .stacks = table_->stacks(),
                  .labels = table_->all_labels(),
                  .begin = place->begin,
                  .duration = place->ended.value_or(Clock::now()) - place->began,
                  .period = source_.period,
                  .target = source_.target,
                  .lost = place->lost,
                  .ended_early = place->ended.has_value()};
  for (const auto& [key, count] : place->counts)
    profile.entries.push_back({key.first, key.second, count.samples, count.cpu_time});
  forget(place);
  return profile;
}

void Recorder::forget(Place place) {
  windows_.erase(place);
  if (!windows_.empty()) return;
  table_.reset();
  wanted_ = false;
}

void Recorder::begin(Source source) {
  std::lock_guard lock(mutex_);
  source_ = std::move(source);
  sampled_ = true;
}

void Recorder::vm_ended() {
  std::lock_guard lock(mutex_);
  sampled_ = false;
  end_windows();
}

void Recorder::end_all() {
  std::lock_guard lock(mutex_);
  ending_ = true;
  end_windows();
}

void Recorder::end_windows() {
  for (auto& window : windows_)
    if (!window.ended) window.ended = Clock::now();
  ended_.notify_all();
}

Recorder::Window::Window(Window&& other) noexcept
    : recorder_(std::exchange(other.recorder_, nullptr)), place_(other.place_) {}

Recorder::Window::~Window() {
  if (recorder_ == nullptr) return;
  std::lock_guard lock(recorder_->mutex_);
  recorder_->forget(place_);
}

Profile Recorder::Window::finish() { return std::exchange(recorder_, nullptr)->close(place_); }

void Recorder::Batch::add(std::span<const Index> innermost_first, const Labels& labels,
                          std::chrono::nanoseconds cpu_time) {
  const auto stack = recorder_->table_->stack(innermost_first);
  const auto label = recorder_->table_->labels(labels);
  if (!stack || !label) return count_lost(1);
  for (auto& window : recorder_->windows_) {
    if (window.ended) continue;
    auto& count = window.counts[{*stack, *label}];
    ++count.samples;
    count.cpu_time += cpu_time;
  }
}

void Recorder::Batch::count_lost(std::uint64_t samples) {
  for (auto& window : recorder_->windows_)
    if (!window.ended) window.lost += samples;
}

}  // namespace beam_exporter::profile
