#include "elf/debug_types.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <limits>
#include <map>
#include <memory>
#include <string_view>

#include "elf/elf_handle.h"

namespace beam_exporter::elf {

namespace {

struct DwarfCloser {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
using DwarfHandle = std::unique_ptr<Dwarf, DwarfCloser>;

// DWARF is untrusted input: sibling and type references may form cycles, so each walk is bounded.
constexpr int max_depth = 32;
constexpr std::uint64_t max_visits = 10'000'000;

// One pass over one Dwarf. It follows typedefs itself, because libdw's dwarf_peel_type never ends
// on a cycle of typedefs.
class TypeReader {
 public:
  TypeReader(Dwarf* dwarf, std::span<const TypeQuery> queries,
             std::vector<std::optional<TypeAnswer>>& answers)
      : dwarf_(dwarf), queries_(queries), answers_(answers), found_(queries.size(), 0) {
    for (std::size_t i = 0; i < queries.size(); ++i) by_name_[queries[i].name].push_back(i);
    open_ = queries.size();
  }

  // False when the walk did not reach the last unit.
  bool run() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die unit_die{};
    for (;;) {
      const int more = dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &unit_die, nullptr);
      if (more != 0) return more > 0;
      // Partial units are visited as units of their own.
      if (!visit_unit(unit_die)) return false;
      if (open_ == 0) return true;
    }
  }

 private:
  bool visit_unit(Dwarf_Die& unit) {
    Dwarf_Die die;
    int more = dwarf_child(&unit, &die);
    for (; more == 0; more = dwarf_siblingof(&die, &die)) {
      if (++visits_ > max_visits) return false;
      if (open_ > 0) visit(die);
    }
    return more > 0;
  }

  void visit(Dwarf_Die& die) {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_structure_type && tag != DW_TAG_union_type && tag != DW_TAG_class_type &&
        tag != DW_TAG_typedef)
      return;
    const char* name = dwarf_diename(&die);
    if (name == nullptr) return;
    const auto wanted = by_name_.find(std::string_view(name));
    if (wanted == by_name_.end()) return;
    auto type = peel(die);
    if (!type || !is_aggregate(*type) || is_declaration(*type)) return;
    for (const std::size_t index : wanted->second) answer(index, *type);
  }

  void answer(std::size_t index, Dwarf_Die& type) {
    const auto& query = queries_[index];
    auto& best = answers_[index];
    if (best && found_[index] == query.members.size()) return;
    const auto size = size_of(type, 0);
    if (!size || *size > std::numeric_limits<std::uint32_t>::max()) return;
    TypeAnswer now{static_cast<std::uint32_t>(*size), {}};
    std::size_t found = 0;
    for (const auto& path : query.members) {
      now.members.push_back(find_path(type, path));
      if (now.members.back()) ++found;
    }
    if (best && found <= found_[index]) return;
    best = std::move(now);
    found_[index] = found;
    if (found == query.members.size()) --open_;
  }

  os::Result<MemberPlace> find_path(Dwarf_Die type, std::string_view path) {
    std::uint64_t offset = 0;
    std::string_view rest = path;
    // ".size" is a member called "size"; without the dot, "size" is the size of the struct.
    if (rest.starts_with('.')) rest.remove_prefix(1);
    for (int depth = 0; depth < max_depth; ++depth) {
      const auto dot = rest.find('.');
      const std::string_view step = rest.substr(0, dot);
      Dwarf_Die member;
      if (!find_member(type, step, member, offset, 0)) break;
      const auto member_type = type_of(member);
      if (!member_type) break;
      if (dot == std::string_view::npos) return place(member, *member_type, offset, path);
      type = *member_type;
      // In an array, the path continues in its first element.
      while (dwarf_tag(&type) == DW_TAG_array_type) {
        const auto element = type_of(type);
        if (!element) break;
        type = *element;
      }
      rest = rest.substr(dot + 1);
    }
    return os::Error{os::ErrorKind::not_found, "no member " + std::string(path)};
  }

  os::Result<MemberPlace> place(Dwarf_Die& member, Dwarf_Die member_type, std::uint64_t offset,
                                std::string_view path) {
    if (dwarf_hasattr(&member, DW_AT_bit_size) || dwarf_hasattr(&member, DW_AT_data_bit_offset))
      return os::Error{os::ErrorKind::unsupported, std::string(path) + " is a bit-field"};
    if (dwarf_tag(&member_type) == DW_TAG_array_type) {
      const auto element = type_of(member_type);
      if (!element)
        return os::Error{os::ErrorKind::malformed, std::string(path) + " has no element type"};
      member_type = *element;
    }
    const auto width = size_of(member_type, 0);
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (!width || *width > most || offset > most - *width)
      return os::Error{os::ErrorKind::malformed,
                       std::string(path) + " has an implausible offset or size"};
    return MemberPlace{static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(*width)};
  }

