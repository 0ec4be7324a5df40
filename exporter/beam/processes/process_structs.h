#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "beam/processes/process_table.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Reads the structs of many processes. The VM lays them out side by side (fix_alloc), and the
// kernel's work grows with the number of pages and pieces: so neighbours are read as one piece.
// Keeps 1 MiB. One thread.
class ProcessStructs {
 public:
  // `size`: how many bytes of each struct to read. `memory` must outlive this object.
  ProcessStructs(const os::Memory& memory, std::uint32_t size);

  // Calls take(one, bytes) for each element of `used`, in its order, which must be by address.
  // `bytes` is empty where the struct cannot be read.
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

  std::uint64_t reads() const { return reads_; }  // pieces of memory that were read

 private:
  struct Place {
    std::size_t piece = 0, offset = 0;  // the index of the request, and the offset in its bytes
  };

  // Makes requests for as many structs as fit, at least one. Returns how many.
  std::size_t collect(std::span<const ProcessTable::Used> used);
  os::Address piece_end() const { return requests_.back().from + requests_.back().into.size(); }
  // If a piece cannot be read, because a part of it was unmapped, this reads the one struct alone.
  std::span<const std::byte> struct_at(os::Address process, const Place& place);

  const os::Memory* memory_;
  std::uint32_t size_;
  std::uint64_t reads_ = 0;
  std::vector<std::byte> buffer_;
  std::vector<os::ReadRequest> requests_;
  std::vector<Place> places_;
};

}  // namespace beam_exporter::beam
