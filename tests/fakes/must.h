#pragma once

#include <stdexcept>
#include <utility>

#include "os/result.h"

namespace beam_exporter::tests {

// What a test cannot go on without; throws the error's text.
template <class T>
T must(os::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text);
  return std::move(*result);
}

}  // namespace beam_exporter::tests
