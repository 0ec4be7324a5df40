#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "beam/virtual_machine.h"

namespace beam_exporter::beam {

struct EtsTable {
  std::string name;  // as ets:info(T, name); two tables may have the same one
  Eterm owner = 0;
  std::string_view kind;        // "set", "ordered_set", "bag", "duplicate_bag"
  std::string_view protection;  // "public", "protected", "private"
  // As ets:info(T, size) and 8 * ets:info(T, memory). nullopt: the table counts for each scheduler
  // apart (decentralized_counters), and we do not know for how many.
  std::optional<std::uint64_t> objects, bytes;
};

struct EtsTables {
  std::vector<EtsTable> tables;    // all that ets:all/0 knows, in no order
  std::uint64_t broken_lists = 0;  // schedulers whose list changed whenever it was read: some of
                                   // their tables may be missing
};

// Reads every table of the VM. Errors: unsupported (the layout does not have the members),
// unreadable, malformed (no table is where the layout says). One thread.
os::Result<EtsTables> ets_tables(VirtualMachine& vm);

}  // namespace beam_exporter::beam
