#include "session/views/running_process.h"

#include <algorithm>
#include <chrono>

#include "attribution/called_function.h"
#include "beam/code/stack_walker.h"
#include "beam/processes/process_fields.h"
#include "beam/processes/process_status.h"
#include "profile/process_profile.h"
#include "session/named_frame.h"
#include "session/process_names.h"

namespace beam_exporter::session {

namespace {

constexpr std::size_t most_words_of_a_stack = 512;

// A process that runs has left its stack pointer in the struct when it last called C code, or when
// it was scheduled in. What is above it in memory is the rest of the stack, as far as it has not
// returned since.
std::vector<std::string> stale_frames(beam::VirtualMachine& vm,
                                      const beam::ProcessFields& process) {
  if (!process.holds(process.stop)) return {};
  std::vector<std::uint64_t> words(
      std::min<std::size_t>((process.hend - process.stop) / 8, most_words_of_a_stack));
  if (words.empty() || !vm.memory().read(process.stop, std::as_writable_bytes(std::span(words))))
    return {};
  const auto stack = beam::walk_stack(vm.code(), {}, {.top = {process.stop, words}, .bottom = {}},
                                      std::chrono::nanoseconds::max());
  std::vector<std::string> frames;
  for (const auto& frame : stack.frames) {
    const auto named = named_frame(vm, vm.code(), vm.atoms(), frame);
    auto text = profile::frame_text(named.function, named.line);
    if (frames.empty() || frames.back() != text) frames.push_back(std::move(text));
  }
  return frames;
}

}  // namespace

std::optional<RunningProcess> running_process(beam::VirtualMachine& vm,
                                              const beam::ProcessIdForm& ids, os::Address process) {
  const auto fields = beam::read_process(vm.layout(), vm.memory(), process);
  if (!fields) return std::nullopt;
  const auto mfa = attribution::CalledFunction(vm).name_at(fields->current);
  const auto called = mfa ? vm.name_of(*mfa) : std::nullopt;
  ProcessNames names(vm);
  const auto* name = names.name(*fields, std::chrono::nanoseconds{});
  return RunningProcess{.id = beam::process_id_text(ids, fields->id),
                        .name = name == nullptr ? "?" : *name,
                        .status = std::string(name_of(beam::process_status(fields->state))),
                        .last_seen_in = called ? called->module + ":" + called->function : "",
                        .frames = stale_frames(vm, *fields)};
}

}  // namespace beam_exporter::session
