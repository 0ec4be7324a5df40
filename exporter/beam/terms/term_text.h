#pragma once

#include <optional>
#include <string>
#include <vector>

#include "beam/terms/atoms.h"
#include "beam/terms/term.h"

// Small terms of the VM, for names that are terms. The heap they lie on moves: what is read may be
// torn, so every step is bounded and only text that makes sense is given. Called by process_name.
// One thread.
namespace beam_exporter::beam {

inline bool is_boxed(Eterm term) { return (term & 3) == 2; }

// The elements of a tuple of exactly that many.
std::optional<std::vector<Eterm>> read_tuple(const os::Memory& memory, Eterm term,
                                             std::size_t elements);

struct ListCell {
  Eterm head = 0, tail = 0;
};
std::optional<ListCell> read_list_cell(const os::Memory& memory, Eterm term);

// An atom, small integer, pid-free tuple or list of them, string or small binary, as Erlang or, for
// binaries and strings, plain text; at most 100 bytes. nullopt for any other term.
std::optional<std::string> term_text(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                                     Eterm term);

}  // namespace beam_exporter::beam
