#include "attribution/called_function.h"

#include <array>
#include <cstring>
#include <span>

#include "beam/terms/term.h"

namespace beam_exporter::attribution {

namespace {

using beam::CodeMfa;
// The address of the C function is within this many bytes after the ErtsCodeMFA.
constexpr std::size_t searched_bytes = 160;
constexpr std::uint64_t largest_arity = 255;
constexpr std::size_t most_remembered = 1 << 14;

bool holds(std::span<const std::byte> bytes, os::Address wanted) {
  for (std::size_t at = 0; at + sizeof wanted <= bytes.size(); ++at)
    if (std::memcmp(bytes.data() + at, &wanted, sizeof wanted) == 0) return true;
  return false;
}

}  // namespace

std::optional<beam::Mfa> CalledFunction::name(os::Address c_function, os::Address current) {
  std::array<std::byte, sizeof(CodeMfa) + searched_bytes> bytes;
  if (current != 0 && vm_->memory().read(current, bytes)) {
    CodeMfa words;
    std::memcpy(words.data(), bytes.data(), sizeof words);
    const auto mfa = decoded(words);
    if (mfa && holds(std::span(bytes).subspan(sizeof(CodeMfa)), c_function)) {
      if (known_.size() >= most_remembered) known_.clear();
      known_.insert_or_assign(c_function, *mfa);
      return mfa;
    }
  }
  const auto known = known_.find(c_function);
  return known == known_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<beam::Mfa> CalledFunction::name_at(os::Address current) const {
  CodeMfa words;
  if (current == 0 || !vm_->memory().read(current, std::as_writable_bytes(std::span(words))))
    return std::nullopt;
  return decoded(words);
}

std::optional<beam::Mfa> CalledFunction::decoded(std::span<const std::uint64_t, 3> words) {
  const auto [module, function, arity] = std::array{words[0], words[1], words[2]};
  if (!beam::atom_index(module) || !beam::atom_index(function) || arity > largest_arity)
    return std::nullopt;
  return beam::Mfa{module, function, static_cast<std::uint32_t>(arity)};
}

}  // namespace beam_exporter::attribution
