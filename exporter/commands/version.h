#pragma once

#include <string>
#include <string_view>

// The facts about this build, for --version and beam_exporter_build_info. Any thread.
namespace beam_exporter::commands {

struct BuildInfo {
  std::string_view version;     // "0.1.0"
  std::string_view revision;    // short git hash, or "unknown" in a tree without git
  std::string_view compiler;    // "gcc 12.2.0"
  std::string_view build_type;  // "Release"
  std::string_view platform;    // "linux/x86_64"
};

BuildInfo build_info();

// The text that --version prints.
std::string version_text();

// CMake writes it on each build (revision.cpp.in).
std::string_view git_revision();

}  // namespace beam_exporter::commands
