#include "session/target_session.h"

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "attribution/similar_names.h"
#include "beam/allocators/allocator_instances.h"
#include "beam/neighbour_layouts.h"
#include "log/log.h"
#include "os/monotonic_clock.h"
#include "os/process/threads.h"
#include "session/attached_vm.h"
#include "session/features.h"
#include "session/growth_watch.h"
#include "session/source_choice.h"
#include "session/unproven_places.h"

namespace beam_exporter::session {

namespace {

constexpr std::size_t most_suggestions = 5;
constexpr auto map_refresh_interval = std::chrono::seconds(5);

}  // namespace

os::Result<std::unique_ptr<TargetSession>> TargetSession::attach(const os::Process& process,
                                                                 const beam::LayoutLibrary& library,
                                                                 const settings::Settings& settings,
                                                                 totals::Totals& totals,
                                                                 profile::Recorder& recorder) {
  auto attached = attach_to(process, library);
  if (!attached) return attached.error();
  std::unique_ptr<TargetSession> session(new TargetSession(process, totals, recorder));
  session->memory_ = std::move(attached->memory);
  session->vm_ = std::move(attached->vm);
  session->names_.emplace(*session->vm_);
  session->stacks_.emplace(*session->vm_, recorder);
  if (auto proven = prove(*session->vm_); !proven) return proven.error();
  session->end_ = os::UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, process.pid(), 0)));
  session->map_read_ = os::monotonic_now();
  const auto& release = session->vm_->release();
  log::info("attached to the VM",
            {{"pid", std::to_string(process.pid())},
             {"otp_release", release.otp_release},
             {"erts_version", release.erts_version},
             {"flavor", release.flavor},
             {"layout", session->vm_->layout().origin},
             {"symbols", symbols_of(*session->vm_)},
             {"build_id", session->vm_->image().build_id()},
             {"modules", std::to_string(session->vm_->code().modules())},
             {"functions", std::to_string(session->vm_->code().functions())}});
  if (const auto doubt = beam::layout_doubt(*session->vm_); !doubt.empty()) log::warn(doubt);
  if (!attached->complaint.empty())
    log::info("the VM's memory is read from /proc/PID/mem", {{"reason", attached->complaint}});
  session->blamed_ = settings.blame.functions;
  session->growth_wanted_ = settings.growth.enabled;
  session->start_sampling(settings.sampling);
  return session;
}

TargetSession::~TargetSession() {
  totals_->forget_vm();
  recorder_->vm_ended();
}

void TargetSession::start_sampling(const settings::Settings::Sampling& settings) {
  auto source = start_source(*vm_, settings.source, static_cast<unsigned>(settings.frequency),
                             growth_wanted_, settings.kernel_stacks);
  complaint_ = source.complaint();
  if (!complaint_.empty())
    log::write(source.source != nullptr ? log::Level::warn : log::Level::error, complaint_);
  if (!source.remark.empty()) log::info(source.remark);
  source_ = std::move(source.source);
  if (source_ == nullptr) return;
  log::info("sampling", {{"source", std::string(source_->name())},
                         {"frequency", std::to_string(settings.frequency)},
                         {"threads", std::to_string(source_->roles().size())},
                         {"sees_kernel", source_->sees_kernel() ? "true" : "false"}});
  tell_unwatched();
  attributor_ = std::make_unique<attribution::Attributor>(*vm_, *source_->objects());
  totals_->begin_source();
  stacks_->begin_source();
  recorder_->begin({describe(*vm_), std::chrono::nanoseconds(std::chrono::seconds(1)) /
                                        static_cast<int>(settings.frequency)});
  totals_->set_cost(source_->cost());
  totals_->tell_states(attributor_->native().tells());
  blame(blamed_);
  watch_growth();
}

void TargetSession::name_kernel(std::shared_ptr<const os::KernelSymbols> symbols) {
  if (source_ != nullptr && source_->name() == "tick")
    log::warn("functions of the kernel are not told apart: the kernel's tick does not see them");
  else if (symbols->empty())
    log::warn("functions of the kernel have no names: " + os::kernel_symbols_refusal());
  stacks_->name_kernel(std::move(symbols));
}