  // Looks for the member, also inside anonymous members. If found, adds its offset to `offset`.
  bool find_member(Dwarf_Die type, std::string_view name, Dwarf_Die& out, std::uint64_t& offset,
                   int depth) {
    Dwarf_Die member;
    if (depth > max_depth || !is_aggregate(type) || dwarf_child(&type, &member) != 0) return false;
    do {
      if (++visits_ > max_visits) return false;
      if (dwarf_tag(&member) != DW_TAG_member) continue;
      const auto here = location(member);
      if (!here) continue;
      std::uint64_t sum = 0;
      if (__builtin_add_overflow(offset, *here, &sum)) continue;
      const char* member_name = dwarf_diename(&member);
      if (member_name != nullptr && name == member_name) {
        out = member;
        offset = sum;
        return true;
      }
      if (member_name != nullptr) continue;
      const auto inner = type_of(member);
      if (inner && find_member(*inner, name, out, sum, depth + 1)) {
        offset = sum;
        return true;
      }
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
  }

  // A union's members have no location attribute (offset 0); in DWARF 2 it is an expression of one
  // operation.
  std::optional<std::uint64_t> location(Dwarf_Die& member) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(&member, DW_AT_data_member_location, &attribute) == nullptr) return 0;
    Dwarf_Word value = 0;
    if (dwarf_formudata(&attribute, &value) == 0) return value;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_getlocation(&attribute, &operations, &count) == 0 && count == 1 &&
        operations[0].atom == DW_OP_plus_uconst)
      return operations[0].number;
    return std::nullopt;
  }

  std::optional<Dwarf_Die> type_of(Dwarf_Die& die) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
        dwarf_formref_die(&attribute, &type) == nullptr)
      return std::nullopt;
    return peel(type);
  }

  // The type behind typedefs and qualifiers.
  std::optional<Dwarf_Die> peel(Dwarf_Die die) {
    for (int depth = 0; depth < max_depth; ++depth) {
      const int tag = dwarf_tag(&die);
      if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
          tag != DW_TAG_restrict_type && tag != DW_TAG_atomic_type)
        return die;
      Dwarf_Attribute attribute;
      Dwarf_Die next;
      if (dwarf_attr(&die, DW_AT_type, &attribute) == nullptr ||
          dwarf_formref_die(&attribute, &next) == nullptr)
        return std::nullopt;
      die = next;
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> size_of(Dwarf_Die& type, int depth) {
    Dwarf_Attribute attribute;
    Dwarf_Word size = 0;
    if (dwarf_attr(&type, DW_AT_byte_size, &attribute) != nullptr)
      return dwarf_formudata(&attribute, &size) == 0 ? std::optional<std::uint64_t>(size)
                                                     : std::nullopt;
    const int tag = dwarf_tag(&type);
    if (tag == DW_TAG_pointer_type) return 8;  // Image takes 64-bit files only
    // The element is a typedef of an array: take the first element of that array.
    if (tag != DW_TAG_array_type || depth > max_depth) return std::nullopt;
    auto element = type_of(type);
    return element ? size_of(*element, depth + 1) : std::nullopt;
  }

  static bool is_aggregate(Dwarf_Die& die) {
    const int tag = dwarf_tag(&die);
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
  }

  static bool is_declaration(Dwarf_Die& die) {
    Dwarf_Attribute attribute;
    bool declaration = false;
    return dwarf_attr(&die, DW_AT_declaration, &attribute) != nullptr &&
           dwarf_formflag(&attribute, &declaration) == 0 && declaration;
  }

  Dwarf* dwarf_;
  std::span<const TypeQuery> queries_;
  std::vector<std::optional<TypeAnswer>>& answers_;
  std::vector<std::size_t> found_;  // members found by the best answer so far
  std::map<std::string_view, std::vector<std::size_t>> by_name_;
  std::size_t open_ = 0;  // queries still without a complete answer
  std::uint64_t visits_ = 0;
};

}  // namespace

os::Result<std::vector<std::optional<TypeAnswer>>> read_types(const Image& image,
                                                              std::span<const TypeQuery> queries) {
  if (!image.has_debug_info())
    return os::Error{os::ErrorKind::unsupported, image.name() + ": has no DWARF (.debug_info)"};
  const ElfHandle elf = open_elf(image.descriptor());
  const DwarfHandle dwarf(elf ? dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr) : nullptr);
  if (!dwarf)
    return os::Error{os::ErrorKind::malformed, image.name() + ": its DWARF cannot be read"};
  std::vector<std::optional<TypeAnswer>> answers(queries.size());
  if (!TypeReader(dwarf.get(), queries, answers).run())
    return os::Error{os::ErrorKind::malformed, image.name() + ": its DWARF cannot be walked"};
  return answers;
}

}  // namespace beam_exporter::elf
