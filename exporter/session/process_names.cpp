#include "session/process_names.h"

#include "beam/layout/remote_struct.h"
#include "beam/processes/process_name.h"

namespace beam_exporter::session {

namespace {

constexpr auto trusted_for = std::chrono::seconds(1);
constexpr std::size_t most_processes = 8192;

}  // namespace

const std::string* ProcessNames::name(const beam::ProcessFields& process,
                                      std::chrono::nanoseconds when) {
  auto known = known_.find(process.id);
  if (known != known_.end() && when - known->second.looked_up < trusted_for)
    return &known->second.name;
  auto name = read(process);
  // A process that ends has lost its initial call (erts_do_exit_process), and then loses its name
  // (erts_continue_exit_process; erl_process.c, OTP 25 and 27). The VM does not reuse its id for a
  // long time.
  if (!name) return known == known_.end() ? nullptr : &known->second.name;
  if (known == known_.end()) {
    if (known_.size() >= most_processes) known_.clear();
    known = known_.emplace(process.id, Known{}).first;
  }
  known->second = {std::move(*name), when};
  return &known->second.name;
}

std::optional<std::string> ProcessNames::read(const beam::ProcessFields& process) const {
  const auto& at = vm_->layout().process;
  const auto& memory = vm_->memory();
  beam::ScannedProcess scanned{.id = process.id, .initial = process.initial};
  // Another process may be at this address by now: then only the values that came with the sample
  // are used.
  if (beam::read_field(memory, process.address, at.id) == process.id) {
    scanned.registered = beam::read_field(memory, process.address, at.reg).value_or(0);
    scanned.dictionary = beam::read_field(memory, process.address, at.dictionary).value_or(0);
  }
  return beam::process_name(vm_->layout(), memory, vm_->atoms(), scanned);
}

}  // namespace beam_exporter::session
