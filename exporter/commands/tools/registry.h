#pragma once

#include <memory>
#include <vector>

#include "commands/tools/tool.h"

// Every tool, in the order of `beam_exporter --help`. A new one is its file, and two lines here.
namespace beam_exporter::commands {

std::unique_ptr<Tool> blame_tool();
std::unique_ptr<Tool> coverage_tool();
std::unique_ptr<Tool> diff_tool();
std::unique_ptr<Tool> heap_tool();
std::unique_ptr<Tool> memory_tool();
std::unique_ptr<Tool> perf_map_tool();
std::unique_ptr<Tool> profile_tool();
std::unique_ptr<Tool> pstack_tool();
std::unique_ptr<Tool> report_tool();
std::unique_ptr<Tool> top_tool();

inline std::vector<std::unique_ptr<Tool>> make_tools() {
  std::vector<std::unique_ptr<Tool>> tools;
  for (const auto make : {&top_tool, &profile_tool, &diff_tool, &blame_tool, &coverage_tool,
                          &pstack_tool, &heap_tool, &memory_tool, &report_tool, &perf_map_tool})
    tools.push_back(make());
  return tools;
}

}  // namespace beam_exporter::commands
