#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "beam/code/relative_operands.h"
#include "os/memory/memory_map.h"

namespace beam_exporter::beam {

// The words of a VM's data, the first of which is at `begin`.
struct DataWords {
  std::span<const std::uint64_t> words;
  os::Address begin = 0;
};

struct LiteralArea {
  os::Address start_at = 0, size_at = 0;  // where these two words are
  os::AddressRange range;                 // what they hold
};

// erts_literals_start and erts_literals_size (sys/common/erl_mmap.c, OTP 23 to 29): two words side
// by side, which hold the begin and the size of a part of the address space that has been mapped
// from one end to the other, for no file. Much code asks if a term lies between them
// (erts_is_literal, erl_alloc.h): it uses both words within a few instructions. `operands` are
// those of the executable's code. nullopt where no words are like that, or more than two.
std::optional<LiteralArea> find_literal_area(DataWords data,
                                             std::span<const RelativeOperand> operands,
                                             const os::MemoryMap& map);

}  // namespace beam_exporter::beam
