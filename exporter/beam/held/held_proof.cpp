#include "beam/held/held_proof.h"

#include <algorithm>
#include <vector>

#include "beam/held/held_by_processes.h"
#include "beam/held/struct_batch.h"

namespace beam_exporter::beam {

namespace {

constexpr std::size_t most_proven = 256;
// One, and one in so many, may contradict: a signal about a link may be under way for long.
constexpr std::size_t tolerated = 32;

// From all of the table: neighbours are often of one kind.
std::vector<ScannedProcess> some_of(std::span<const ScannedProcess> processes) {
  std::vector<ScannedProcess> some;
  const std::size_t step = processes.size() / most_proven + 1;
  for (std::size_t k = 0; k < processes.size(); k += step) some.push_back(processes[k]);
  return some;
}

// One kind of holding against the members of Process that lead to it.
template <class... Members>
PartProof prove(const Layout& layout, const os::Memory& memory,
                std::span<const ScannedProcess> some, Holdings kind, std::size_t least_evidence,
                const Members&... roots) {
  if (!can_measure(layout, kind)) return {false, "the layout does not tell where all of it is"};
  const auto look = measure_held(layout, memory, some, kind);
  std::vector<os::Address> measured;
  for (std::size_t k = 0; k < some.size(); ++k)
    if (look.held[k].memory || look.held[k].binaries) measured.push_back(some[k].address);
  std::size_t evidence = 0;  // processes that have something behind a root
  read_structs(memory, measured, layout.process.size,
               [&](std::size_t /*k*/, std::span<const std::byte> bytes) {
                 const StructBytes process(bytes);
                 if (((process.get(roots).value_or(0) != 0) || ...)) ++evidence;
               });
  return {evidence >= least_evidence && look.contradictions <= 1 + evidence / tolerated,
          std::to_string(measured.size()) + " processes measured, " + std::to_string(evidence) +
              " of them with links or lists; those of " + std::to_string(look.contradictions) +
              " contradict themselves"};
}

}  // namespace

HeldProofs prove_held(const Layout& layout, const os::Memory& memory,
                      std::span<const ScannedProcess> processes) {
  const auto some = some_of(processes);
  const auto& at = layout.process;
  return {
      prove(layout, memory, some, {.memory = true}, 1, at.links, at.monitors, at.target_monitors),
      prove(layout, memory, some, {.binaries = true}, 0, at.off_heap, at.fragments)};
}

}  // namespace beam_exporter::beam
