#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace beam_exporter::totals {

// A function as labels name it. Also for processes, which have the second label only.
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

// The names of what an attribution::Attribution holds as terms of its VM. The texts belong to
// who made this. A nullptr: there is none, or it could not be read.
struct SampleLabels {
  const FunctionKey* self = nullptr;  // on top of the Erlang stack, or the pseudo function
  std::vector<const FunctionKey*> inclusive = {};  // those of the functions that could be read
  const FunctionKey* bif = nullptr;
  const FunctionKey* nif = nullptr;
  const std::string* process = nullptr;
};

}  // namespace beam_exporter::totals
