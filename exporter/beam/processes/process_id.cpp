#include "beam/processes/process_id.h"

#include <bit>

namespace beam_exporter::beam {

namespace {

constexpr unsigned tag_bits = 4;
// ERTS_CACHE_LINE_SIZE of 64 bytes, of slots of 8 (erts_ptab_init_table, erl_ptab.c OTP 27).
constexpr std::uint64_t slots_per_line = 8;
constexpr unsigned slot_in_line_bits = 3;

std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return value & ((std::uint64_t{1} << bits) - 1);
}

// Number and serial, from the slot's place in the table.
std::uint64_t unscrambled(std::uint64_t data, std::uint64_t slot_mask) {
  const std::uint64_t line_mask = (slot_mask + 1) / slots_per_line - 1;
  return (data & ~slot_mask) | ((data >> slot_in_line_bits) & line_mask) |
         (data & (slots_per_line - 1)) << std::bit_width(line_mask);
}

}  // namespace

std::string process_id_text(const ProcessIdForm& form, Eterm id) {
  constexpr unsigned half_data_bits = 28;
  const std::uint64_t data = form.slot_in_upper_half ? low_bits(id >> tag_bits, half_data_bits)
                                                     : unscrambled(id >> tag_bits, form.slot_mask);
  const unsigned number_bits = form.slot_in_upper_half ? 15 : 28;
  return "<0." + std::to_string(low_bits(data, number_bits)) + "." +
         std::to_string(data >> number_bits) + ">";
}

}  // namespace beam_exporter::beam
