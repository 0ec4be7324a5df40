#include "session/views/memory_view.h"

#include "collectors/memory_look.h"
#include "session/attached_vm.h"
#include "verdict/memory_json.h"

namespace beam_exporter::session {

os::Result<std::string> memory_view(const beam::VirtualMachine& vm) {
  const auto facts = collectors::look_at_memory(vm);
  // Of a VM that ended meanwhile, the facts are of nobody.
  if (!vm.process().running()) return os::Error{os::ErrorKind::gone, "the VM has ended"};
  return verdict::memory_json(describe(vm), facts);
}

}  // namespace beam_exporter::session
