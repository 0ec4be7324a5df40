#include <algorithm>
#include <optional>
#include <protozero/exception.hpp>

#include "profile/formats/pprof.h"
#include "profile/formats/pprof_parts.h"
#include "profile/stack_table.h"

namespace beam_exporter::profile {

namespace {

// What of the sample's values counts samples, and what is CPU time.
struct ValuePlaces {
  std::size_t samples = 0;
  std::optional<std::size_t> cpu_time;
};

ValuePlaces value_places(const PprofParts& parts) {
  ValuePlaces places;
  for (std::size_t k = 0; k < parts.sample_types.size(); ++k) {
    const auto& unit = parts.text(parts.sample_types[k].second);
    if (unit == "count") places.samples = k;
    if (unit == "nanoseconds") places.cpu_time = k;
  }
  return places;
}

// pprof() writes "lists:sort/1" and "Elixir.MyApp.Foo:bar/1" as the system name of an Erlang
// function, and for all others what a person reads.
Function function_of(const PprofParts& parts, const PprofParts::Function& part) {
  const std::string& name = parts.text(part.name);
  Function function{.name = name, .file = parts.text(part.file)};
  if (name.starts_with('[') && name.ends_with(']')) {
    function.kind = FunctionKind::other;
    function.name = name.substr(1, name.size() - 2);
    return function;
  }
  if (name.ends_with(kernel_mark)) {
    function.kind = FunctionKind::kernel;
    function.name.resize(name.size() - kernel_mark.size());
    return function;
  }
  std::string system_name = parts.text(part.system_name);
  const auto colon = system_name.find(':'), slash = system_name.rfind('/');
  if (system_name == name && (colon == std::string::npos || slash == std::string::npos))
    return function;
  if (colon == std::string::npos) return function;
  constexpr std::string_view elixir = "Elixir.";
  function.kind = FunctionKind::erlang;
  function.elixir = system_name.starts_with(elixir);
  function.name = system_name.substr(colon + 1);
  system_name.resize(colon);
  function.module = function.elixir ? system_name.substr(elixir.size()) : system_name;
  return function;
}

Labels labels_of(const PprofParts& parts, const PprofParts::Sample& sample) {
  Labels labels;
  for (const auto& label : sample.labels) {
    const std::string& key = parts.text(label.key);
    if (key == "thread") labels.thread = parts.text(label.text);
    if (key == "state") labels.state = parts.text(label.text);
    if (key == "process") labels.process = parts.text(label.text);
    if (key == "native") labels.natives.push_back(parts.text(label.text));
    if (key == "scheduler") labels.number = static_cast<int>(label.number);
  }
  return labels;
}

class Assembly {
 public:
  explicit Assembly(const PprofParts& parts) : parts_(parts), places_(value_places(parts)) {}

  Profile assemble() {
    for (const auto& sample : parts_.samples) add(sample);
    Profile profile{.functions = table_.functions(),
                    .frames = table_.frames(),
                    .stacks = table_.stacks(),
                    .labels = table_.all_labels(),
                    .entries = std::move(entries_)};
    profile.begin += std::chrono::nanoseconds(parts_.begin);
    profile.duration = std::chrono::nanoseconds(parts_.duration);
    profile.period = std::chrono::nanoseconds(parts_.period);
    profile.lost = lost_;
    return profile;
  }

 private:
  void add(const PprofParts::Sample& sample) {
    const auto value = [&](std::size_t place) {
      return place < sample.values.size() ? std::max<std::int64_t>(sample.values[place], 0) : 0;
    };
    const auto samples = static_cast<std::uint64_t>(value(places_.samples));
    const auto stack = stack_of(sample);
    const auto labels = table_.labels(labels_of(parts_, sample));
    if (!stack || !labels) {
      lost_ += samples;
      return;
    }
    entries_.push_back({*stack, *labels, samples,
                        std::chrono::nanoseconds(places_.cpu_time ? value(*places_.cpu_time) : 0)});
  }

  std::optional<Index> stack_of(const PprofParts::Sample& sample) {
    std::vector<Index> frames;
    for (const auto id : sample.locations) {
      const auto location = parts_.locations.find(id);
      if (location == parts_.locations.end()) continue;
      for (const auto& line : location->second) {
        const auto function = parts_.functions.find(line.function);
        if (function == parts_.functions.end()) continue;
        const auto frame = table_.frame(
            function_of(parts_, function->second),
            static_cast<std::uint32_t>(std::clamp<std::int64_t>(line.line, 0, 1 << 24)));
        if (!frame) return std::nullopt;
        frames.push_back(*frame);
      }
    }
    return table_.stack(frames);
  }

  const PprofParts& parts_;
  ValuePlaces places_;
  StackTable table_;
  std::vector<Entry> entries_;
  std::uint64_t lost_ = 0;
};

}  // namespace

os::Result<Profile> read_pprof(std::string_view bytes) {
  try {
    const PprofParts parts = read_parts(bytes);
    if (parts.strings.empty() || parts.sample_types.empty())
      return os::Error{os::ErrorKind::malformed, "no pprof profile"};
    return Assembly(parts).assemble();
  } catch (const protozero::exception& problem) {
    return os::Error{os::ErrorKind::malformed, std::string("no pprof profile: ") + problem.what()};
  }
}

}  // namespace beam_exporter::profile
