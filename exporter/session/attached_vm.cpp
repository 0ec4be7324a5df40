#include "session/attached_vm.h"

#include <filesystem>
#include <utility>

#include "beam/layout_check.h"
#include "beam/neighbour_layouts.h"
#include "os/memory/memory_choice.h"
#include "os/monotonic_clock.h"

namespace beam_exporter::session {

os::Result<AttachedVm> attach_to(const os::Process& process, const beam::LayoutLibrary& library) {
  const auto refused = [&](const os::Error& error) {
    return os::Error{error.kind, "cannot attach to process " + std::to_string(process.pid()) +
                                     ": " + error.text};
  };
  auto opened = os::open_process_memory(process);
  if (!opened) return refused(opened.error());
  auto vm = beam::attach_known_or_near(process, *opened->memory, library, os::monotonic_now);
  if (!vm) return refused(vm.error());
  return AttachedVm{std::move(opened->memory), std::move(opened->complaint), std::move(*vm)};
}

namespace {

// The path of the file that the process ran, as it was there; empty when the core does not tell.
std::string executable_of(const elf::CoreFile& core) {
  for (const auto& mapping : core.map().mappings())
    if (std::filesystem::path(mapping.path).filename().string().starts_with("beam."))
      return mapping.path;
  return "";
}

}  // namespace

os::Result<AttachedVm> attach_to_core(elf::CoreFile core, const std::string& name,
                                      const std::string& executable,
                                      const beam::LayoutLibrary& library) {
  const auto refused = [&](const os::Error& error) {
    return os::Error{error.kind, "cannot read the VM in " + name + ": " + error.text};
  };
  const auto path = executable.empty() ? executable_of(core) : executable;
  if (path.empty())
    return os::Error{os::ErrorKind::not_found,
                     name + " maps no beam.smp: name the VM's executable by --executable"};
  auto image = elf::Image::open(path);
  if (!image && executable.empty())
    return refused(
        {image.error().kind, image.error().text + " (name the VM's own beam.smp by --executable)"});
  if (!image) return refused(image.error());
  auto known = beam::VirtualMachine::describe_core(core, std::move(*image), library);
  if (!known) return refused(known.error());
  const auto process = os::Process::ended(core.pid());
  std::string complaint;
  if (core.missing_bytes() > 0)
    complaint = name + " is cut: " + std::to_string(core.missing_bytes()) +
                " bytes of memory are missing (RLIMIT_CORE, or a full disk)";
  auto memory = std::make_unique<elf::CoreMemory>(std::move(core), known->image, known->bias);
  auto vm = beam::VirtualMachine::attach(process, *memory, std::move(*known), os::monotonic_now);
  if (!vm)
    return refused(
        {vm.error().kind, vm.error().text + (complaint.empty() ? "" : " (" + complaint + ")")});
  return AttachedVm{std::move(memory), std::move(complaint), std::move(*vm)};
}

std::string describe(const beam::VirtualMachine& vm) {
  const auto& release = vm.release();
  return beam::build_text(release.otp_release, release.erts_version, release.flavor) + ", pid " +
         std::to_string(vm.process().pid());
}

std::string symbols_of(const beam::VirtualMachine& vm) {
  const auto& image = vm.image();
  if (!image.symbols_from().empty()) return image.symbols_from();
  return image.has_symbol_table() ? "its own symbol table" : "exported symbols only";
}

os::Status prove(beam::VirtualMachine& vm) {
  for (const auto& check : beam::check_layout(vm))
    if (!check.ok)
      return os::Error{os::ErrorKind::malformed,
                       "the VM does not fit layout " + vm.layout().origin + ": check '" +
                           check.name + "' failed (" + check.detail + "); see beam_exporter check"};
  return os::Done{};
}

}  // namespace beam_exporter::session
