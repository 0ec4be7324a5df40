#pragma once

#include <functional>
#include <vector>

#include "beam/held/amount.h"
#include "beam/held/link_sort.h"
#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Measures the links and monitors of processes, as process_info's `memory` counts them:
// erts_link_size and erts_monitor_size in erl_monitor_link.c (OTP 25 and 27). Both sides of a
// monitor are one block, of which each side has its half. Follows the trees and rings of all
// processes together; each process and the whole have bounds. One thread.
class LinkSizes {
 public:
  // Both must outlive it.
  LinkSizes(const Layout& layout, const os::Memory& memory) : layout_(&layout), memory_(&memory) {}

  // False: the layout does not say where links are.
  bool known() const;

  // `process` holds the bytes of a process struct. finish() passes `index` back.
  void add(std::size_t index, StructBytes process);
  // Calls take(index, links) for each process that was added. Afterwards more may be added;
  // the bound on all reads covers them too.
  void finish(const std::function<void(std::size_t, const Amount&)>& take);

 private:
  enum class Kind : std::uint8_t { link, monitor, ring };
  struct Node {
    std::size_t owner;  // in owners_
    os::Address at;
    Kind kind;
    os::Address first = 0;  // of a ring
  };
  struct Block {  // holds nodes: ErtsELink or ErtsMonitorData
    std::size_t owner;
    os::Address at;
    LinkSort sort;  // of the node
  };
  struct Extended {  // its size depends on terms in it
    std::size_t owner;
    std::uint64_t references;
    std::uint64_t words = 0;
  };
  struct Owner {
    std::size_t index;
    Amount links;
    std::uint64_t followed = 0;
  };

  void push(Node node);
  void take_node(const Node& node, StructBytes bytes);
  void read_links();
  void read_monitors();
  void take_monitor(const Block& block, StructBytes bytes);
  void read_extended();

  const Layout* layout_;
  const os::Memory* memory_;
  std::vector<Owner> owners_;
  std::vector<Node> nodes_;
  std::vector<Block> links_, monitors_;
  std::vector<Extended> extended_;
  struct Term {
    std::size_t extended;  // in extended_
    os::Address header;
  };
  std::vector<Term> terms_;
  std::uint64_t reads_ = 0;
};

}  // namespace beam_exporter::beam
