#pragma once

#include <chrono>
#include <string>

namespace beam_exporter::commands {

// One line on stderr that moves while a tool works; nothing when stderr is no terminal.
class Progress {
 public:
  // `duration` 0: nobody knows how long it takes.
  Progress(std::string what, std::chrono::nanoseconds duration);
  ~Progress() { done(); }

  void show(std::chrono::nanoseconds elapsed);
  void done();  // wipes the line

 private:
  std::string what_;
  std::chrono::nanoseconds duration_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace beam_exporter::commands
