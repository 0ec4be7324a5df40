#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "beam/layout/field.h"

// How a Layout says each struct and member of ERTS once:
//
//   struct RegisteredLayout : Struct<"RegProc"> {
//     Member<Eterm> registered_name{"name"};
//   };
//
// Code that reads the VM uses the members as the typed Fields they are. Code that fills, writes or
// compares whole layouts takes them as Rows: in memory a Struct and each Member is one Row, so the
// struct above is an array of two, and no second list of its members is needed. Values only; any
// thread.
namespace beam_exporter::beam {

enum class Need : std::uint8_t { required, optional };

// What is known of a struct or of a member. The row of a struct stands before those of its members,
// which are in the order of their declarations.
struct Row {
  std::uint32_t offset;   // of a present member in its struct, else `absent`
  std::uint32_t width;    // of a member; of a struct its size, 0 when this release does not have it
  std::string_view name;  // as in ERTS, "ErtsPTab"; "r.o.tab" is a member of members
  std::uint32_t widest;   // sizeof(T) of a Member<T>; 0 says that the row is a struct's
  Need need;              // of a member, or of a struct whose size is all we ask for

  static constexpr std::uint32_t absent = Field<void>::absent;
  bool is_struct() const { return widest == 0; }
  bool present() const { return offset != absent; }
};

template <class T>
struct Member : Field<T> {
  std::string_view name;
  std::uint32_t widest = sizeof(T);
  Need need;

  // `in_erts` as elf::TypeQuery::members: dots lead into members, the first element of an array is
  // meant. A member called "size" is ".size", for "size" is the struct's own.
  constexpr explicit Member(std::string_view in_erts, Need is = Need::required)
      : name(in_erts), need(is) {}
};

// A text as a template argument.
template <std::size_t N>
struct StructName {
  std::array<char, N> text{};
  consteval StructName(const char (&name)[N]) { std::copy_n(name, N, text.begin()); }
};

// What is called `no_` fills the place of something that only the row of a member has.
template <StructName in_erts, Need is = Need::required>
struct Struct {
  std::uint32_t no_offset = Row::absent;
  std::uint32_t size = 0;  // bytes; 0: this release does not have the struct
  std::string_view name{in_erts.text.data(), in_erts.text.size() - 1};
  std::uint32_t no_widest = 0;
  Need need = is;
};

static_assert(sizeof(Member<std::uint16_t>) == sizeof(Row) && sizeof(Struct<"">) == sizeof(Row));

// The rows of one Struct, or of a struct that holds Structs and nothing else.
template <class Part>
using RowsOf = std::array<Row, sizeof(Part) / sizeof(Row)>;

template <class Part>
RowsOf<Part> rows_of(const Part& part) {
  return std::bit_cast<RowsOf<Part>>(part);
}

template <class Part>
void set_rows(Part& part, const RowsOf<Part>& rows) {
  part = std::bit_cast<Part>(rows);
}

// One struct among the rows of many.
struct StructRows {
  Row& head;
  std::span<Row> members;

  // Every release has it.
  bool required() const {
    if (members.empty()) return head.need == Need::required;
    return std::ranges::count(members, Need::required, &Row::need) != 0;
  }
};

// This release has the struct, and the layout tells where all of its members are.
template <class Part>
bool is_whole(const Part& part) {
  const auto rows = rows_of(part);
  return part.size != 0 && std::ranges::all_of(rows.begin() + 1, rows.end(), &Row::present);
}

inline std::vector<StructRows> structs_in(std::span<Row> rows) {
  std::vector<StructRows> structs;
  while (!rows.empty()) {
    const auto rest = rows.subspan(1);
    const auto next = std::ranges::find_if(rest, &Row::is_struct);
    const auto members = static_cast<std::size_t>(next - rest.begin());
    structs.push_back({rows.front(), rest.first(members)});
    rows = rest.subspan(members);
  }
  return structs;
}

}  // namespace beam_exporter::beam
