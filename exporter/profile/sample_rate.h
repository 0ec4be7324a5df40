#pragma once

#include "profile/profile.h"

namespace beam_exporter::profile {

// Makes samples of recordings of different duration comparable: CPU seconds per second of the
// recording.
class SampleRate {
 public:
  explicit SampleRate(const Profile& profile);

  double of(std::uint64_t samples) const { return static_cast<double>(samples) * rate_; }
  // How far of(samples) may be off, as 95 of 100 repetitions are.
  double error(std::uint64_t samples) const;

 private:
  std::uint64_t whole_;
  double rate_ = 0;  // what one sample stands for
};

}  // namespace beam_exporter::profile
