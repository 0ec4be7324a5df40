#include "beam/code/code_index.h"

#include <algorithm>
#include <array>
#include <span>

#include "beam/code/call_site.h"

namespace beam_exporter::beam {

namespace {

// A forged stack must not make this cache grow without bound.
constexpr std::size_t most_call_sites_per_module = 1 << 16;
// A read fails only when two loads are committed during it.
constexpr int attempts = 3;

}  // namespace

bool CodeIndex::refresh() {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto ranges = read_code_ranges(*layout_, *memory_, place_);
    if (!ranges) continue;
    ++refreshes_;
    const bool moved = *ranges != current_;
    if (moved) prove_all();
    if (moved || std::ranges::any_of(
                     entries_, [](const Entry& entry) { return entry.replaced || !entry.decoded; }))
      adopt(*ranges);
    return true;
  }
  return false;
}

// Whether the place still holds the same module. Equal ranges do not prove that: a purge and a load
// may reuse the place, and after three loads the active index is the same again.
bool CodeIndex::holds_its_place(Entry& entry) {
  if (entry.proven == refreshes_) return !entry.replaced;
  const Identity known = entry.module.identity();
  std::array<std::byte, most_identity_bytes> buffer;
  const auto now = std::span(buffer).first(known.bytes.size());
  entry.replaced = !memory_->read(known.at, now) || !std::ranges::equal(known.bytes, now);
  entry.proven = refreshes_;
  return !entry.replaced;
}

// As holds_its_place(), for all entries in few system calls.
void CodeIndex::prove_all() {
  std::vector<std::array<std::byte, most_identity_bytes>> buffers(entries_.size());
  std::vector<os::ReadRequest> requests;
  requests.reserve(entries_.size());
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Identity known = entries_[k].module.identity();
    requests.push_back({known.at, std::span(buffers[k]).first(known.bytes.size())});
  }
  memory_->read_batch(requests);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    entries_[k].replaced =
        !requests[k].ok ||
        !std::ranges::equal(entries_[k].module.identity().bytes, requests[k].into);
    entries_[k].proven = refreshes_;
  }
}

void CodeIndex::adopt(const CodeRanges& ranges) {
  bool changed = entries_.size() != ranges.ranges.size();
  std::vector<Entry> fresh;
  fresh.reserve(ranges.ranges.size());
  auto old = entries_.begin();
  for (const os::AddressRange range : ranges.ranges) {
    while (old != entries_.end() && old->module.range.begin < range.begin) ++old;
    const bool known = old != entries_.end() && old->module.range == range;
    if (known && old->decoded && !old->replaced) {
      fresh.push_back(std::move(*old++));
      continue;
    }
    Entry entry;
    if (auto module = read_code_module(*layout_, *memory_, range)) {
      entry.module = std::move(*module);
      entry.decoded = true;
    } else {
      entry.module.range = range;  // the next refresh tries again to read it
    }
    entry.since = clock_();
    entry.proven = refreshes_;
    changed = changed || !known || entry.decoded || old->decoded;
    fresh.push_back(std::move(entry));
  }
  entries_ = std::move(fresh);
  current_ = ranges;
  if (changed) ++generation_;
}

CodeIndex::Entry* CodeIndex::entry_at(os::Address address) {
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), address,
                       [](os::Address a, const Entry& e) { return a < e.module.range.begin; });
  if (after == entries_.begin()) return nullptr;
  Entry& entry = *std::prev(after);
  return entry.module.range.contains(address) ? &entry : nullptr;
}

CodeAnswer CodeIndex::function_at(os::Address address, std::chrono::nanoseconds when) {
  Entry* entry = entry_at(address);
  if (entry == nullptr) return {nullptr, CodeMiss::not_code};
  if (entry->since > when) return {nullptr, CodeMiss::changed};
  if (!entry->decoded) return {nullptr, CodeMiss::undecoded};
  if (!holds_its_place(*entry)) return {nullptr, CodeMiss::changed};
  const Mfa* mfa = entry->module.function_at(address);
  return {mfa, mfa != nullptr ? CodeMiss::none : CodeMiss::not_code};
}

CodeAnswer CodeIndex::caller_at(os::Address return_address, std::chrono::nanoseconds when) {
  // The address after the last call of a function may belong to the next function: look up the
  // call.
  const os::Address call = return_address - 1;
  const CodeAnswer answer = function_at(call, when);
  if (answer.mfa == nullptr) return answer;
  const auto site = call_site(*entry_at(call), return_address);
  return site && *site != CallSite::none ? answer : CodeAnswer{nullptr, CodeMiss::no_call};
}

// The interpreter's stack needs no proof: every word of it that is tagged as a continuation pointer
// is one (is_CP in beam/erl_process_dump.c and erl_process.c, OTP 23 and 25).
std::optional<CodeIndex::CallSite> CodeIndex::call_site(Entry& entry, os::Address return_address) {
  if (layout_->interpreted()) return CallSite::call;
  auto& sites = entry.after_call;
  if (const auto known = sites.find(return_address); known != sites.end()) return known->second;
  std::array<std::byte, call_site_bytes> bytes;
  if (!memory_->read(return_address - call_site_bytes, bytes)) return std::nullopt;
  if (sites.size() >= most_call_sites_per_module) sites.clear();
  CallSite site = ends_with_call(bytes) ? CallSite::call : CallSite::none;
  const auto target = near_target(near_call, bytes, return_address);
  if (target && leads_out_of_modules(*target)) site = CallSite::call_of_shared_code;
  sites.emplace(return_address, site);
  return site;
}

// The target is outside, or it is a jump to the outside that the module keeps for this purpose
// (jit/x86/beam_asm_module.cpp: resolve_fragment and emit_int_code_end in OTP 27; OTP 25 has such
// jumps for yielding and function_clause only, made in the constructor of BeamModuleAssembler).
bool CodeIndex::leads_out_of_modules(os::Address target) {
  if (entry_at(target) == nullptr) return true;
  std::array<std::byte, near_branch_bytes> bytes;
  if (!memory_->read(target, bytes)) return false;
  const auto next = near_target(near_jump, bytes, target + near_branch_bytes);
  return next && entry_at(*next) == nullptr;
}

bool CodeIndex::called_shared_code(os::Address return_address) {
  Entry* entry = entry_at(return_address - 1);
  return entry != nullptr && call_site(*entry, return_address) == CallSite::call_of_shared_code;
}

const CodeModule* CodeIndex::module_at(os::Address address) {
  Entry* entry = entry_at(address);
  return entry != nullptr && entry->decoded && holds_its_place(*entry) ? &entry->module : nullptr;
}

std::size_t CodeIndex::functions() const {
  std::size_t sum = 0;
  for (const auto& entry : entries_) sum += entry.module.functions.size();
  return sum;
}

std::uint64_t CodeIndex::undecoded() const {
  return static_cast<std::uint64_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& e) { return !e.decoded; }));
}

}  // namespace beam_exporter::beam
