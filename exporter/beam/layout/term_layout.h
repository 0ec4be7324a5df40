#pragma once

#include <cstdint>

#include "beam/layout/member.h"

// Atoms and binaries, part of Layout. Read by terms/, schedulers/ and processes/.
namespace beam_exporter::beam {

// index.h IndexTable (OTP 25, 27).
struct IndexTableLayout : Struct<"IndexTable"> {
  Member<os::Address> table_name{"htable.name"};  // char* in the rodata of the executable
  Member<std::uint32_t> limit{"limit"}, entries{"entries"};
  Member<os::Address> seg_table{"seg_table"};
};

// atom.h Atom (OTP 25, 26, 27, 29). A release has one of the last two.
struct AtomLayout : Struct<"Atom"> {
  Member<std::uint32_t> index{"slot.index"};
  Member<std::uint16_t> length{"len"};               // bytes
  Member<os::Address> text{"name", Need::optional};  // UTF-8, not terminated
  Member<Eterm> binary{"u.bin", Need::optional};     // OTP 28 and later: the text as a literal term
};

// A small binary on the heap is one of the next two structs. A release has only one of them.
// erl_binary.h ErlHeapBin (OTP 25; not in 27).
struct HeapBinaryLayout : Struct<"ErlHeapBin"> {
  Member<std::uint64_t> bytes{".size", Need::optional};
  Member<std::uint64_t> data{"data", Need::optional};
};

// erl_bits.h ErlHeapBits (OTP 27; not in 25).
struct HeapBitsLayout : Struct<"ErlHeapBits"> {
  Member<std::uint64_t> bits{".size", Need::optional};
  Member<std::uint64_t> data{"data", Need::optional};
};

// erl_bits.h ErlSubBits (OTP 27, 29; not in 25): a part of a binary, or a whole one outside the
// heaps.
struct SubBitsLayout : Struct<"ErlSubBits"> {
  // byte*; the lowest two bits are flags (ERL_SUB_BITS_FLAG_MASK).
  Member<std::uint64_t> base{"base_flags", Need::optional};
  Member<std::uint64_t> start{"start", Need::optional};  // in bits, from there
};

// What stands on the heap for a binary outside of it is one of the next two. A release has only one
// of them. `next` has the same place in all that an off-heap list holds (erl_off_heap_header).
// global.h ProcBin (OTP 25; not in 27).
struct ProcBinLayout : Struct<"ProcBin"> {
  Member<Eterm> header{"thing_word", Need::optional};
  Member<os::Address> next{"next", Need::optional}, binary{"val", Need::optional};
};

// erl_bits.h BinRef (OTP 27; not in 25).
struct BinRefLayout : Struct<"BinRef"> {
  Member<Eterm> header{"thing_word", Need::optional};
  Member<os::Address> next{"next", Need::optional}, binary{"val", Need::optional};
};

// erl_binary.h Binary (OTP 25, 27): a binary outside the heaps; many processes may hold it.
struct BinaryLayout : Struct<"Binary"> {
  Member<std::int64_t> bytes{"orig_size", Need::optional};
};

}  // namespace beam_exporter::beam
