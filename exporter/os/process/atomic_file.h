#pragma once

#include <string>
#include <string_view>

#include "os/process/process.h"
#include "os/result.h"

// Replaces a file at once: a reader sees the old text or the new one, never a part of it.
namespace beam_exporter::os {

class AtomicFile {
 public:
  // Errors, naming the path: not_permitted, not_found, system.
  static Result<AtomicFile> at(const std::string& path);
  // The file /tmp/`name` as the process itself sees it, in its own mount namespace. A symbolic link
  // there cannot lead out of the root of the process.
  static Result<AtomicFile> in_tmp_of(const Process& process, std::string name);

  Status write(std::string_view bytes) const;
  const std::string& path() const { return path_; }  // for messages

 private:
  AtomicFile(UniqueFd folder, std::string name, std::string path)
      : folder_(std::move(folder)), name_(std::move(name)), path_(std::move(path)) {}

  UniqueFd folder_;
  std::string name_, path_;
};

}  // namespace beam_exporter::os
