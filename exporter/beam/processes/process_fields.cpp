#include "beam/processes/process_fields.h"

#include "beam/layout/remote_struct.h"
#include "beam/terms/term.h"

namespace beam_exporter::beam {

std::optional<ProcessFields> read_process(const Layout& layout, const os::Memory& memory,
                                          os::Address process) {
  const auto bytes = read_struct(memory, process, layout.process.size);
  return bytes ? process_from(layout, process, *bytes) : std::nullopt;
}

std::optional<ProcessFields> process_from(const Layout& layout, os::Address process,
                                          std::span<const std::byte> bytes) {
  const StructBytes fields(bytes);
  const auto& at = layout.process;
  ProcessFields out;
  out.address = process;
  // A layout guarantees that required fields lie inside the struct: value_or never takes its
  // default.
  out.id = fields.get(at.id).value_or(0);
  out.htop = fields.get(at.htop).value_or(0);
  out.stop = fields.get(at.stop).value_or(0);
  out.heap = fields.get(at.heap).value_or(0);
  out.hend = fields.get(at.hend).value_or(0);
  out.frame_pointer = fields.get(at.frame_pointer).value_or(0);
  out.i = fields.get(at.i).value_or(0);
  out.current = fields.get(at.current).value_or(0);
  out.initial = {fields.get(at.initial_module).value_or(0),
                 fields.get(at.initial_function).value_or(0),
                 static_cast<std::uint32_t>(fields.get(at.initial_arity).value_or(0))};
  out.state = fields.get(at.state).value_or(0);
  out.dirty_tasks = fields.get(at.dirty_tasks).value_or(0);
  out.fcalls = fields.get(at.fcalls);
  if (!is_internal_pid(out.id) || out.heap == 0 || out.heap > out.htop || out.htop > out.hend)
    return std::nullopt;
  return out;
}

}  // namespace beam_exporter::beam
