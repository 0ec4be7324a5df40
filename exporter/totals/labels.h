#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace beam_exporter::totals {

// The labels of a function. A process uses `function` alone.
struct FunctionKey {
  std::string module;    // without "Elixir."; "" where there is none
  std::string function;  // "name/arity"
  friend bool operator==(const FunctionKey&, const FunctionKey&) = default;
};

struct FunctionKeyHash {
  std::size_t operator()(const FunctionKey& key) const {
    return std::hash<std::string>{}(key.module) * 31 + std::hash<std::string>{}(key.function);
  }
};

// The names of the functions and the process in an attribution::Attribution, which holds them as
// terms of its VM. The object that made these labels owns the texts. nullptr: there is no such
// name, or it could not be read.
struct SampleLabels {
  const FunctionKey* self = nullptr;  // on top of the Erlang stack, or the pseudo function
  std::vector<const FunctionKey*> inclusive = {};  // those of the functions that could be read
  const FunctionKey* bif = nullptr;
  const FunctionKey* nif = nullptr;
  const std::string* process = nullptr;
};

}  // namespace beam_exporter::totals
