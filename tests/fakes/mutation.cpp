#include "fakes/mutation.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "fakes/corrupted.h"
#include "text/printed.h"

namespace beam_exporter::tests {

namespace {

constexpr std::uint64_t page = 4096;

std::string in_hex(std::uint64_t value) {
  return text::printed("%llx", static_cast<unsigned long long>(value));
}

}  // namespace

Mutation::Mutation(FakeMemory& memory, const ReadLog& log, std::uint64_t seed)
    : memory_(memory), log_(log), random_(seed) {
  // Most readers stop at the first thing that is wrong: one change gets furthest.
  constexpr std::uint64_t most = 8;
  const auto changes = below(3) == 0 ? 1 + below(most) : 1;
  for (std::uint64_t k = 0; k < changes; ++k) change_once();
}

Mutation::~Mutation() {
  for (const auto& [at, bytes] : saved_ | std::views::reverse) memory_.put_bytes(at, bytes);
}

Mutation::Target Mutation::target() {
  const auto& places = log_.places();
  const auto& reader = log_.readers()[below(log_.readers().size())];
  const auto first = places.lower_bound({reader, 0}), last = places.upper_bound({reader, ~0ULL});
  if (first == last) return target();  // one that has read nothing
  const auto kinds = static_cast<std::uint64_t>(std::distance(first, last));
  const auto kind = std::next(first, static_cast<std::ptrdiff_t>(below(kinds)));
  const auto& place = kind->second[below(kind->second.size())];
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  const auto width = std::min(place.size(), word);
  const auto words = std::max<std::uint64_t>(place.size() / word, 1);
  // Zeros are mostly what nobody uses.
  os::AddressRange at;
  for (int tries = 0; tries < 8; ++tries) {
    const auto begin = place.begin + below(words) * word;
    at = {begin, begin + width};
    if (word_at(at) != 0) break;
  }
  return {&kind->first, &kind->second, place, at};
}

void Mutation::change_once() {
  const auto it = target();
  text_ += (text_.empty() ? "" : "; ") + it.kind->first + " " + in_hex(it.place.begin) + "+" +
           std::to_string(it.word.begin - it.place.begin) + "/" + std::to_string(it.place.size()) +
           " ";
  const auto good = word_at(it.word);
  switch (below(8)) {
    case 0:
    case 1: {
      const auto bit = below(it.word.size() * 8);
      return put(it, good ^ std::uint64_t{1} << bit);
    }
    case 2:
    case 3: {
      const auto all = bad_values(it.place.begin, it.word.begin, good);
      return put(it, all[below(all.size())]);
    }
    case 4:
      return put(it, word_at(target().word));
    case 5:
      return put(it, (*it.all)[below(it.all->size())].begin);
    case 6:
      return swap_with_another(it);
    default:
      return end_memory(it.word.begin);
  }
}

void Mutation::put(const Target& target, std::uint64_t value) {
  save(target.word.begin, target.word.size());
  memory_.put_bytes(target.word.begin,
                    std::as_bytes(std::span(&value, 1)).first(target.word.size()));
  text_ += "= " + in_hex(value);
}

void Mutation::swap_with_another(const Target& target) {
  const auto& other = (*target.all)[below(target.all->size())];
  const auto bytes = std::min(target.place.size(), other.size());
  save(target.place.begin, bytes);
  const auto first = saved_.back().bytes;
  save(other.begin, bytes);
  const auto second = saved_.back().bytes;
  if (first.size() == bytes) memory_.put_bytes(other.begin, first);
  if (second.size() == bytes) memory_.put_bytes(target.place.begin, second);
  text_ += "changes places with " + in_hex(other.begin);
}

// As where a mapping ends: up to the next page.
void Mutation::end_memory(os::Address at) {
  for (os::Address byte = at; byte % page != 0 || byte == at; ++byte)
    if (memory_.value<std::byte>(byte)) save(byte, 1);
  memory_.forget(at, page - at % page);
  text_ += "is the end";
}

// Keeps what is there; the bytes behind the end are not.
void Mutation::save(os::Address at, std::size_t bytes) {
  std::vector<std::byte> old(bytes);
  if (memory_.read(at, old)) {
    saved_.push_back({at, std::move(old)});
    return;
  }
  saved_.push_back({at, {}});
}

std::uint64_t Mutation::word_at(const os::AddressRange& word) const {
  std::uint64_t value = 0;
  const auto into = std::as_writable_bytes(std::span(&value, 1)).first(word.size());
  return memory_.read(word.begin, into) ? value : 0;
}

}  // namespace beam_exporter::tests
