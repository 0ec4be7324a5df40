#include "beam/code/source_line.h"

#include <algorithm>

namespace beam_exporter::beam {

std::optional<SourceLine> source_line(const Layout& layout, const os::Memory& memory, Atoms& atoms,
                                      const CodeModule& module, os::Address address) {
  const Mfa* mfa = module.function_at(address);
  auto table =
      mfa != nullptr ? LineTable::open(layout, memory, atoms, module) : std::optional<LineTable>();
  if (!table) return std::nullopt;
  const auto lines = table->lines_of(static_cast<std::size_t>(mfa - module.functions.data()));
  if (!lines) return std::nullopt;
  const auto& begins = lines->begins;
  const auto after = std::upper_bound(begins.begin(), begins.end(), address);
  if (after == begins.begin() || after == begins.end()) return std::nullopt;
  const auto line = lines->first + static_cast<std::uint64_t>(after - begins.begin()) - 1;
  return table->sources(line, 1).front();
}

}  // namespace beam_exporter::beam
