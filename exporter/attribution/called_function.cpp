#include "attribution/called_function.h"

#include <array>
#include <cstring>
#include <span>

#include "beam/terms/term.h"

namespace beam_exporter::attribution {

namespace {

// struct ErtsCodeMFA_ (beam/code_ix.h).
struct CodeMfa {
  beam::Eterm module, function;
  std::uint64_t arity;
};
// How far behind the ErtsCodeMFA the address of the C function may stand.
constexpr std::size_t looked_at = 160;
constexpr std::uint64_t largest_arity = 255;
constexpr std::size_t most_remembered = 1 << 14;

std::optional<beam::Mfa> decoded(std::span<const std::byte> bytes) {
  CodeMfa code;
  std::memcpy(&code, bytes.data(), sizeof code);
  if (!beam::atom_index(code.module) || !beam::atom_index(code.function) ||
      code.arity > largest_arity)
    return std::nullopt;
  return beam::Mfa{code.module, code.function, static_cast<std::uint32_t>(code.arity)};
}

bool holds(std::span<const std::byte> bytes, os::Address wanted) {
  for (std::size_t at = 0; at + sizeof wanted <= bytes.size(); ++at)
    if (std::memcmp(bytes.data() + at, &wanted, sizeof wanted) == 0) return true;
  return false;
}

}  // namespace

std::optional<beam::Mfa> CalledFunction::name(os::Address c_function, os::Address current) {
  std::array<std::byte, sizeof(CodeMfa) + looked_at> bytes;
  if (current != 0 && vm_->memory().read(current, bytes)) {
    const auto mfa = decoded(bytes);
    if (mfa && holds(std::span(bytes).subspan(sizeof(CodeMfa)), c_function)) {
      if (known_.size() >= most_remembered) known_.clear();
      known_.insert_or_assign(c_function, *mfa);
      return mfa;
    }
  }
  const auto known = known_.find(c_function);
  return known == known_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<beam::Mfa> CalledFunction::trusted(os::Address current) const {
  std::array<std::byte, sizeof(CodeMfa)> bytes;
  if (current == 0 || !vm_->memory().read(current, bytes)) return std::nullopt;
  return decoded(bytes);
}

}  // namespace beam_exporter::attribution