std::optional<os::Error> TargetSession::not_sampled() const {
  if (source_ != nullptr) return std::nullopt;
  return os::Error{os::ErrorKind::not_permitted, complaint_};
}

void TargetSession::refresh_threads() {
  (void)source_->refresh_threads();
  tell_unwatched();
}

void TargetSession::tell_unwatched() {
  const auto unwatched = source_->unwatched();
  const bool all = unwatched.total() == 0;
  if (!all && all_watched_)
    log::warn("not all threads of the VM are sampled: " + unwatched.reason,
              {{"sampled", std::to_string(source_->roles().size())},
               {"not_sampled", std::to_string(unwatched.total())}});
  if (all && !all_watched_) log::info("all threads of the VM are sampled");
  all_watched_ = all;
}

void TargetSession::watch_growth() {
  growth_seen_ = false;
  if (!growth_wanted_) return;
  auto allocators = session::watch_growth(*vm_, *memory_, *source_);
  if (!allocators) return log::warn("growth of carriers is not seen: " + allocators.error().text);
  allocators_ = std::move(*allocators);
  growth_seen_ = true;
  log::info("growth of carriers is seen, by breakpoints in the VM's code");
}

void TargetSession::add_growth(const sampling::GrowthEvent& growth, bool fresh) {
  const auto allocator = allocators_.find(growth.allocator);
  if (allocator == allocators_.end()) return;
  totals_->add_growth(allocator->second, static_cast<double>(growth.bytes),
                      names_->self(attributor_->attribute(growth, fresh)));
}

void TargetSession::blame(const std::vector<std::string>& natives) {
  blamed_ = natives;
  if (attributor_ == nullptr) return;
  set_blamed(natives);
  unknown_natives_.clear();
  check_blamed();
}

void TargetSession::set_blamed(const std::vector<std::string>& natives) {
  if (natives.size() > attribution::NativeCode::most_families)
    log::warn("more native functions to blame than can be followed at once",
              {{"followed", std::to_string(attribution::NativeCode::most_families)}});
  attributor_->native().blame(natives);
  totals_->set_blamed(attributor_->native().blamed());
  stacks_->set_blamed(attributor_->native().blamed());
}

// A library that is loaded later may contain a function that was missing.
void TargetSession::check_blamed() {
  const auto unknown = attributor_->native().unknown_natives();
  for (const auto& native : unknown)
    if (!std::ranges::count(unknown_natives_, native))
      log::warn("the VM has no native function of that name to blame", {{"native", native}});
  unknown_natives_ = unknown;
}

void TargetSession::restart_sampling(const settings::Settings::Sampling& settings) {
  if (source_ != nullptr) collect();
  attributor_.reset();
  source_.reset();
  totals_->settle_source();
  start_sampling(settings);
}

bool TargetSession::wait_and_collect(int wake_fd, std::chrono::milliseconds timeout) {
  std::vector<pollfd> waiting = {{wake_fd, POLLIN, 0}, {end_.get(), POLLIN, 0}};
  if (source_ != nullptr)
    waiting.insert(waiting.end(), source_->descriptors().begin(), source_->descriptors().end());
  if (source_ != nullptr) timeout = std::min(timeout, source_->longest_wait());
  const int readable = poll(waiting.data(), waiting.size(), static_cast<int>(timeout.count()));
  if (source_ != nullptr) collect();
  if (readable <= 0) return true;
  // The descriptor of an ended thread stays readable: without this the loop would never sleep
  // again.
  for (std::size_t k = 2; k < waiting.size(); ++k)
    if ((waiting[k].revents & (POLLHUP | POLLERR)) != 0) {
      refresh_threads();
      break;
    }
  if (waiting[0].revents != 0) {
    eventfd_t ignored = 0;
    (void)eventfd_read(wake_fd, &ignored);
  }
  return waiting[0].revents == 0 && waiting[1].revents == 0;
}

