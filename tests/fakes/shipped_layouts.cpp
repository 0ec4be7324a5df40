#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "beam/layout/layout_file.h"
#include "beam/layout/layout_library.h"
#include "fakes/fake_vm.h"
#include "fakes/must.h"

namespace beam_exporter::tests {

namespace {

// "25" is the release with the JIT, "25-emu" the same with the interpreter.
std::pair<std::string, std::string> flavored(const std::string& release) {
  const auto dash = release.find('-');
  if (dash == std::string::npos) return {release, "jit"};
  return {release.substr(0, dash), release.substr(dash + 1)};
}

}  // namespace

std::string name_of_release(const std::string& otp_release, const std::string& flavor) {
  return flavor == "jit" ? otp_release : otp_release + "-" + flavor;
}

beam::Layout shipped_layout(const std::string& release, const std::string& erts_version) {
  // Reading all the files takes longer than most tests that want one layout.
  static const auto library = must(beam::LayoutLibrary::load());
  const auto [otp_release, flavor] = flavored(release);
  return must(library.find({otp_release, erts_version, flavor, "x86_64"}));
}

std::map<std::string, beam::Layout> shipped_layouts(const std::string& release) {
  const auto [otp_release, flavor] = flavored(release);
  std::map<std::string, beam::Layout> found;
  for (const auto& file : std::filesystem::directory_iterator(SOURCE_DIR "/config/layouts")) {
    const auto name = file.path().filename().string();
    if (!name.starts_with("otp-" + otp_release + "-" + flavor)) continue;
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    auto layout = must(beam::read_layout(text.str(), name));
    if (layout.build != "opt") continue;
    found.emplace(layout.erts_version, std::move(layout));
  }
  return found;
}

}  // namespace beam_exporter::tests
