#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "attribution/attributor.h"
#include "beam/layout/layout_library.h"
#include "beam/virtual_machine.h"
#include "os/memory/memory_choice.h"
#include "os/process/address_space.h"
#include "os/unique_fd.h"
#include "sampling/sample_source.h"
#include "session/sample_names.h"
#include "settings/settings.h"
#include "totals/snapshot.h"
#include "totals/totals.h"

namespace beam_exporter::session {

// One VM from attach to its end: the proven VM, the source that samples it, and the way of each
// sample into the totals. Used by the observing thread.
class TargetSession {
 public:
  // Attaches, proves the layout, begins to sample. A VM that cannot be sampled (no right to) is
  // still attached. Errors: as VirtualMachine::attach; malformed when a proof fails, naming it.
  static os::Result<std::unique_ptr<TargetSession>> attach(const os::Process& process,
                                                           const beam::LayoutLibrary& library,
                                                           const settings::Settings& settings,
                                                           totals::Totals& totals);
  ~TargetSession();

  // Waits until samples, the target's end, `wake_fd`, or `timeout`; takes what samples there are.
  // False when the target ended or `wake_fd` (an eventfd, which it resets) was written.
  bool wait_and_collect(int wake_fd, std::chrono::milliseconds timeout);

  // Between samples, each snapshot interval: threads that came or went, wall time, maps.
  void refresh();

  // False when the process ended or became another program, or the same one anew.
  bool alive() const;
  const os::Process& process() const { return process_; }
  const beam::VirtualMachine& vm() const { return *vm_; }

  void restart_sampling(const settings::Settings::Sampling& settings);
  void write(totals::Snapshot& snapshot) const;
  // Which native functions to blame from now on.
  void blame(const std::vector<std::string>& natives);
  // beam_exporter_feature_enabled without a VM: every feature is there, and off.
  static std::map<std::string, bool> no_features();

 private:
  TargetSession(const os::Process& process, totals::Totals& totals)
      : process_(process), space_(process.directory()), totals_(&totals) {}
  void start_sampling(const settings::Settings::Sampling& settings);
  void collect();
  void check_blamed();
  void refresh_threads();
  void tell_unwatched();  // threads that cannot be sampled are one line in the log
  void watch_growth();    // a refusal is one line in the log
  void add_growth(const sampling::GrowthEvent& growth, bool fresh);
  void advance(std::chrono::nanoseconds now);
  bool refresh_code();

  os::Process process_;
  os::AddressSpace space_;  // of the program that was attached to
  std::unique_ptr<os::Memory> memory_;
  std::unique_ptr<beam::VirtualMachine> vm_;
  std::optional<SampleNames> names_;
  std::unique_ptr<sampling::SampleSource> source_;
  std::unique_ptr<attribution::Attributor> attributor_;  // there while source_ is
  std::vector<std::string> blamed_;
  bool all_watched_ = true;
  bool growth_wanted_ = false, growth_seen_ = false;
  std::map<os::Address, std::string> allocators_;  // Allctr_t to name, once growth is seen
  std::vector<std::string> unknown_natives_;       // of blamed_: the VM has no such function
  os::UniqueFd end_;                               // readable when the process has ended
  totals::Totals* totals_;
  sampling::SampleBatch batch_;
  std::chrono::nanoseconds map_read_{};
};

}  // namespace beam_exporter::session
