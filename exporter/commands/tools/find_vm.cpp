#include "commands/tools/find_vm.h"

#include "beam/target.h"
#include "commands/tools/progress.h"
#include "os/monotonic_clock.h"
#include "session/symbol_fetch.h"

namespace beam_exporter::commands {

os::Result<os::Process> find_vm(const settings::Settings& settings,
                                const beam::LayoutLibrary& layouts) {
  auto process = beam::find_target({settings.target.pid, settings.target.match});
  if (!process || settings.builds.debuginfod_urls.empty()) return process;
  Progress progress("fetching debug files", {});
  const auto began = os::monotonic_now();
  session::fetch_symbols(*process, layouts.symbols(), [&] {
    progress.show(os::monotonic_now() - began);
    return true;
  });
  return process;
}

}  // namespace beam_exporter::commands
