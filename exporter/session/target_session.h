#pragma once

#include <memory>
#include <optional>
#include <string>

#include "attribution/attributor.h"
#include "beam/layout/layout_library.h"
#include "beam/virtual_machine.h"
#include "os/memory/memory_choice.h"
#include "os/process/address_space.h"
#include "os/unique_fd.h"
#include "profile/recorder.h"
#include "sampling/sample_source.h"
#include "session/growth_watch.h"
#include "session/latest_stacks.h"
#include "session/sample_names.h"
#include "session/sample_stacks.h"
#include "settings/settings.h"
#include "totals/snapshot.h"
#include "totals/totals.h"

namespace beam_exporter::session {

// One VM from attach to its end: the proven VM, the source that samples it, and the path of each
// sample into the totals. Used by the observing thread.
class TargetSession {
 public:
  // Attaches, proves the layout, starts sampling. A VM that may not be sampled is still attached.
  // `totals` and `recorder` must outlive the session. Errors: those of VirtualMachine::attach;
  // malformed, with the name of the proof that failed.
  static os::Result<std::unique_ptr<TargetSession>> attach(const os::Process& process,
                                                           const beam::LayoutLibrary& library,
                                                           const settings::Settings& settings,
                                                           totals::Totals& totals,
                                                           profile::Recorder& recorder);
  ~TargetSession();

  // Waits for samples, for the target's end, for `wake_fd` or for `timeout`; takes the samples that
  // are there. False when the target ended or somebody wrote to `wake_fd` (an eventfd, which it
  // resets).
  bool wait_and_collect(int wake_fd, std::chrono::milliseconds timeout);

  // Call between samples, at each snapshot interval: updates threads, wall time and memory maps.
  void refresh();

  // False when the process ended, or executed another program or the same one again.
  bool alive() const;
  // Why no thread is sampled; nullopt: they are.
  std::optional<os::Error> not_sampled() const;
  // As blame(), while it samples. Error: not_found, with the first one that the VM does not have,
  // and names like it.
  os::Status blame_known(const std::vector<std::string>& natives);
  // Profiles have the functions of the kernel from now on, by these names. Needs a source that
  // takes kernel stacks (settings.sampling.kernel_stacks). Logs one line where names are missing.
  void name_kernel(std::shared_ptr<const os::KernelSymbols> symbols);
  const os::Process& process() const { return process_; }
  const beam::VirtualMachine& vm() const { return *vm_; }
  beam::VirtualMachine& vm() { return *vm_; }
  // From now on `latest` gets each sample too; it must outlive the session.
  void watch(LatestStacks& latest) { latest_ = &latest; }

  void restart_sampling(const settings::Settings::Sampling& settings);
  void write(totals::Snapshot& snapshot) const;
  // Sets the native functions to blame from now on.
  void blame(const std::vector<std::string>& natives);

 private:
  TargetSession(const os::Process& process, totals::Totals& totals, profile::Recorder& recorder)
      : process_(process), space_(process.directory()), totals_(&totals), recorder_(&recorder) {}
  void start_sampling(const settings::Settings::Sampling& settings);
  void collect();
  void set_blamed(const std::vector<std::string>& natives);
  void check_blamed();
  void refresh_threads();
  void tell_unwatched();  // one log line about threads that cannot be sampled
  void watch_growth();    // logs one line when it is refused
  void add_growth(const sampling::GrowthEvent& growth, bool fresh);
  void advance(std::chrono::nanoseconds now);
  bool refresh_code();

  os::Process process_;
  os::AddressSpace space_;  // of the program that was attached to
  std::unique_ptr<os::Memory> memory_;
  std::unique_ptr<beam::VirtualMachine> vm_;
  std::optional<SampleNames> names_;
  std::unique_ptr<sampling::SampleSource> source_;
  std::unique_ptr<attribution::Attributor> attributor_;  // exists while source_ does
  std::vector<std::string> blamed_;
  bool all_watched_ = true, told_unproven_ = false;
  bool growth_wanted_ = false, growth_seen_ = false;
  AllocatorNames allocators_;                 // when growth is seen
  std::vector<std::string> unknown_natives_;  // those of blamed_ that the VM does not have
  os::UniqueFd end_;                          // readable when the process has ended
  totals::Totals* totals_;
  profile::Recorder* recorder_;
  std::optional<SampleStacks> stacks_;
  LatestStacks* latest_ = nullptr;
  std::string complaint_;  // of the source that was chosen
  sampling::SampleBatch batch_;
  std::chrono::nanoseconds map_read_{};
};

}  // namespace beam_exporter::session
