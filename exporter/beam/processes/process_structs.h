#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "beam/processes/process_table.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// The structs of many processes, read as the stretches of memory they lie in: the kernel's work is
// by the page and by the piece, and the VM has laid them out side by side (fix_alloc). Keeps 1 MiB.
// One thread.
class ProcessStructs {
 public:
  // `size`: how many bytes of each struct are wanted. `memory` outlives it.
  ProcessStructs(const os::Memory& memory, std::uint32_t size);

  // Calls take(used, bytes) for each, in the order of `used`, which is by address; the bytes are
  // empty where they cannot be read.
  template <class Take>
  void read(std::span<const ProcessTable::Used> used, Take take) {
    while (!used.empty()) {
      const std::size_t many = collect(used);
      memory_->read_batch(requests_);
      reads_ += requests_.size();
      for (std::size_t k = 0; k < many; ++k) take(used[k], struct_at(used[k].process, places_[k]));
      used = used.subspan(many);
    }
  }

  std::uint64_t reads() const { return reads_; }  // pieces of memory asked for

 private:
  struct Place {
    std::size_t piece = 0, offset = 0;  // request, and offset in its bytes
  };

  // Makes pieces of as many as fit; at least one.
  std::size_t collect(std::span<const ProcessTable::Used> used);
  os::Address piece_end() const { return requests_.back().from + requests_.back().into.size(); }
  // A stretch may have a hole by now: then each of its structs for itself.
  std::span<const std::byte> struct_at(os::Address process, const Place& place);

  const os::Memory* memory_;
  std::uint32_t size_;
  std::uint64_t reads_ = 0;
  std::vector<std::byte> buffer_;
  std::vector<os::ReadRequest> requests_;
  std::vector<Place> places_;
};

}  // namespace beam_exporter::beam
