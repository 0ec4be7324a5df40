#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "os/result.h"

namespace beam_exporter::commands {

// The file of --output. One thread.
class OutputFile {
 public:
  std::string& path() { return path_; }  // for the flag; "": there is none
  const std::string& path() const { return path_; }
  bool wanted() const { return !path_.empty(); }
  bool ends_with(std::string_view ending) const { return path_.ends_with(ending); }

  // Call it in Tool::prepare(). Error: one line.
  os::Status open();
  // The same for what may hold private names: only its owner may read the file, also if it was
  // there before with other rights.
  os::Status open_private();
  os::Status write(std::string_view bytes);

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace beam_exporter::commands
