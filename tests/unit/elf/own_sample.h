#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "elf/loaded_objects.h"
#include "os/address.h"
#include "os/memory/process_memory.h"
#include "os/perf/user_registers.h"

namespace beam_exporter::elf {

// What a sampling source would carry of this very thread, and what glibc says of it.
struct OwnSample {
  os::UserRegisters registers;
  std::vector<std::byte> stack;
  std::vector<os::Address> callers;  // return addresses, innermost first
};

// Of the instant at which it is called.
void take(OwnSample& sample);

// A test that unwinds its own stack.
class OwnStackTest : public testing::Test {
 protected:
  void SetUp() override;

  std::optional<os::Process> process_;
  std::optional<os::ProcessMemory> memory_;
  std::optional<LoadedObjects> objects_;
  OwnSample sample_;
};

}  // namespace beam_exporter::elf
