#include <filesystem>
#include <fstream>
#include <sstream>

#include "beam/layout/layout_file.h"
#include "beam/layout/layout_library.h"
#include "fakes/fake_vm.h"
#include "fakes/must.h"

namespace beam_exporter::tests {

namespace {

// "25" is the release with the JIT, "25-emu" the same with the interpreter, "25-disable-jit" an
// interpreter that was not built beside the JIT.
beam::Release named(const std::string& release, const std::string& erts_version = "") {
  const auto dash = release.find('-');
  const auto kind = dash == std::string::npos ? "jit" : release.substr(dash + 1);
  beam::Release named{release.substr(0, dash), erts_version, kind, "x86_64"};
  if (kind != "jit" && kind != "emu") {
    named.flavor = "emu";
    named.build = kind;
  }
  return named;
}

}  // namespace

std::string name_of_release(const beam::Release& release) {
  if (release.flavor == "jit") return release.otp_release;
  return release.otp_release + "-" + (release.build == "opt" ? release.flavor : release.build);
}

beam::Layout shipped_layout(const std::string& release, const std::string& erts_version) {
  // Reading all the files takes longer than most tests that want one layout.
  static const auto library = must(beam::LayoutLibrary::load());
  return must(library.find(named(release, erts_version)));
}

std::map<std::string, beam::Layout> shipped_layouts(const std::string& release) {
  const auto wanted = named(release);
  std::map<std::string, beam::Layout> found;
  for (const auto& file : std::filesystem::directory_iterator(SOURCE_DIR "/config/layouts")) {
    const auto name = file.path().filename().string();
    if (!name.starts_with("otp-" + wanted.otp_release + "-" + wanted.flavor)) continue;
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    auto layout = must(beam::read_layout(text.str(), name));
    if (layout.build != wanted.build) continue;
    found.emplace(layout.erts_version, std::move(layout));
  }
  return found;
}

}  // namespace beam_exporter::tests
