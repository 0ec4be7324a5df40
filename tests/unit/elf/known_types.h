#pragma once

#include <cstdint>

// Structs in the shapes that ERTS uses. The compiler says where their members are (offsetof), the
// tests ask the DWARF of their own binary. Outside any namespace, as C structs are.

struct KnownInner {
  std::uint8_t tag;
  std::uint32_t counter;
};

typedef KnownInner KnownAtomic;

struct KnownOuter {
  void* first;
  union {
    std::uint64_t as_word;
    __extension__ struct {
      std::uint16_t low;
      std::uint16_t high;
    };
  };
  struct {
    union {
      struct {
        std::uint32_t padding[3];
        const volatile KnownAtomic state;
      } alive;
      std::uint8_t released;
    } u;
  } common;
  std::uint32_t plain_bits_before;
  unsigned one_bit : 1;
  unsigned more_bits : 7;
  std::uint16_t table[5];
  KnownInner inners[2];
  void (*callback)(int);
  std::uint64_t* tail[1];
};

// known_types_partly.cpp only declares this one.
struct KnownDeclared {
  std::uint64_t skipped;
  std::uint32_t value;
};

extern "C" const std::uint32_t known_constant;
extern "C" const char known_text[];
extern "C" const char known_unterminated[4];
extern "C" std::uint64_t known_zeros[16];
