#include "profile/formats/pprof.h"

#include <array>

#include "profile/formats/pprof_writer.h"

namespace beam_exporter::profile {

namespace {

void add_entry(PprofWriter& writer, const Profile& profile, const Entry& entry) {
  const Labels& labels = profile.labels[entry.labels];
  std::vector<PprofWriter::Label> written = {{"thread", labels.thread},
                                             {"state", labels.state},
                                             {"process", labels.process},
                                             {"scheduler", "", labels.number}};
  for (const std::string& native : labels.natives) written.push_back({"native", native});
  writer.sample(profile.stacks[entry.stack],
                std::array{static_cast<std::int64_t>(entry.samples),
                           static_cast<std::int64_t>(entry.cpu_time.count())},
                written);
}

}  // namespace

std::string pprof(const Profile& profile) {
  PprofWriter writer;
  writer.value_type("samples", "count");
  writer.value_type("cpu", "nanoseconds");
  writer.period("cpu", "nanoseconds", profile.period.count());
  writer.time(profile.begin, profile.duration);
  for (const Entry& entry : profile.entries) add_entry(writer, profile, entry);
  writer.places(profile.functions, profile.frames);
  if (!profile.target.empty()) writer.comment(profile.target);
  if (profile.lost > 0) writer.comment("samples lost: " + std::to_string(profile.lost));
  return writer.finish("cpu");
}

std::string pprof(const ProcessProfile& profile, ProcessOrder order) {
  const bool heap = order == ProcessOrder::heap;
  PprofWriter writer;
  writer.value_type("processes", "count");
  if (heap) writer.value_type("heap", "bytes");
  if (heap)
    writer.period("heap", "bytes", 1);
  else
    writer.period("processes", "count", 1);
  writer.time(profile.begin, {});
  for (const ProcessEntry& entry : profile.entries) {
    const std::array values{static_cast<std::int64_t>(entry.processes),
                            static_cast<std::int64_t>(entry.heap_bytes)};
    const Labels& labels = profile.labels[entry.labels];
    writer.sample(
        profile.stacks[entry.stack], std::span(values).first(heap ? 2 : 1),
        std::array<PprofWriter::Label, 2>{{{"status", labels.state}, {"process", labels.process}}});
  }
  writer.places(profile.functions, profile.frames);
  if (!profile.target.empty()) writer.comment(profile.target);
  if (profile.torn > 0)
    writer.comment("processes that ran or ended while they were read: " +
                   std::to_string(profile.torn));
  if (profile.lost > 0) writer.comment("processes lost: " + std::to_string(profile.lost));
  if (heap && profile.unmeasured_messages > 0)
    writer.comment("messages whose bytes are not known: " +
                   std::to_string(profile.unmeasured_messages));
  return writer.finish(heap ? "heap" : "processes");
}

}  // namespace beam_exporter::profile
