#include "session/observer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "beam/target.h"
#include "collectors/registry.h"
#include "log/log.h"
#include "os/monotonic_clock.h"
#include "session/features.h"

namespace beam_exporter::session {

namespace {

constexpr auto search_interval = std::chrono::milliseconds(250);
constexpr auto rebalance_interval = std::chrono::seconds(10);

totals::SeriesLimits series(const settings::Settings& settings) {
  const auto limit = [](int top) { return static_cast<std::size_t>(top); };
  return {.functions = limit(settings.functions.top),
          .inclusive_functions = limit(settings.functions.inclusive_top),
          .blame = limit(settings.blame.top),
          .growth = limit(settings.growth.top),
          .processes = limit(settings.processes.top)};
}

std::vector<std::string_view> collector_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(collectors::registry));
  for (const auto& collector : collectors::registry) names.push_back(collector.name);
  return names;
}

}  // namespace

Observer::Observer(settings::Settings settings, beam::LayoutLibrary library,
                   totals::LatestSnapshot& latest, profile::Recorder& recorder,
                   collectors::AskedLooks& asked)
    : settings_(std::move(settings)),
      library_(std::move(library)),
      latest_(&latest),
      recorder_(&recorder),
      asked_(&asked),
      totals_(series(settings_)),
      collector_totals_(collector_names()),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!settings_.builds.debuginfod_urls.empty())
    fetch_ = std::make_unique<SymbolFetch>(library_.symbols());
}

Observer::~Observer() { stop(); }

os::Status Observer::attach_now() {
  os::Status attached = os::Done{};
  if (const auto failure = os::failure_of([&] { attached = attach(); })) (void)recover(*failure);
  return attached;
}

os::Status Observer::attach() {
  const auto first_try = os::monotonic_now();
  for (;;) {
    const auto process = beam::find_target({settings_.target.pid, settings_.target.match});
    if (!process) {
      down_reason_ = process.error().text;
      const bool may_come =
          process.error().kind == os::ErrorKind::not_found && settings_.target.pid == 0;
      if (may_come) return os::Done{};
      return process.error();
    }
    if (fetch_ != nullptr) fetch_->begin(*process);
    auto session = TargetSession::attach(*process, library_, settings_, totals_, *recorder_);
    if (session) {
      session_ = std::move(*session);
      if (let_go_ != process->identity()) ++attaches_;
      let_go_.reset();
      down_reason_.clear();
      return os::Done{};
    }
    if (!beam::may_be_starting(*process, session.error().kind, first_try)) return session.error();
    if (!wait(search_interval)) return os::Done{};
  }
}

std::chrono::milliseconds Observer::start() {
  const auto failure = os::failure_of([this] {
    // Before a page says that the VM is up, for then people ask for looks at it.
    if (session_ != nullptr) start_collectors();
    publish();
    thread_ = std::thread([this] { run(); });
  });
  // Without this thread nobody looks at the VM and its figures would not change: let the VM go.
  return failure ? recover(*failure) : std::chrono::milliseconds(0);
}

void Observer::stop() {
  stopping_ = true;
  wake();
  if (thread_.joinable()) thread_.join();
}

void Observer::apply(const settings::Settings& settings) {
  std::lock_guard lock(fresh_mutex_);
  fresh_ = settings;
  wake();
}

void Observer::run() {
  while (!stopping_) {
    std::chrono::milliseconds pause = search_interval;
    if (const auto failure = os::failure_of([this] { turn(); })) pause = recover(*failure);
    if (!wait(pause)) break;
  }
}

void Observer::turn() {
  if (session_ == nullptr) {
    take_settings();
    if (auto attached = attach(); !attached) down(attached.error());
  }
  if (session_ != nullptr)
    observe();
  else
    publish();
}

// The steps below may fail for the same reason. Then only the log line or the page is missing.
std::chrono::milliseconds Observer::recover(const std::string& failure) {
  const auto pause = backoff_.after_failure(os::monotonic_now());
  (void)os::failure_of([&] {
    attach_again("observing failed: " + failure);
    log::error("observing failed, and is tried again: " + failure,
               {{"seconds", std::to_string(pause.count())}});
  });
  (void)os::failure_of([this] { publish(); });
  return pause;
}

