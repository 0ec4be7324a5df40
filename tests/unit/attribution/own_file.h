#pragma once

#include <gtest/gtest.h>

#include "elf/direct_calls.h"
#include "elf/image.h"
#include "elf/native_symbols.h"

namespace beam_exporter::attribution {

// The file of this test program. It is not stripped: its static functions have symbols.
class OwnFile : public testing::Test {
 protected:
  std::uint64_t place(std::string_view name) const {
    const auto* function = symbols_.named(name);
    EXPECT_NE(function, nullptr) << name;
    return function != nullptr ? function->range.begin : 0;
  }

  elf::Image image_ = std::move(*elf::Image::open("/proc/self/exe"));
  elf::NativeSymbols symbols_ = elf::NativeSymbols::read(image_);
  elf::DirectCalls calls_ = elf::DirectCalls::read(image_, symbols_);
};

}  // namespace beam_exporter::attribution
