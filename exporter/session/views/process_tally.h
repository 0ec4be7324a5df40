#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "beam/process_stacks.h"
#include "profile/process_profile.h"
#include "profile/stack_table.h"

namespace beam_exporter::session {

// Counts processes by stack and labels, and names each frame once. Called by process_profile() and
// process_view(). At most 1,000 registered names are kept, because each is an entry of its own. One
// thread.
class ProcessTally {
 public:
  // All three must outlive it; `code` and `atoms` are those of its thread.
  ProcessTally(const beam::VirtualMachine& vm, beam::CodeIndex& code, beam::Atoms& atoms)
      : vm_(&vm), code_(&code), atoms_(&atoms) {}

  void add(const beam::ProcessStack& process);
  // Call it once.
  profile::ProcessProfile finish(const beam::ProcessStackScan& scan);

 private:
  using Frame = std::optional<profile::Index>;  // nullopt: the table is full
  struct Sum {
    std::uint64_t processes = 0, heap_bytes = 0;
  };

  std::optional<profile::Index> stack_of(const beam::ProcessStack& process);
  Frame other(std::string_view what);
  Frame named(const beam::ErlangFrame& frame);
  std::string registered_name(const beam::ScannedProcess& process);

  const beam::VirtualMachine* vm_;
  beam::CodeIndex* code_;
  beam::Atoms* atoms_;
  profile::StackTable table_;
  std::map<std::pair<profile::Index, profile::Index>, Sum> sums_;  // by stack and labels
  std::unordered_map<os::Address, Frame> known_;                   // by address of the call
  std::size_t registered_ = 0;
  profile::ProcessProfile profile_;
};

}  // namespace beam_exporter::session
