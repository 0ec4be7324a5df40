#include "session/latest_stacks.h"

#include <algorithm>
#include <utility>

#include "beam/processes/process_status.h"
#include "profile/process_profile.h"

namespace beam_exporter::session {

namespace {

// Between two processes, and between two time slices of one, a scheduler does work of its own.
constexpr auto own_work_lasts = std::chrono::milliseconds(20);

bool is_idle(const sampling::RawSample& seen, const attribution::Attribution& meaning) {
  using enum attribution::State;
  if (meaning.for_process || seen.has_process()) return false;
  return meaning.state == busy_wait || meaning.state == check_io || meaning.state == sleep;
}

// It chooses what to do next.
bool is_choosing(const sampling::RawSample& seen, const attribution::Attribution& meaning) {
  return meaning.state == attribution::State::other && !meaning.for_process && !seen.has_process();
}

// No function of the process runs: it has no process, or it takes one in or out.
bool is_own_work(const LatestStack& look, const attribution::Attribution& meaning) {
  return look.process == 0 || meaning.pseudo == attribution::PseudoFunction::scheduling;
}

// As the last samples of a VM that has ended: its memory was gone when they were to be named.
bool has_no_names(const attribution::Attribution& meaning) {
  return meaning.unattributed == attribution::Unattributed::code_changed ||
         meaning.unattributed == attribution::Unattributed::process_unreadable;
}

bool frames_missing(const sampling::RawSample& seen,
                    std::span<const attribution::NativeMeaning* const> native) {
  return !native.empty() && seen.native_end != elf::UnwindEnd::reached &&
         seen.native_end != elf::UnwindEnd::thread_begin;
}

std::vector<StackLine> lines_of(const profile::Profile& table,
                                const std::vector<profile::Index>& frames, std::size_t cut_at) {
  std::vector<StackLine> lines;
  const StackLine cut{profile::FunctionKind::other,
                      profile::frame_text({.kind = profile::FunctionKind::other,
                                           .name = std::string(profile::frames_left_out)},
                                          0)};
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (cut_at > 0 && k == cut_at) lines.push_back(cut);
    const auto& function = table.function_of(frames[k]);
    lines.push_back({function.kind, profile::frame_text(function, table.frames[frames[k]].line)});
  }
  return lines;
}

}  // namespace

LatestStacks::LatestStacks(beam::VirtualMachine& vm) : names_(vm), stacks_(vm, recorder_) {
  recorder_.begin({});
  if (auto window = recorder_.open()) window_.emplace(std::move(*window));
}

LatestStacks::Look LatestStacks::look_at(
    const sampling::RawSample& seen, const attribution::Attribution& meaning,
    std::span<const attribution::NativeMeaning* const> native) {
  StackBatch(stacks_).add(seen, meaning, native, {});
  Look look{.stack = {.time = seen.time,
                      .since = seen.time,
                      .state = std::string(name_of(meaning.state))},
            .frames = stacks_.last(),
            .erlang = !meaning.stack.frames.empty()};
  // Equal neighbours are one frame, so count those that are there.
  if (frames_missing(seen, native)) look.cut_at = stacks_.last_native();
  if (!seen.process) return look;
  look.stack.process = seen.process->id;
  look.stack.status = name_of(beam::process_status(seen.process->state));
  if (const auto* name = names_.name(*seen.process, seen.time)) look.stack.name = *name;
  return look;
}

void LatestStacks::add(const sampling::RawSample& seen, const attribution::Attribution& meaning,
                       std::span<const attribution::NativeMeaning* const> native, bool blocked) {
  if (!window_ || seen.role.kind > beam::ThreadKind::dirty_io) return;
  if (is_choosing(seen, meaning)) return;
  auto& thread = threads_[seen.role];
  if (seen.time < thread.newest) return;  // samples come later than looks do
  thread.newest = seen.time;
  auto look = look_at(seen, meaning, native);
  look.stack.blocked = blocked;
  if (!is_idle(seen, meaning)) return keep_work(thread, std::move(look), meaning);
  thread.idle = std::move(look);
  thread.rested = true;
}

void LatestStacks::keep_work(Looks& thread, Look look, const attribution::Attribution& meaning) {
  if (thread.work && has_no_names(meaning)) return;
  // Its Erlang stack could not be read any more.
  if (thread.work && thread.work->erlang && !look.erlang && !meaning.pseudo &&
      look.stack.process == thread.work->stack.process)
    return;
  if (thread.work && !thread.rested && thread.work->stack.process != 0) {
    const auto& before = thread.work->stack;
    if (is_own_work(look.stack, meaning) && look.stack.time - before.time < own_work_lasts) return;
    if (look.stack.process == before.process) look.stack.since = before.since;
  }
  thread.work = std::move(look);
  thread.rested = false;
}

bool LatestStacks::worked(beam::ThreadRole role) const {
  const auto thread = threads_.find(role);
  return thread != threads_.end() && thread->second.work;
}

std::map<beam::ThreadRole, LatestStacks::Thread> LatestStacks::finish() {
  std::map<beam::ThreadRole, Thread> threads;
  if (!window_) return threads;
  const auto table = window_->finish();
  const auto told = [&](std::optional<Look>& look) -> std::optional<LatestStack> {
    if (!look) return std::nullopt;
    look->stack.lines = lines_of(table, look->frames, look->cut_at);
    return std::move(look->stack);
  };
  for (auto& [role, looks] : threads_) threads[role] = {told(looks.work), told(looks.idle)};
  return threads;
}

}  // namespace beam_exporter::session
