#pragma once

#include <optional>
#include <string>
#include <vector>

#include "beam/terms/atoms.h"
#include "beam/terms/term.h"

// Reads small terms of the VM, for names that are terms. The heap may move meanwhile, so that a
// read may be torn: every step is bounded, and only plausible text is returned. Called by
// process_name. One thread.
namespace beam_exporter::beam {

// The elements of a tuple; nullopt unless it has exactly this many.
std::optional<std::vector<Eterm>> read_tuple(const os::Memory& memory, Eterm term,
                                             std::size_t elements);

struct ListCell {
  Eterm head = 0, tail = 0;
};
std::optional<ListCell> read_list_cell(const os::Memory& memory, Eterm term);

// The text of an atom, a small integer, a string, a small binary, or a tuple or list of these:
// strings and binaries as plain text, the others in Erlang's syntax. At most 100 bytes. nullopt for
// any other term, such as a pid, or a binary whose bytes are elsewhere: more than 64 bytes long, a
// part of another binary, or made by appending.
std::optional<std::string> term_text(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                                     Eterm term);

}  // namespace beam_exporter::beam
