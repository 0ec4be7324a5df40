#include "fakes/fake_vm.h"

// The terms of a FakeVm: atoms in their table, and strings.
namespace beam_exporter::tests {

beam::Eterm FakeVm::atom(std::string_view name) {
  if (const auto known = atoms_.find(name); known != atoms_.end()) return known->second;
  const auto index = static_cast<std::uint32_t>(atoms_.size());
  const beam::Eterm term = (beam::Eterm{index} << 6) | 0x0b;
  const os::Address object = allocate(layout.atom.size);
  memory.put(object, layout.atom.index, index);
  memory.put(object, layout.atom.length, static_cast<std::uint16_t>(name.size()));
  put_name(object, name);
  if (index > 0 && index % 1024 == 0)
    memory.put(atom_segments_ + index / 1024 * 8, allocate(1024 * 8));
  memory.put(*memory.value<os::Address>(atom_segments_ + index / 1024 * 8) + index % 1024 * 8,
             object);
  memory.put(atom_table, layout.index_table.entries, index + 1);
  atoms_.emplace(name, term);
  atom_objects_.emplace(term, object);
  return term;
}

// A pointer, or a literal term: a binary on the heap, or one outside it that begins four bytes
// later.
void FakeVm::put_name(os::Address atom, std::string_view name) {
  constexpr std::size_t longest_on_heap = 64;
  constexpr beam::Eterm literal = 4 | 2, heap_bits_header = 0x20, sub_bits_header = 0x24;
  const auto with_text = [&](std::uint32_t before) {
    const os::Address begin = allocate(before + name.size() + 1);
    memory.put_text(begin + before, name);
    return begin;
  };
  if (layout.atom.text.present()) return memory.put(atom, layout.atom.text, with_text(0));
  os::Address term = 0;
  if (name.size() <= longest_on_heap) {
    term = with_text(layout.heap_bits.data.offset);
    memory.put(term, heap_bits_header);
    memory.put(term, layout.heap_bits.bits, name.size() * 8);
  } else {
    term = allocate(layout.sub_bits.size);
    memory.put(term, sub_bits_header);
    memory.put(term, layout.sub_bits.base, with_text(4) | 1);
    memory.put(term, layout.sub_bits.start, 4 * 8);
  }
  memory.put(atom, layout.atom.binary, term | literal);
}

beam::Eterm FakeVm::string(const std::u32string& text) {
  beam::Eterm list = 0x3b;
  for (auto c = text.rbegin(); c != text.rend(); ++c) {
    const os::Address cons = allocate(16);
    memory.put(cons, beam::Eterm{*c} << 4 | 0xf);
    memory.put(cons + 8, list);
    list = cons | 0x1;
  }
  return list;
}

}  // namespace beam_exporter::tests
