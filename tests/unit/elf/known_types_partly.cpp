#include <cstdint>

struct KnownDeclared;
[[gnu::used]] static KnownDeclared* declared_only = nullptr;

struct KnownSmallVariant {
  std::uint64_t first;
};
typedef KnownSmallVariant KnownVariant;
[[gnu::used]] static KnownVariant small_variant{};
