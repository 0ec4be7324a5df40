#include "metrics/families/families.h"

namespace beam_exporter::metrics {

Families vm_metrics(const totals::Snapshot& snapshot) {
  Families out;
  FamilyBuilder("beam_up").add({}, snapshot.up ? 1.0 : 0.0).append_to(out);

  FamilyBuilder info("beam_vm_info");
  if (const auto& vm = snapshot.vm)
    info.add({vm->otp_release, vm->erts_version, vm->flavor, vm->layout, vm->build_id}, 1.0);
  info.append_to(out);

  if (const auto& process = snapshot.process) {
    FamilyBuilder("beam_vm_start_time_seconds").add({}, process->start_time_seconds).append_to(out);
    FamilyBuilder("beam_vm_threads").add({}, process->threads).append_to(out);
    FamilyBuilder("beam_vm_open_fds").add({}, process->open_fds).append_to(out);
    FamilyBuilder("beam_vm_max_fds").add({}, process->max_fds).append_to(out);
  }

  FamilyBuilder("beam_vm_cpu_seconds_total")
      .add({"user"}, snapshot.vm_cpu_user_seconds)
      .add({"system"}, snapshot.vm_cpu_system_seconds)
      .append_to(out);
  FamilyBuilder("beam_target_restarts_total").add({}, snapshot.target_restarts).append_to(out);
  return out;
}

}  // namespace beam_exporter::metrics
