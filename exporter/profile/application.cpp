#include "profile/application.h"

namespace beam_exporter::profile {

std::string application_of(const Function& function) {
  switch (function.kind) {
    case FunctionKind::erlang:
      break;
    case FunctionKind::bif:
      return "BIF";
    case FunctionKind::nif:
      return "NIF";
    case FunctionKind::native:
      return "C";
    case FunctionKind::kernel:
      return "kernel";
    case FunctionKind::other:
      return "other";
  }
  const auto end = function.module.find(function.elixir ? '.' : '_');
  // A name that begins with the separator has no first part.
  return end == 0 ? function.module : function.module.substr(0, end);
}

}  // namespace beam_exporter::profile
