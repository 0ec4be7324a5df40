#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "elf/symbol_search.h"
#include "os/process/process.h"

namespace beam_exporter::session {

// Asks the debuginfod servers for the debug files of the executable and the libraries that the
// process maps and whose symbols are not on this machine; `symbols` gets them. Blocks, for minutes
// where a server is slow; `go_on` is asked at least once a second. Logs one line about what came,
// or why nothing comes. Returns how many came.
std::size_t fetch_symbols(const os::Process& process, elf::SymbolSearch symbols,
                          const std::function<bool()>& go_on);

// The same on a thread of its own, for the observer: a VM is watched without these names until they
// are there. One thread.
class SymbolFetch {
 public:
  explicit SymbolFetch(elf::SymbolSearch symbols) : symbols_(std::move(symbols)) {}

  // Begins, once for each process. Gives up what it fetches for another one.
  void begin(const os::Process& process);
  // True once after symbols have come: attach again to have them.
  bool news() { return news_.exchange(false); }

 private:
  elf::SymbolSearch symbols_;
  std::optional<os::ProcessIdentity> begun_;
  std::atomic<bool> news_ = false;
  std::jthread thread_;  // the last member: it ends first
};

}  // namespace beam_exporter::session
