#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "beam/layout/layout.h"

namespace beam_exporter::beam {

// MAX_ARG (erl_vm.h; beam_file.c refuses more; OTP 25 and 27).
inline constexpr std::uint32_t most_arguments = 255;

// Identifies a function inside one VM by atom terms, which the VM never frees or reuses.
struct Mfa {
  Eterm module = 0;
  Eterm function = 0;
  std::uint32_t arity = 0;
  friend bool operator==(const Mfa&, const Mfa&) = default;
  friend auto operator<=>(const Mfa&, const Mfa&) = default;
};

// struct ErtsCodeMFA_ (beam/code_ix.h, OTP 25 and 27) as it is in memory: module, function, arity.
using CodeMfa = std::array<std::uint64_t, 3>;

struct MfaHash {
  std::size_t operator()(const Mfa& mfa) const {
    return std::hash<std::uint64_t>{}(mfa.module * 0x9e3779b97f4a7c15ULL ^ (mfa.function << 8) ^
                                      mfa.arity);
  }
};

}  // namespace beam_exporter::beam
