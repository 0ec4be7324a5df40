#include "session/unproven_places.h"

#include "log/log.h"

namespace beam_exporter::session {

bool told_of_places(const beam::VirtualMachine& vm, sampling::InterpreterProofs proofs) {
  constexpr std::uint64_t enough = 100;
  const auto samples = proofs.held + proofs.failed;
  if (vm.interpreter() == nullptr) return true;
  if (samples < enough) return false;
  if (proofs.failed <= proofs.held) return true;
  const auto& places = vm.interpreter()->places;
  log::warn("the interpreter does not keep its variables there: functions and stacks are not told",
            {{"I", place_text(places.instruction)},
             {"E", place_text(places.stack)},
             {"samples", std::to_string(samples)},
             {"failed", std::to_string(proofs.failed)}});
  return true;
}

}  // namespace beam_exporter::session
