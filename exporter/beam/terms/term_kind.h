#pragma once

#include <string>

#include "beam/terms/atoms.h"

namespace beam_exporter::beam {

// What sort of message a term is, for people who know the program: "{'$gen_call',...}/3" for a
// tuple of three elements that begins with this atom, "stop" for an atom, "<integer>", "<map>",
// "{<pid>,...}/2". Never the content. "<unreadable>": the memory is not there any more. Reads at
// most two words, and the name of an atom once. One thread.
std::string term_kind(const Layout& layout, const os::Memory& memory, Atoms& atoms, Eterm term);

// An atom as Erlang prints it, 'with quotes' where it needs them. Control characters become "\x1b".
// Pure.
std::string quoted_atom(const std::string& name);

}  // namespace beam_exporter::beam
