#include "beam/terms/function_name.h"

#include <string_view>
#include <utility>

namespace beam_exporter::beam {

std::optional<FunctionName> function_name(Atoms& atoms, const Mfa& mfa) {
  auto module = atoms.name(mfa.module);
  auto function = atoms.name(mfa.function);
  if (!module || !function) return std::nullopt;
  const bool elixir = drop_elixir(*module);
  return FunctionName{std::move(*module), *function + "/" + std::to_string(mfa.arity), elixir};
}

bool drop_elixir(std::string& name) {
  constexpr std::string_view elixir = "Elixir.";
  if (!name.starts_with(elixir) || name.size() == elixir.size()) return false;
  name.erase(0, elixir.size());
  return true;
}

}  // namespace beam_exporter::beam
