#include "beam/hidden/memory_mapper.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

namespace beam_exporter::beam {

namespace {

// How ErtsMemMapper_ begins (sys/common/erl_mmap.c, OTP 23 to 29). Both functions do nothing where
// all memory is from mmap().
struct MapperHead {
  os::Address reserve_physical, unreserve_physical;
  std::int32_t supercarrier, no_os_mmap;
  os::Address end;  // sua.top, of the super carrier
};
static_assert(sizeof(MapperHead) == 32);

// gcc 12 and 16 and clang 14 put them 16 to 122 bytes of code apart.
constexpr std::size_t near_literal_mapper = 128;
// The code of two of these functions is farther apart: at least 5,000 bytes.
constexpr std::size_t functions_apart = 1024;
constexpr std::size_t enough_functions = 2;

struct Mapper {
  MapperHead head;
  std::uint64_t total;  // of its super carrier; 0: it has none
};

std::optional<Mapper> mapper_at(const Layout& layout, DataWords data, os::AddressRange executable,
                                os::Address at) {
  const auto& fields = layout.allocators.mapper;
  const auto bytes = std::as_bytes(data.words);
  if (at < data.begin || at % sizeof(os::Address) != 0 || fields.size < sizeof(MapperHead) ||
      at - data.begin > bytes.size() || fields.size > bytes.size() - (at - data.begin))
    return std::nullopt;
  const auto own = bytes.subspan(at - data.begin, fields.size);
  Mapper mapper{};
  std::memcpy(&mapper.head, own.data(), sizeof mapper.head);
  const auto& head = mapper.head;
  const auto total = StructBytes(own).get(fields.super_total);
  const bool has_carrier = head.supercarrier == 1;
  if (!total || !executable.contains(head.reserve_physical) ||
      !executable.contains(head.unreserve_physical) || (head.supercarrier != 0 && !has_carrier) ||
      head.no_os_mmap < 0 || head.no_os_mmap > 1 || has_carrier != (*total != 0))
    return std::nullopt;
  mapper.total = *total;
  return mapper;
}

// Its super carrier begins before the literals, with what it needs to remember free segments.
bool has_literals(const Mapper& mapper, os::AddressRange literals) {
  return mapper.head.end == literals.end && mapper.total >= literals.size() &&
         mapper.total - literals.size() <= literals.begin;
}

}  // namespace

std::optional<os::Address> find_default_mapper(const Layout& layout, DataWords data,
                                               std::span<const std::byte> code,
                                               std::span<const RelativeOperand> operands,
                                               os::AddressRange executable,
                                               os::AddressRange literals) {
  // Where the code takes the address of a mapper, in order.
  std::vector<RelativeOperand> taken;
  std::map<os::Address, Mapper> mappers;
  for (const auto& operand : operands) {
    if (!takes_address(code, operand)) continue;
    const auto mapper = mapper_at(layout, data, executable, operand.target);
    if (!mapper) continue;
    taken.push_back(operand);
    mappers.emplace(operand.target, *mapper);
  }
  std::map<os::Address, std::vector<std::size_t>> places;
  for (const auto& of_literals : taken) {
    if (!has_literals(mappers.at(of_literals.target), literals)) continue;
    for (const auto& other : taken) {
      const std::size_t first = std::min(of_literals.at, other.at),
                        last = std::max(of_literals.at, other.at);
      if (last - first > near_literal_mapper || has_literals(mappers.at(other.target), literals))
        continue;
      auto& known = places[other.target];
      if (known.empty() || of_literals.at > known.back() + functions_apart)
        known.push_back(of_literals.at);
    }
  }
  std::optional<os::Address> found;
  for (const auto& [mapper, where] : places) {
    if (where.size() < enough_functions) continue;
    if (found) return std::nullopt;
    found = mapper;
  }
  return found;
}

}  // namespace beam_exporter::beam
