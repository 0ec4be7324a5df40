#pragma once

#include <cstdint>
#include <functional>

#include "beam/layout/layout.h"

namespace beam_exporter::beam {

// A function's identity inside one VM: atom terms, which are never freed or reused while it lives.
struct Mfa {
  Eterm module = 0;
  Eterm function = 0;
  std::uint32_t arity = 0;
  friend bool operator==(const Mfa&, const Mfa&) = default;
  friend auto operator<=>(const Mfa&, const Mfa&) = default;
};

struct MfaHash {
  std::size_t operator()(const Mfa& mfa) const {
    return std::hash<std::uint64_t>{}(mfa.module * 0x9e3779b97f4a7c15ULL ^ (mfa.function << 8) ^
                                      mfa.arity);
  }
};

}  // namespace beam_exporter::beam
