#include "session/sample_stacks.h"

#include <numeric>

#include "session/named_frame.h"
#include "text/utf8.h"

namespace beam_exporter::session {

using profile::FunctionKind;

namespace {

// A symbol may hold any bytes; whoever reads a profile expects UTF-8.
std::string text_of(const attribution::NativeMeaning& meaning) {
  return text::is_utf8(meaning.name) ? meaning.name : "symbol that is not UTF-8";
}

std::uint64_t all(const sampling::Losses& losses) {
  return std::accumulate(losses.count.begin(), losses.count.end(), std::uint64_t{0});
}

}  // namespace

void SampleStacks::skip_losses(const sampling::Losses& losses) { lost_ = all(losses); }

StackBatch::StackBatch(SampleStacks& stacks) : names_(stacks), batch_(*stacks.recorder_) {
  const auto generation = stacks.vm_->code().generation();
  const bool begins = batch_.epoch() != stacks.epoch_;
  if (begins || generation != stacks.code_generation_) stacks.erlang_.clear();
  if (begins) {
    stacks.native_.clear();
    stacks.bifs_.clear();
    stacks.nifs_.clear();
    stacks.kernel_.clear();
  }
  stacks.epoch_ = batch_.epoch();
  stacks.code_generation_ = generation;
}

void StackBatch::set_losses(const sampling::Losses& losses) {
  const auto lost = all(losses);
  if (batch_.wanted() && lost > names_.lost_) batch_.count_lost(lost - names_.lost_);
  names_.lost_ = lost;
}

void StackBatch::add(const sampling::RawSample& sample, const attribution::Attribution& meaning,
                     std::span<const attribution::NativeMeaning* const> native,
                     const totals::SampleLabels& labels) {
  if (!batch_.wanted()) return;
  names_.stack_.clear();
  complete_ = true;
  push_kernel(sample);
  push_native(native);
  names_.native_frames_ = names_.stack_.size();
  push_called(meaning);
  push_erlang(meaning);
  push_bottom(sample, meaning);
  if (!complete_) return batch_.count_lost(1);
  batch_.add(names_.stack_,
             {.thread = std::string(name_of(sample.role.kind)),
              .number = static_cast<int>(sample.role.number),
              .state = std::string(name_of(meaning.state)),
              .process = labels.process != nullptr ? *labels.process : "",
              .natives = natives_of(meaning)},
             sample.cpu_time);
}

// A call of itself from one line is the same frame again: recursion over a long list would be a
// stack of its own for each length.
void StackBatch::push(Frame frame) {
  if (!frame)
    complete_ = false;
  else if (names_.stack_.empty() || names_.stack_.back() != *frame)
    names_.stack_.push_back(*frame);
}

void StackBatch::push_other(std::string_view what) {
  push(batch_.frame({.kind = FunctionKind::other, .name = std::string(what)}, 0));
}

void StackBatch::push_kernel(const sampling::RawSample& sample) {
  if (names_.kernel_symbols_ == nullptr) return;
  for (const auto address : sample.kernel) {
    const auto name = names_.kernel_symbols_->name_of(address);
    if (name.empty()) continue;
    auto known = names_.kernel_.find(name.data());
    if (known == names_.kernel_.end())
      known =
          names_.kernel_
              .emplace(name.data(),
                       batch_.frame({.kind = FunctionKind::kernel, .name = std::string(name)}, 0))
              .first;
    push(known->second);
  }
  if (sample.in_kernel && names_.stack_.empty())
    push(batch_.frame({.kind = FunctionKind::kernel, .name = "kernel"}, 0));
}

void StackBatch::push_native(std::span<const attribution::NativeMeaning* const> native) {
  for (const auto* meaning : native) {
    if (meaning->start == 0) {
      push_other("unknown code");
      continue;
    }
    auto known = names_.native_.find(meaning->start);
    if (known == names_.native_.end())
      known = names_.native_.emplace(meaning->start, batch_.frame({.name = text_of(*meaning)}, 0))
                  .first;
    push(known->second);
  }
}

void StackBatch::push_called(const attribution::Attribution& meaning) {
  const auto push_named = [&](auto& known, FunctionKind kind, const beam::Mfa& mfa) {
    auto found = known.find(mfa);
    if (found == known.end())
      found =
          known.emplace(mfa, batch_.frame(named_function(names_.vm_->atoms(), kind, mfa), 0)).first;
    push(found->second);
  };
  if (meaning.bif) push_named(names_.bifs_, FunctionKind::bif, *meaning.bif);
  if (meaning.nif) push_named(names_.nifs_, FunctionKind::nif, *meaning.nif);
}

void StackBatch::push_erlang(const attribution::Attribution& meaning) {
  const auto& stack = meaning.stack;
  for (std::size_t k = 0; k < stack.frames.size(); ++k) {
    if (stack.gap == k) push_other("frames left out");
    push(erlang_frame(stack.frames[k]));
  }
  if (stack.gap ? stack.gap == stack.frames.size() : meaning.truncated)
    push_other("frames left out");
}

// Every stack ends in something that says whose work it was.
void StackBatch::push_bottom(const sampling::RawSample& sample,
                             const attribution::Attribution& meaning) {
  if (!meaning.stack.frames.empty()) return;
  if (meaning.pseudo) return push_other(name_of(*meaning.pseudo));
  if (meaning.unattributed)
    return push_other(
        attribution::unattributed_names[static_cast<std::size_t>(*meaning.unattributed)]);
  if (meaning.for_process) return push_other("process");
  push_other(sample.role.kind == beam::ThreadKind::normal ? "scheduler"
                                                          : name_of(sample.role.kind));
}

std::vector<std::string> StackBatch::natives_of(const attribution::Attribution& meaning) const {
  std::vector<std::string> natives;
  for (std::size_t bit = 0; bit < names_.blamed_.size(); ++bit)
    if ((meaning.families >> bit & 1) != 0) natives.push_back(names_.blamed_[bit]);
  return natives;
}

StackBatch::Frame StackBatch::erlang_frame(const beam::ErlangFrame& frame) {
  if (const auto known = names_.erlang_.find(frame.address); known != names_.erlang_.end())
    return known->second;
  const auto named = named_frame(*names_.vm_, names_.vm_->code(), names_.vm_->atoms(), frame);
  const auto index = batch_.frame(named.function, named.line);
  names_.erlang_.emplace(frame.address, index);
  return index;
}

}  // namespace beam_exporter::session
