#include "beam/layout/release.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace beam_exporter::beam {

namespace {

// The texts become labels and file names: only what a version can consist of.
bool is_version(const std::string& text) {
  return !text.empty() && text.size() <= 32 && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

os::Result<Release> read_release(const elf::Image& image) {
  const auto otp_release = image.text_constant("etp_otp_release");
  const auto erts_version = image.text_constant("etp_erts_version");
  if (!otp_release || !erts_version) {
    // Every BEAM exports the NIF interface, also one built with hidden visibility (OTP 28 and
    // later).
    if (image.symbol("enif_make_atom"))
      return os::Error{os::ErrorKind::unsupported,
                       image.name() +
                           ": an Erlang VM that does not export its version (etp_otp_release), "
                           "as OTP 28 and later; this release is not supported yet"};
    return os::Error{os::ErrorKind::not_found,
                     image.name() + ": not an Erlang VM (no symbol etp_otp_release)"};
  }
  if (!is_version(*otp_release) || !is_version(*erts_version))
    return os::Error{os::ErrorKind::malformed,
                     image.name() + ": etp_otp_release or etp_erts_version is no version"};
  if (const auto bits = image.constant<std::int32_t>("etp_arch_bits"); bits != 64)
    return os::Error{os::ErrorKind::unsupported,
                     image.name() + ": not a 64-bit Erlang VM (etp_arch_bits)"};
  // OTP 23 has no etp_beamasm: there was only the interpreter.
  const bool jit = image.constant<std::int32_t>("etp_beamasm").value_or(0) != 0;
  return Release{*otp_release, *erts_version, jit ? "jit" : "emu", std::string(image.arch())};
}

}  // namespace beam_exporter::beam
