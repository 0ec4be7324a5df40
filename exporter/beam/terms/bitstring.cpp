#include "beam/terms/bitstring.h"

#include "beam/layout/remote_struct.h"
#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

constexpr Eterm sub_bits_header = 0x24;  // _TAG_HEADER_SUB_BITS, erl_term.h (OTP 27 and 29)
// ERL_SUB_BITS_FLAG_MASK, erl_bits.h (OTP 27 and 29).
constexpr std::uint64_t flags_of_base = 3;

}  // namespace

std::optional<os::Address> bytes_of_bitstring(const Layout& layout, const os::Memory& memory,
                                              Eterm term) {
  if (!is_boxed(term) || !is_whole(layout.heap_bits) || !is_whole(layout.sub_bits))
    return std::nullopt;
  const auto header = memory.value<Eterm>(pointer(term));
  if (!header) return std::nullopt;
  if ((*header & header_kind) == heap_bits_header) return layout.heap_bits.data.at(pointer(term));
  if ((*header & header_kind) != sub_bits_header) return std::nullopt;
  const auto bytes = read_struct(memory, pointer(term), layout.sub_bits.size);
  if (!bytes) return std::nullopt;
  const StructBytes fields(*bytes);
  const auto base = fields.get(layout.sub_bits.base), start = fields.get(layout.sub_bits.start);
  if (!base || !start || *start % 8 != 0) return std::nullopt;
  return os::checked_add(*base & ~flags_of_base, *start / 8);
}

}  // namespace beam_exporter::beam
