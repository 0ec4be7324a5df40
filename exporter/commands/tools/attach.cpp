#include "commands/tools/attach.h"

#include <iostream>

#include "beam/neighbour_layouts.h"
#include "commands/tools/find_vm.h"

namespace beam_exporter::commands {

namespace {

os::Result<session::AttachedVm> attach_unproven(const ToolContext& context, CoreChoice* choice) {
  if (auto core = choice != nullptr ? choice->take() : std::nullopt)
    return session::attach_to_core(std::move(*core), choice->path(), choice->executable(),
                                   context.layouts);
  const auto target = find_vm(context.settings, context.layouts);
  if (!target) return target.error();
  return session::attach_to(*target, context.layouts);
}

}  // namespace

os::Result<session::AttachedVm> attach(const ToolContext& context, CoreChoice* choice) {
  auto attached = attach_unproven(context, choice);
  if (!attached) return attached;
  if (choice != nullptr && choice->given() && !attached->complaint.empty())
    std::cerr << "beam_exporter: " << attached->complaint << "\n";
  if (const auto proven = session::prove(*attached->vm); !proven) return proven.error();
  if (const auto doubt = beam::layout_doubt(*attached->vm); !doubt.empty())
    std::cerr << "beam_exporter: " << doubt << "\n";
  return attached;
}

}  // namespace beam_exporter::commands
