#pragma once

#include <optional>
#include <string>

#include "beam/terms/atoms.h"
#include "beam/terms/mfa.h"

namespace beam_exporter::beam {

// The names of a function of Erlang or Elixir, as text.
struct FunctionName {
  std::string module;    // without "Elixir."
  std::string function;  // "name/arity"
  bool elixir = false;   // `module` has lost its "Elixir."
};

// nullopt when an atom cannot be read. One thread, because of the cache of `atoms`.
std::optional<FunctionName> function_name(Atoms& atoms, const Mfa& mfa);

// Takes the "Elixir." away that Elixir puts before the names of modules, and before what is
// registered by such a name. True when it was there, and something is left.
bool drop_elixir(std::string& name);

}  // namespace beam_exporter::beam
