#pragma once

#include <string>

#include "fakes/fake_memory.h"
#include "os/memory/memory.h"

namespace beam_exporter::tests {

// Passes every read on and keeps the result: the part of a VM's memory that was read.
class RecordingMemory final : public os::Memory {
 public:
  explicit RecordingMemory(const os::Memory& source) : source_(&source) {}

  [[nodiscard]] bool read(os::Address from, std::span<std::byte> into) const override;
  void read_batch(std::span<os::ReadRequest> requests) const override;
  const FakeMemory& seen() const { return seen_; }

 private:
  const os::Memory* source_;
  mutable FakeMemory seen_;
};

// Writes a memory as a small file: gaps between the pieces and runs of zeros are counted, not kept.
// Failures are exceptions.
void write_memory(const FakeMemory& memory, const std::string& path);
void read_memory(const std::string& path, FakeMemory& memory);

}  // namespace beam_exporter::tests
