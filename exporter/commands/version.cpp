#include "commands/version.h"

namespace beam_exporter::commands {

BuildInfo build_info() {
  return {BEAM_EXPORTER_VERSION, git_revision(), BEAM_EXPORTER_COMPILER, BEAM_EXPORTER_BUILD_TYPE,
          BEAM_EXPORTER_PLATFORM};
}

std::string version_text() {
  const BuildInfo build = build_info();
  std::string text = "beam_exporter, version ";
  text.append(build.version).append(" (revision: ").append(build.revision).append(")\n");
  text.append("  compiler:    ").append(build.compiler).append("\n");
  text.append("  build type:  ").append(build.build_type).append("\n");
  text.append("  platform:    ").append(build.platform).append("\n");
  return text;
}

}  // namespace beam_exporter::commands
