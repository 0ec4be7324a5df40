#pragma once

#include <string>
#include <utility>
#include <variant>

// The one error idiom: what can fail returns a Result; lower layers return it, one place decides
// and logs.
namespace beam_exporter::os {

enum class ErrorKind {
  not_permitted,     // the kernel refused: capability, seccomp, Yama
  not_found,         // no such process, file, symbol
  unreadable,        // remote memory or a file could not be read
  malformed,         // bytes that are not what they should be
  unsupported,       // understood, and not something we can handle
  invalid_argument,  // the user's input
  ambiguous,         // several would do, and the user must choose
  gone,              // the target ended
  system,            // any other failure of a system call
};

// `text` is one line that names the thing and, where there is one, the mend.
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
  // Precondition of the four: bool(*this).
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  // Precondition: !bool(*this).
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// For an action without a value.
struct Done {};
using Status = Result<Done>;

}  // namespace beam_exporter::os
