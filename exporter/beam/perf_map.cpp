#include "beam/perf_map.h"

#include "beam/terms/function_name.h"
#include "text/printed.h"

namespace beam_exporter::beam {

namespace {

// The format ends a name with its line.
void append_one_line(std::string& text, const std::string& name) {
  for (const char character : name) text += character == '\n' ? ' ' : character;
}

// As Erlang says it, for Elixir's functions too.
std::string erlang_name(const FunctionName& name) {
  return (name.elixir ? "$Elixir." : "$") + name.module + ":" + name.function;
}

void append(const CodeModule& module, Atoms& atoms, PerfMap& map) {
  for (std::size_t k = 0; k < module.functions.size(); ++k) {
    const auto name = function_name(atoms, module.functions[k]);
    if (!name) continue;
    const os::Address begin = module.starts[k];
    const os::Address end = k + 1 < module.starts.size() ? module.starts[k + 1] : module.code_end;
    map.text += text::printed("%llx %llx ", static_cast<unsigned long long>(begin),
                              static_cast<unsigned long long>(end - begin));
    append_one_line(map.text, erlang_name(*name));
    map.text += '\n';
    ++map.functions;
  }
}

}  // namespace

PerfMap perf_map(VirtualMachine& vm) {
  PerfMap map;
  for (const os::AddressRange range : vm.code().ranges()) {
    const auto* module = vm.code().module_at(range.begin);
    if (module == nullptr || module->functions.empty())
      ++map.undecoded;
    else
      append(*module, vm.atoms(), map);
  }
  return map;
}

}  // namespace beam_exporter::beam
