#include "commands/tools/tool.h"

#include <array>

namespace beam_exporter::commands {

std::span<const std::string_view> Tool::settings() const {
  static constexpr std::array<std::string_view, 5> choosing_a_vm{
      "target.pid", "target.match", "layouts.directory", "builds.directory",
      "builds.debuginfod_urls"};
  return choosing_a_vm;
}

}  // namespace beam_exporter::commands
