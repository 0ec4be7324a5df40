#include "beam/layout/release.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <span>

namespace beam_exporter::beam {

namespace {

// The texts become labels and file names: only what a version can consist of.
bool is_version(const std::string& text) {
  return !text.empty() && text.size() <= 32 && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
  });
}

// erts_system_version, erl_bif_info.c: a format for printf that names the build, "Erlang/OTP 29%s
// [erts-17.1] [source] [64-bit] [smp:%beu:%beu] [ds:%beu:%beu:%beu] [async-threads:%d]
// [jit:ns%s]\n". It is in .data, since OTP 23 or longer.
std::string version_format(const elf::Image& image) {
  constexpr std::uint64_t largest_data = 16 << 20;
  for (const auto& segment : image.segments()) {
    if (!segment.writable || segment.file_size > largest_data) continue;
    std::string data(segment.file_size, '\0');
    if (!image.read(segment.addresses.begin, std::as_writable_bytes(std::span(data)))) continue;
    const auto begin = data.find("Erlang/OTP ");
    if (begin == std::string::npos) continue;
    return data.substr(begin, data.find('\0', begin) - begin);
  }
  return "";
}

bool has(const std::string& format, std::string_view text) {
  return format.find(text) != std::string::npos;
}

// The text of `format` between these two.
std::string between(const std::string& format, std::string_view before, std::string_view after) {
  const auto found = format.find(before);
  if (found == std::string::npos) return "";
  const auto begin = found + before.size(), end = format.find(after, begin);
  return end == std::string::npos ? "" : format.substr(begin, end - begin);
}

// config.h is a text in every VM (erts_build_flags_CONFIG_H, for erlang:system_info(compile_info)).
// configure defines ERLANG_FRAME_POINTERS where it enables the JIT, also for the interpreter that
// is built beside it (erts/configure.ac, OTP 25 to 29); otherwise Process has no frame_pointer.
bool without_frame_pointers(const elf::Image& image) {
  const auto constants = image.section_bytes(".rodata").bytes;
  const std::string_view text(reinterpret_cast<const char*>(constants.data()), constants.size());
  return text.find("#undef ERLANG_FRAME_POINTERS") != std::string_view::npos;
}

struct Compiled {
  bool counts_locks = false, debug = false, hipe = false, disable_jit = false;
};

std::string build_of(const Compiled& compiled) {
  if (compiled.debug) return "debug";
  if (compiled.counts_locks) return "lcnt";
  if (compiled.disable_jit) return "disable-jit";
  return compiled.hipe ? "hipe" : "opt";
}

// Of a VM that was built with hidden visibility and stripped, as OTP 29 is.
os::Result<Release> release_by_text(const elf::Image& image) {
  const auto format = version_format(image);
  const auto otp_release = between(format, "Erlang/OTP ", "%s"),
             erts_version = between(format, "[erts-", "]");
  if (!is_version(otp_release) || !is_version(erts_version))
    return os::Error{os::ErrorKind::unsupported,
                     image.name() +
                         ": an Erlang VM that does not tell its version: it has neither "
                         "etp_otp_release nor erts_system_version"};
  if (!has(format, "[64-bit]"))
    return os::Error{os::ErrorKind::unsupported, image.name() + ": not a 64-bit Erlang VM"};
  const bool jit = has(format, "[jit");
  return Release{
      otp_release, erts_version, jit ? "jit" : "emu", std::string(image.arch()),
      build_of({.counts_locks = has(format, "[lock-counting]"),
                .debug = has(format, "[debug-compiled]") || has(format, "[lock-checking]"),
                .disable_jit = !jit && without_frame_pointers(image)})};
}

}  // namespace

os::Result<Release> read_release(const elf::Image& image) {
  const auto otp_release = image.text_constant("etp_otp_release");
  const auto erts_version = image.text_constant("etp_erts_version");
  if (!otp_release || !erts_version) {
    // Every BEAM exports the NIF interface.
    if (image.symbol("enif_make_atom")) return release_by_text(image);
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
  const auto says = [&](const char* name) {
    return image.constant<std::int32_t>(name).value_or(0) != 0;
  };
  return Release{*otp_release, *erts_version, jit ? "jit" : "emu", std::string(image.arch()),
                 build_of({.counts_locks = says("etp_lock_count"),
                           .debug = says("etp_debug_compiled") || says("etp_lock_check"),
                           .hipe = says("etp_hipe"),
                           .disable_jit = !jit && without_frame_pointers(image)})};
}

std::string build_text(std::string_view otp_release, std::string_view erts_version,
                       std::string_view flavor) {
  return "OTP " + std::string(otp_release) + " (erts " + std::string(erts_version) + ", " +
         std::string(flavor) + ")";
}

}  // namespace beam_exporter::beam