void TargetSession::collect() {
  batch_.clear();
  source_->collect(batch_);
  const auto losses = source_->losses();
  totals_->set_losses(losses);
  totals_->set_cost(source_->cost());
  if (!recorder_->wanted()) stacks_->skip_losses(losses);
  if (batch_.empty() || space_.replaced()) return;
  // After the samples: a name is used only if its code was there before the sample and still is.
  const bool fresh = refresh_code();
  std::optional<StackBatch> recorded;
  if (recorder_->wanted()) recorded.emplace(*stacks_).set_losses(losses);
  for (const auto& sample : batch_.samples()) {
    const auto meaning = attributor_->attribute(sample, fresh);
    const auto& labels = names_->labels(sample, meaning);
    totals_->add(sample, meaning, labels);
    if (recorded) recorded->add(sample, meaning, attributor_->native_frames(), labels);
    if (latest_ != nullptr) latest_->add(sample, meaning, attributor_->native_frames(), false);
  }
  for (const auto& growth : batch_.growth()) add_growth(growth, fresh);
}

bool TargetSession::refresh_code() {
  if (vm_->code().refresh()) return true;
  totals_->count_torn_read("code");
  return false;
}

void TargetSession::refresh() {
  const auto now = os::monotonic_now();
  if (source_ != nullptr) {
    collect();
    refresh_threads();
    if (!told_unproven_) told_unproven_ = told_of_places(*vm_, source_->proofs());
    advance(now);
  }
  refresh_code();
  if (now - map_read_ < map_refresh_interval) return;
  map_read_ = now;
  vm_->refresh_memory_map();
  if (source_ == nullptr) return;
  (void)source_->refresh_threads();  // updates its list of the VM's files
  attributor_->update();
  if (!unknown_natives_.empty()) check_blamed();
}

void TargetSession::advance(std::chrono::nanoseconds now) {
  totals::SchedulerClock::CpuUse cpu_use;
  for (const auto& role : source_->roles())
    if (const auto off_cpu = source_->off_cpu(role)) cpu_use[role].off_cpu = off_cpu;
  if (cpu_use.empty())
    for (const auto& thread : os::threads_of(process_.directory()))
      if (const auto role = beam::thread_role(thread.name))
        cpu_use[*role].counted = os::cpu_use_of(process_.directory(), thread.tid);
  totals_->advance(source_->roles(), now, cpu_use);
}

os::Status TargetSession::blame_known(const std::vector<std::string>& natives) {
  set_blamed(natives);
  unknown_natives_ = attributor_->native().unknown_natives();
  if (unknown_natives_.empty()) return os::Done{};
  const auto& missing = unknown_natives_.front();
  std::string text = "the VM has no native function '" + missing + "'";
  const auto near =
      attribution::similar_names(missing, attributor_->native().names(), most_suggestions);
  for (std::size_t k = 0; k < near.size(); ++k) text += (k == 0 ? "; it has " : ", ") + near[k];
  return os::Error{os::ErrorKind::not_found, text};
}

bool TargetSession::alive() const {
  pollfd end{end_.get(), POLLIN, 0};
  return poll(&end, 1, 0) <= 0 && !space_.replaced() && process_.running();
}

void TargetSession::write(totals::Snapshot& snapshot) const {
  snapshot.up = true;
  const auto& release = vm_->release();
  snapshot.vm = totals::VmInfo{release.otp_release, release.erts_version, release.flavor,
                               vm_->layout().origin, vm_->image().build_id()};
  snapshot.own.features = no_features();
  snapshot.own.sampling_complaint = complaint_;
  if (source_ == nullptr) return;
  snapshot.own.features[std::string(source_->name())] = true;
  snapshot.own.features["kernel_samples"] = source_->sees_kernel();
  snapshot.own.features["growth"] = growth_seen_;
  snapshot.own.unwatched_threads = source_->unwatched().threads;
  tell_states(attributor_->native().tells(), snapshot.own.features);
  for (const auto& native : attributor_->native().blamed())
    snapshot.own.features["blame_" + native] = !std::ranges::count(unknown_natives_, native);
}

}  // namespace beam_exporter::session