void Observer::attach_again(std::string reason) {
  if (session_ != nullptr) let_go_ = session_->process().identity();
  let_go(std::move(reason));
}

void Observer::let_go(std::string reason) {
  collectors_.reset();
  session_.reset();
  usage_.forget_vm();
  down_reason_ = std::move(reason);
}

void Observer::start_collectors() {
  collectors_ = std::make_unique<collectors::CollectorThread>(session_->vm(), settings_,
                                                              collector_totals_, *asked_);
}

void Observer::observe() {
  auto next_look = os::monotonic_now() + settings_.snapshot.interval;
  session_->refresh();
  if (collectors_ == nullptr) start_collectors();
  while (!stopping_ && session_->alive()) {
    take_settings();
    for (auto now = os::monotonic_now(); now < next_look && !stopping_; now = os::monotonic_now())
      if (!session_->wait_and_collect(
              wake_.get(), std::chrono::ceil<std::chrono::milliseconds>(next_look - now)))
        break;
    if (!session_->alive()) break;  // do not look at another program
    if (fetch_ != nullptr && fetch_->news()) return attach_again("debug files came");
    next_look = std::max(next_look, os::monotonic_now()) + settings_.snapshot.interval;
    session_->refresh();
    if (const auto failure = collectors_->failure()) throw std::runtime_error(*failure);
    publish();
  }
  if (stopping_) return;
  log::warn("the VM is gone; waiting for one");
  let_go("the VM has ended");
  publish();
}

void Observer::take_settings() {
  std::optional<settings::Settings> fresh;
  {
    std::lock_guard lock(fresh_mutex_);
    fresh.swap(fresh_);
  }
  if (!fresh) return;
  const auto before = std::exchange(settings_, std::move(*fresh));
  totals_.set_limits(series(settings_));
  totals_.rebalance();
  if (session_ != nullptr && settings_.sampling != before.sampling)
    session_->restart_sampling(settings_.sampling);
  if (session_ != nullptr && settings_.blame.functions != before.blame.functions)
    session_->blame(settings_.blame.functions);
  if (collectors_ != nullptr) collectors_->apply(settings_);
}

void Observer::publish() {
  const auto now = os::monotonic_now();
  if (now - rebalanced_ > rebalance_interval) {
    rebalanced_ = now;
    totals_.rebalance();
  }
  auto snapshot = std::make_shared<totals::Snapshot>();
  const auto seen = latest_->scrapers().seen_by_all(snapshots_, totals::Scrapers::Clock::now());
  snapshot->number = ++snapshots_;
  totals_.show(snapshot->number, seen);
  totals_.write(*snapshot);
  collector_totals_.write(*snapshot);
  if (collectors_ != nullptr) snapshot->figures = collectors_->newest();
  if (session_ != nullptr) {
    session_->write(*snapshot);
    if (snapshot->figures != nullptr) tell_figures(*snapshot->figures, snapshot->own.features);
    usage_.look(session_->process(), *snapshot);
  } else {
    snapshot->down_reason = down_reason_;
    snapshot->own.features = no_features();
    usage_.write_counters(*snapshot);
  }
  snapshot->target_restarts = attaches_ > 0 ? attaches_ - 1 : 0;
  snapshot->taken = std::chrono::system_clock::now();
  latest_->publish(std::move(snapshot));
}

void Observer::down(const os::Error& error) {
  if (error.text != down_reason_) log::error(error.text);
  down_reason_ = error.text;
}

bool Observer::wait(std::chrono::milliseconds time) {
  if (stopping_) return false;
  pollfd waiting{wake_.get(), POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(time.count())) > 0) {
    eventfd_t ignored = 0;
    (void)eventfd_read(wake_.get(), &ignored);
  }
  return !stopping_;
}

void Observer::wake() const { (void)eventfd_write(wake_.get(), 1); }

}  // namespace beam_exporter::session
