#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

// The texts of --help besides the flags, and the layout of the page. Called by command_line.cpp
// only.
namespace beam_exporter::commands {

extern const char* const main_footer;
extern const char* const check_footer;
extern const char* const layout_footer;

std::shared_ptr<CLI::FormatterBase> help_page();

}  // namespace beam_exporter::commands
