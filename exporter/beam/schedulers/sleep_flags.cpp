#include "beam/schedulers/sleep_flags.h"

#include <array>
#include <string_view>

#include "text/printed.h"

namespace beam_exporter::beam {

std::string sleep_flags_text(std::uint32_t flags) {
  // From bit 0 on: ERTS_SSI_FLG_*, erl_process.h (OTP 25 and 27).
  static constexpr std::array<std::string_view, 6> names = {
      "sleeping", "poll_sleeping", "tse_sleeping", "waiting", "suspended", "msb_exec"};
  if (flags == 0) return "awake";
  std::string text;
  for (unsigned bit = 0; bit < 32; ++bit) {
    if ((flags >> bit & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += bit < names.size() ? std::string(names[bit]) : text::printed("0x%x", 1u << bit);
  }
  return text;
}

}  // namespace beam_exporter::beam
