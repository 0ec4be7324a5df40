#include "session/views/loaded_lines.h"

#include <utility>

#include "beam/code/line_table.h"
#include "session/named_frame.h"

namespace beam_exporter::session {

namespace {

// OTP and a large application have some hundred thousand; a forged table must not cost more.
constexpr std::size_t most_lines = 4'000'000;

void add_function(beam::LineTable& table, std::size_t index, profile::Function function,
                  std::size_t& room, LoadedLines& out) {
  const auto lines = table.lines_of(index);
  if (!lines || lines->count() == 0) return;
  if (lines->count() > room) {
    out.whole = false;
    return;
  }
  room -= lines->count();
  profile::FunctionLines found{.function = std::move(function)};
  for (auto& source : table.sources(lines->first, lines->count()))
    if (source) found.lines.push_back({std::move(source->file), source->line});
  if (found.lines.empty()) return;
  found.head = found.lines.front();
  out.functions.push_back(std::move(found));
}

}  // namespace

LoadedLines loaded_lines(beam::VirtualMachine& vm, const std::set<std::string>& modules) {
  LoadedLines out;
  std::size_t room = most_lines;
  for (const os::AddressRange range : vm.code().ranges()) {
    const auto* module = vm.code().module_at(range.begin);
    if (module == nullptr || module->functions.empty()) continue;
    const auto named = [&](const beam::Mfa& mfa) {
      return named_function(vm.atoms(), profile::FunctionKind::erlang, mfa);
    };
    const std::string name = named(module->functions.front()).module;
    out.modules.insert(name);
    if (!modules.empty() && !modules.contains(name)) continue;
    auto table = beam::LineTable::open(vm.layout(), vm.memory(), vm.atoms(), *module);
    if (!table) continue;
    for (std::size_t k = 0; k < module->functions.size(); ++k)
      add_function(*table, k, named(module->functions[k]), room, out);
  }
  return out;
}

}  // namespace beam_exporter::session
