#pragma once

#include <string>
#include <string_view>

#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::commands {

// The file of --output. A run that fails leaves it as it was: one that was there keeps its bytes
// until there are new ones, and one that was not there is removed again. One thread.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(OutputFile&&) = delete;
  ~OutputFile();

  std::string& path() { return path_; }  // for the flag; "": there is none
  const std::string& path() const { return path_; }
  bool wanted() const { return !path_.empty(); }
  bool ends_with(std::string_view ending) const { return path_.ends_with(ending); }

  // Call it in Tool::prepare(). Error: one line.
  os::Status open();
  // The same for what may hold private names: only its owner may read the file, also if it was
  // there before with other rights.
  os::Status open_private();
  // Call it once, with all bytes. Error: one line.
  os::Status write(std::string_view bytes);

 private:
  os::Status open(unsigned mode);

  std::string path_;
  os::UniqueFd file_;
  bool made_ = false;  // by open(), and nothing is written yet
};

}  // namespace beam_exporter::commands
