#include "profile/sample_rate.h"

namespace beam_exporter::profile {

SampleRate::SampleRate(const Profile& profile) : whole_(profile.samples()) {
  if (whole_ > 0 && profile.duration.count() > 0)
    rate_ = static_cast<double>(profile.cpu_time().count()) /
            static_cast<double>(profile.duration.count()) / static_cast<double>(whole_);
}

double SampleRate::error(std::uint64_t samples) const {
  return share_error(samples, whole_) * of(whole_);
}

}  // namespace beam_exporter::profile
