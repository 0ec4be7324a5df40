#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

// What --help says beyond the flags, and how the page is laid out. Called by command_line.cpp only.
namespace beam_exporter::commands {

extern const char* const main_footer;
extern const char* const check_footer;
extern const char* const layout_footer;

std::shared_ptr<CLI::FormatterBase> help_page();

}  // namespace beam_exporter::commands
