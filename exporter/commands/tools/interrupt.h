#pragma once

#include <chrono>

#include "os/unique_fd.h"

namespace beam_exporter::commands {

// While it exists, Ctrl-C and SIGTERM make a descriptor readable and do not end the program: the
// tool ends its work, and prints what it has.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;

  // Waits for one so long; true when it has come.
  bool comes_within(std::chrono::milliseconds time) const;
  int descriptor() const { return descriptor_.get(); }

 private:
  os::UniqueFd descriptor_;  // a signalfd; -1 where there is none
};

}  // namespace beam_exporter::commands
