#include "beam/processes/process_name.h"

#include <vector>

#include "beam/layout/remote_struct.h"
#include "beam/terms/function_name.h"
#include "beam/terms/term.h"
#include "beam/terms/term_text.h"

namespace beam_exporter::beam {

namespace {

// We look for a name only in dictionaries with at most this many slots.
constexpr std::uint32_t most_in_dictionary = 1024;
constexpr int longest_chain = 64;

struct NamesInside {
  Eterm label = 0, initial_call = 0;
};

// Takes the {Key, Value} of a dictionary entry if it is one of the keys that we want.
void take_pair(const os::Memory& memory, Atoms& atoms, Eterm entry, NamesInside& found) {
  const auto pair = read_tuple(memory, entry, 2);
  if (!pair) return;
  const auto key = atoms.name((*pair)[0]);
  if (key == "$process_label") found.label = (*pair)[1];
  if (key == "$initial_call") found.initial_call = (*pair)[1];
}

NamesInside look_inside(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                        os::Address dictionary) {
  NamesInside found;
  const auto used = read_field(memory, dictionary, layout.dictionary.used_slots).value_or(0);
  if (used == 0 || used > most_in_dictionary) return found;
  std::vector<Eterm> slots(used);
  if (!memory.read(layout.dictionary.data.at(dictionary), std::as_writable_bytes(std::span(slots))))
    return found;
  for (const Eterm slot : slots) {
    // Keys of equal hash share a slot as a list (erl_process_dict.c, OTP 25 and 27).
    Eterm rest = slot;
    for (int k = 0; k < longest_chain && is_list(rest); ++k) {
      const auto cell = read_list_cell(memory, rest);
      if (!cell) break;
      take_pair(memory, atoms, cell->head, found);
      rest = cell->tail;
    }
    if (is_boxed(slot)) take_pair(memory, atoms, slot, found);
  }
  return found;
}

std::optional<std::string> call_text(Atoms& atoms, const Mfa& mfa) {
  const auto name = mfa.arity <= most_arguments ? function_name(atoms, mfa) : std::nullopt;
  return name ? std::optional(name->module + ":" + name->function) : std::nullopt;
}

// The text of {M, F, Arity}, which proc_lib stores.
std::optional<std::string> initial_call_text(const os::Memory& memory, Atoms& atoms, Eterm term) {
  const auto call = read_tuple(memory, term, 3);
  const auto arity = call ? small_integer((*call)[2]) : std::nullopt;
  if (!arity || *arity < 0 || *arity > most_arguments) return std::nullopt;
  return call_text(atoms, {(*call)[0], (*call)[1], static_cast<std::uint32_t>(*arity)});
}

}  // namespace

std::optional<std::string> process_name(const Layout& layout, const os::Memory& memory,
                                        Atoms& atoms, const ScannedProcess& process) {
  if (auto name = registered_name(layout, memory, atoms, process)) return name;
  if (process.dictionary != 0) {
    const auto inside = look_inside(layout, memory, atoms, process.dictionary);
    if (inside.label != 0)
      if (auto text = term_text(layout, memory, atoms, inside.label)) return text;
    if (inside.initial_call != 0)
      if (auto text = initial_call_text(memory, atoms, inside.initial_call)) return text;
  }
  return call_text(atoms, process.initial);
}

std::optional<std::string> registered_name(const Layout& layout, const os::Memory& memory,
                                           Atoms& atoms, const ScannedProcess& process) {
  if (process.registered == 0) return std::nullopt;
  const auto atom = read_field(memory, process.registered, layout.registered.registered_name);
  auto name = atom ? atoms.name(*atom) : std::nullopt;
  if (name) drop_elixir(*name);
  return name;
}

}  // namespace beam_exporter::beam
