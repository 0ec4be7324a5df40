#include "commands/serve.h"

#include <signal.h>

#include <mutex>
#include <utility>
#include <vector>

#include "commands/commands.h"
#include "commands/logging.h"
#include "commands/version.h"
#include "log/log.h"
#include "os/supervision.h"
#include "session/observer.h"
#include "session/views/memory_view.h"
#include "session/views/process_profile.h"
#include "web/pages/pages.h"
#include "web/server/server.h"

namespace beam_exporter::commands {

namespace {

// Blocks the signals before any thread starts, so that only main receives them, one at a time.
sigset_t blocked_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Applies the same flags over a file that may have changed. A bad file changes nothing.
class Reloader {
 public:
  Reloader(CommandLine command_line, settings::Settings settings, session::Observer& observer)
      : command_line_(std::move(command_line)),
        settings_(std::move(settings)),
        observer_(&observer) {}

  os::Status reload() {
    std::lock_guard lock(mutex_);
    const auto fresh = load_settings(command_line_);
    if (!fresh) return refuse(fresh.error());
    if (const auto judged = judge_settings(*fresh); !judged) return refuse(judged.error());
    for (const auto& key : settings::needs_restart(settings_, *fresh))
      log::warn("a changed setting takes effect at the next start", {{"setting", key}});
    set_up_logging(fresh->log);
    settings_ = settings::after_reload(settings_, *fresh);
    observer_->apply(settings_);
    log::info("configuration reloaded");
    return os::Done{};
  }

 private:
  static os::Error refuse(const os::Error& error) {
    log::error("configuration not reloaded, the old one stays: " + error.text);
    return error;
  }

  std::mutex mutex_;
  CommandLine command_line_;
  settings::Settings settings_;  // those in use
  session::Observer* observer_;
};

web::WebOptions web_options(const settings::Settings::Web& settings,
                            std::vector<web::ListenAddress> listen_addresses) {
  web::WebOptions options;
  options.listen_addresses = std::move(listen_addresses);
  options.telemetry_path = settings.telemetry_path;
  options.max_requests = settings.max_requests;
  options.on_complaint = [](const std::string& text) { log::warn(text); };
  return options;
}

void wait_for_end(const sigset_t& signals, Reloader& reloader) {
  for (int number = 0; sigwait(&signals, &number) == 0;) {
    if (number != SIGHUP) return;
    if (const auto failure =
            os::failure_of([&] { (void)reloader.reload(); }))  // reload() logs its own errors
      log::error("configuration not reloaded, the old one stays: " + *failure);
  }
}

// Starts the observing thread. Where threads are limited, it may have to wait until another thread
// ends. False: a signal asked the exporter to end meanwhile.
bool start(session::Observer& observer, const sigset_t& signals) {
  for (auto pause = observer.start(); pause.count() > 0; pause = observer.start()) {
    const timespec wait{.tv_sec = pause.count() / 1000, .tv_nsec = pause.count() % 1000 * 1000000};
    const int number = sigtimedwait(&signals, nullptr, &wait);
    if (number > 0 && number != SIGHUP) return false;
  }
  return true;
}

}  // namespace

int serve(const CommandLine& command_line, const settings::Settings& settings,
          JudgedSettings judged) {
  const sigset_t signals = blocked_signals();
  totals::LatestSnapshot latest;
  const auto exposition = own_exposition(latest, settings);
  profile::Recorder recorder;
  collectors::AskedLooks looks;
  const collectors::AskedLook<profile::ProcessProfile> processes(looks, session::process_profile);
  const collectors::AskedLook<std::string> memory(looks, session::memory_view);
  session::Observer observer(settings, std::move(judged.layouts), latest, recorder, looks);
  Reloader reloader(command_line, settings, observer);

  const auto options = web_options(settings.web, std::move(judged.listen_addresses));
  auto router = web::pages(
      options, {.version = std::string(build_info().version),
                .metrics = [&](metrics::Format format) { return exposition->render(format); },
                .latest = &latest,
                .target = [&] { return web::target_line(*latest.newest()); },
                .reload = [&] { return reloader.reload(); },
                .record = [&](std::chrono::seconds time) { return recorder.record(time); },
                .processes = [&] { return processes.ask(); },
                .memory = [&] { return memory.ask(); }});
  // A sidecar starts before its VM: so serving starts first and does not wait for a VM.
  auto server = web::Server::start(options, std::move(router));
  if (!server) return fail(server.error());
  for (const auto& address : server->addresses())
    log::info("listening", {{"address", address}, {"path", settings.web.telemetry_path}});

  if (auto attached = observer.attach_now(); !attached) return fail(attached.error());
  if (start(observer, signals)) wait_for_end(signals, reloader);
  log::info("ending");
  recorder.end_all();  // the server waits for its pages
  return 0;
}

}  // namespace beam_exporter::commands
