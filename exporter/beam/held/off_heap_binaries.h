#pragma once

#include <functional>
#include <vector>

#include "beam/held/amount.h"
#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Measures the reference-counted binaries (of more than 64 bytes) that processes hold: those of
// their off-heap lists, of the list of writable binaries and of their heap fragments, as
// process_info's `binary` lists them (ERTS_PI_IX_BINARY and erts_bld_bin_list in erl_bif_info.c,
// OTP 25 and 27; that of OTP 25.2.3 leaves the writable ones out). A process may refer to a binary
// many times, and process_info lists it as often; here it counts once for each process. A message
// that waits in a queue has a list of its own, which is not followed, neither there nor here.
// Follows the lists of all processes together. Each list and the whole have bounds. One thread.
class OffHeapBinaries {
 public:
  // Both must outlive it.
  OffHeapBinaries(const Layout& layout, const os::Memory& memory);

  // False: the layout does not say where these lists are.
  bool known() const { return known_; }

  // `process` holds the bytes of a process struct. finish() passes `index` back.
  void add(std::size_t index, StructBytes process);
  // Calls take(index, held) for each process that was added. Afterwards more may be added;
  // the bound on all reads covers them too.
  void finish(const std::function<void(std::size_t, const Amount&)>& take);

 private:
  struct Place {
    std::size_t owner;  // in owners_
    os::Address at;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Owner {
    std::size_t index;
    Amount held;
    std::uint64_t followed = 0;
  };
  using Step = std::function<void(const Place&, StructBytes)>;

  bool may_follow(Owner& owner);
  void push(std::vector<Place>& places, std::size_t owner, std::optional<os::Address> at);
  // Reads all places, and those that `step` adds, until none is left.
  void follow(std::vector<Place>& places, std::uint32_t size, const Step& step);
  void read_sizes();

  const Layout* layout_;
  const os::Memory* memory_;
  bool known_ = false;
  // Of ProcBin or BinRef, whichever the release has.
  Field<Eterm> header_;
  Field<os::Address> next_, binary_;
  Eterm binary_header_ = 0;
  std::uint32_t node_bytes_ = 0;

  std::vector<Owner> owners_;
  std::vector<Place> fragments_, nodes_, binaries_;
  std::uint64_t reads_ = 0;
};

}  // namespace beam_exporter::beam
