#pragma once

#include <string>
#include <utility>
#include <variant>

// How errors are reported: a function that can fail returns a Result. Lower layers return it; one
// place decides and logs.
namespace beam_exporter::os {

enum class ErrorKind {
  not_permitted,     // the kernel refused: capability, seccomp, Yama
  not_found,         // no such process, file, symbol
  unreadable,        // remote memory or a file could not be read
  malformed,         // bytes that are not what they should be
  unsupported,       // understood, but we cannot handle it
  invalid_argument,  // the user's input
  ambiguous,         // several fit, and the user must choose
  gone,              // the target ended
  system,            // any other failure of a system call
};

// `text` is one line. It names what is wrong and, if there is one, how to fix it.
struct Error {
  ErrorKind kind = ErrorKind::system;
  std::string text;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  // Precondition of the next three: bool(*this).
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  // Precondition: !bool(*this).
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// The value of an action that has none.
struct Done {};
using Status = Result<Done>;

}  // namespace beam_exporter::os
