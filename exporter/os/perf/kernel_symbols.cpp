#include "os/perf/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "os/kernel_setting.h"

namespace beam_exporter::os {

KernelSymbols KernelSymbols::read() {
  std::ifstream text("/proc/kallsyms");
  return parse(text);
}

// A line is "ffffffff81000000 T name", and "\t[module]" behind the name of a module's function.
KernelSymbols KernelSymbols::parse(std::istream& text) {
  KernelSymbols symbols;
  for (std::string line; std::getline(text, line);) {
    Address address = 0;
    const char* const end = line.data() + line.size();
    const auto [behind, error] = std::from_chars(line.data(), end, address, 16);
    // T and W: code; t and w: the same, static. Without the right to see them all are 0.
    if (error != std::errc() || address == 0 || end - behind < 4) continue;
    if (std::string_view("tTwW").find(behind[1]) == std::string_view::npos) continue;
    const std::string_view name(behind + 3, static_cast<std::size_t>(end - behind - 3));
    symbols.starts_.push_back({address, static_cast<std::uint32_t>(symbols.names_.size())});
    symbols.names_ += name.substr(0, name.find('\t'));
    symbols.names_ += '\0';
  }
  // Of several names for one address the first one is the older name, as perf takes it too.
  std::ranges::stable_sort(symbols.starts_, {}, &Start::address);
  // clang 14 does not take std::ranges::unique for a private type.
  const auto same = [](const Start& a, const Start& b) { return a.address == b.address; };
  symbols.starts_.erase(std::unique(symbols.starts_.begin(), symbols.starts_.end(), same),
                        symbols.starts_.end());
  return symbols;
}

std::string_view KernelSymbols::name_of(Address address) const {
  const auto after = std::ranges::upper_bound(starts_, address, {}, &Start::address);
  return after == starts_.begin() ? "" : names_.c_str() + std::prev(after)->name;
}

// kallsyms_show_value (kernel/ksyms_common.c, Linux 6.18).
std::string kernel_symbols_refusal() {
  const bool hidden = kernel_setting("/proc/sys/kernel/kptr_restrict").value_or(0) > 1;
  return std::string("/proc/kallsyms shows no addresses; ") +
         (hidden ? "set kernel.kptr_restrict to 1 and add CAP_SYSLOG" : "add CAP_SYSLOG");
}

}  // namespace beam_exporter::os
