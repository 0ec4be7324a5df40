#pragma once

#include <map>
#include <optional>

#include "profile/profile.h"

namespace beam_exporter::profile {

struct LabelTime {
  std::uint64_t samples = 0;
  std::chrono::nanoseconds cpu_time{};
};

// Samples by something that their labels say: by thread, by state, by process. A label of which
// `key_of` returns nullopt is left out.
template <class Key, class KeyOf>
std::map<Key, LabelTime> label_times(const Profile& profile, const KeyOf& key_of) {
  std::map<Key, LabelTime> times;
  for (const Entry& entry : profile.entries) {
    const std::optional<Key> key = key_of(profile.labels[entry.labels]);
    if (!key) continue;
    auto& time = times[*key];
    time.samples += entry.samples;
    time.cpu_time += entry.cpu_time;
  }
  return times;
}

}  // namespace beam_exporter::profile
