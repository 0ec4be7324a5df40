#include "collectors/collector_thread.h"

#include "beam/allocators/allocator_instances.h"
#include "collectors/timetable.h"
#include "log/log.h"
#include "os/monotonic_clock.h"
#include "os/supervision.h"

namespace beam_exporter::collectors {

namespace {

std::shared_ptr<AllocatorAccess> find_allocators(const beam::VirtualMachine& vm) {
  auto set = beam::find_allocators(vm.layout(), vm.static_data(), vm.memory());
  if (set) return std::make_shared<AllocatorAccess>(vm, std::move(*set));
  log::warn("no allocator figures: " + set.error().text);
  return nullptr;
}

}  // namespace

CollectorThread::CollectorThread(const beam::VirtualMachine& vm, const settings::Settings& settings,
                                 totals::CollectorTotals& totals, AskedLooks& asked)
    : totals_(&totals),
      settings_(settings),
      newest_(std::make_shared<const totals::VmFigures>()),
      asked_(asked,
             [this] {
               {
                 std::lock_guard lock(mutex_);
                 woken_ = true;
               }
               wake_.notify_all();
             }),
      thread_([this, &vm] {
        auto failure = os::failure_of([this, &vm] { run(vm); });
        std::lock_guard lock(mutex_);
        failure_ = std::move(failure);
      }) {}

CollectorThread::~CollectorThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  totals_->forget_vm();
}

std::shared_ptr<const totals::VmFigures> CollectorThread::newest() const {
  std::lock_guard lock(mutex_);
  return newest_;
}

std::optional<std::string> CollectorThread::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void CollectorThread::apply(const settings::Settings& settings) {
  {
    std::lock_guard lock(mutex_);
    settings_ = settings;
  }
  wake_.notify_all();
}

void CollectorThread::run(const beam::VirtualMachine& vm) {
  Timetable timetable({.vm = &vm, .totals = totals_, .allocators = find_allocators(vm)}, registry,
                      os::monotonic_now);
  totals::VmFigures figures;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const settings::Settings settings = settings_;
    woken_ = false;
    lock.unlock();
    asked_.serve(vm);
    const auto next = timetable.run_due(settings, figures);
    auto published = std::make_shared<const totals::VmFigures>(figures);
    lock.lock();
    newest_ = std::move(published);
    timetable.count_runs();
    const auto wait = next - os::monotonic_now();
    const auto changed = [&] { return stopping_ || woken_ || !(settings_ == settings); };
    if (wait.count() > 0) wake_.wait_for(lock, wait, changed);
  }
}

}  // namespace beam_exporter::collectors
