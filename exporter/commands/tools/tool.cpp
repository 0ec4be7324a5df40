#include "commands/tools/tool.h"

#include <array>

namespace beam_exporter::commands {

namespace {

// Those that choose a VM, and the one more of tools that sample.
constexpr std::array<std::string_view, 7> tool_settings{
    "target.pid",       "target.match",           "layouts.directory",
    "builds.directory", "builds.debuginfod_urls", "builds.force_registers",
    "sampling.source"};

}  // namespace

std::span<const std::string_view> settings_choosing_a_vm() {
  return std::span(tool_settings).first<tool_settings.size() - 1>();
}

std::span<const std::string_view> settings_of_sampling() { return tool_settings; }

}  // namespace beam_exporter::commands
