#include "unit/elf/known_types.h"

// Types reach the DWARF only when something has them.
[[gnu::used]] static KnownOuter* outer_of_this_unit = nullptr;
[[gnu::used]] static KnownDeclared declared_elsewhere{};

// The same name for another type than in known_types_partly.cpp.
typedef KnownOuter KnownVariant;
[[gnu::used]] static KnownVariant* variant_of_this_unit = nullptr;

[[gnu::used]] extern const std::uint32_t known_constant = 0xfeedbeef;
[[gnu::used]] extern const char known_text[] = "13.1.5";
[[gnu::used]] extern const char known_unterminated[4] = {'a', 'b', 'c', 'd'};
[[gnu::used]] std::uint64_t known_zeros[16];
