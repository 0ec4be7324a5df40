#include "session/named_frame.h"

#include <utility>

#include "beam/code/source_line.h"

namespace beam_exporter::session {

using profile::FunctionKind;

NamedFrame named_frame(const beam::VirtualMachine& vm, beam::CodeIndex& code, beam::Atoms& atoms,
                       const beam::ErlangFrame& frame) {
  NamedFrame named{.function = named_function(atoms, FunctionKind::erlang, frame.mfa)};
  const auto* module = code.module_at(frame.address);
  if (module == nullptr) return named;
  if (auto source = beam::source_line(vm.layout(), vm.memory(), atoms, *module, frame.address)) {
    named.function.file = std::move(source->file);
    named.line = source->line;
  }
  return named;
}

profile::Function named_function(beam::Atoms& atoms, FunctionKind kind, const beam::Mfa& mfa) {
  auto name = beam::function_name(atoms, mfa);
  if (!name) return {.kind = FunctionKind::other, .name = "name not read"};
  return {.kind = kind,
          .elixir = name->elixir,
          .module = std::move(name->module),
          .name = std::move(name->function)};
}

}  // namespace beam_exporter::session
