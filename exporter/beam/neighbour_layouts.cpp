#include "beam/neighbour_layouts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "beam/layout_check.h"

namespace beam_exporter::beam {

namespace {

std::string first_failure(const std::vector<CheckResult>& results) {
  const auto failed = std::ranges::find(results, false, &CheckResult::ok);
  return failed == results.end() ? ""
                                 : "check '" + failed->name + "' failed (" + failed->detail + ")";
}

std::optional<Release> release_of(const os::Process& process) {
  const auto image = elf::Image::of(process);
  if (!image) return std::nullopt;
  const auto release = read_release(*image);
  return release ? std::optional(*release) : std::nullopt;
}

}  // namespace

os::Result<std::unique_ptr<VirtualMachine>> first_that_fits(const std::vector<Layout>& layouts,
                                                            const AttachWith& attach) {
  std::string refusals;
  for (const auto& layout : layouts) {
    auto vm = attach(layout);
    const auto failure = vm ? first_failure(check_layout(**vm)) : vm.error().text;
    if (failure.empty()) return vm;
    refusals += (refusals.empty() ? "" : "; ") + layout.origin + ": " + failure;
  }
  return os::Error{os::ErrorKind::malformed, refusals};
}

os::Result<std::unique_ptr<VirtualMachine>> attach_known_or_near(const os::Process& process,
                                                                 const os::Memory& memory,
                                                                 const LayoutLibrary& library,
                                                                 const CodeIndex::Clock& clock) {
  auto known = VirtualMachine::attach(process, memory, library, clock);
  if (known || known.error().kind != os::ErrorKind::unsupported) return known;
  const auto release = release_of(process);
  const auto near =
      release && !library.find(*release) ? library.neighbours(*release) : std::vector<Layout>();
  if (near.empty()) return known;
  auto fits = first_that_fits(near, [&](Layout layout) {
    auto description = VirtualMachine::describe(process, std::move(layout), library);
    if (!description) return os::Result<std::unique_ptr<VirtualMachine>>(description.error());
    return VirtualMachine::attach(process, memory, std::move(*description), clock);
  });
  if (fits) return fits;
  return os::Error{fits.error().kind,
                   known.error().text +
                       " (the layouts of other releases do not fit: " + fits.error().text + ")"};
}

std::string layout_doubt(const VirtualMachine& vm) {
  const auto& release = vm.release();
  if (vm.layout().otp_release == release.otp_release) return "";
  return "no layout for " + build_text(release.otp_release, release.erts_version, release.flavor) +
         ": it is read by " + vm.layout().origin +
         ", which passes every check; figures that no check covers may be wrong "
         "(beam_exporter layout makes a layout of this release)";
}

}  // namespace beam_exporter::beam
