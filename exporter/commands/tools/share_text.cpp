#include "commands/tools/share_text.h"

#include "text/printed.h"

namespace beam_exporter::commands {

using text::printed;

double seconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e9; }

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string seconds_text(std::chrono::nanoseconds time) { return printed("%.1f s", seconds(time)); }

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  return printed("%6.2f %%", 100 * share(part, whole));
}

std::string error_text(std::uint64_t part, std::uint64_t whole) {
  return printed(" %5.2f", 100 * profile::share_error(part, whole));
}

std::string summary(const profile::Profile& profile) {
  const auto samples = profile.samples();
  std::string text = profile.target + ": " + std::to_string(samples) + " samples in " +
                     seconds_text(profile.duration) + ", " + seconds_text(profile.cpu_time()) +
                     " of CPU time, ";
  text += profile.lost == 0 ? "none lost" : std::to_string(profile.lost) + " more were lost";
  if (samples == 0) return text + "; no thread of the VM ran";
  return text + "; a share of 10 % may be off by" + error_text(samples / 10, samples) + " points";
}

}  // namespace beam_exporter::commands
