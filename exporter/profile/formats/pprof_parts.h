#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// The messages of a profile.proto as they stand in a file, before anything is made of them. Called
// by read_pprof().
namespace beam_exporter::profile {

// Indexes may lead anywhere: another program has written them.
struct PprofParts {
  std::vector<std::string> strings;
  std::vector<std::pair<std::int64_t, std::int64_t>> sample_types;  // type, unit
  struct Function {
    std::int64_t name = 0, system_name = 0, file = 0;
  };
  std::unordered_map<std::uint64_t, Function> functions;
  struct Line {
    std::uint64_t function = 0;
    std::int64_t line = 0;
  };
  std::unordered_map<std::uint64_t, std::vector<Line>> locations;  // inlined lines innermost first
  struct Label {
    std::int64_t key = 0, text = 0, number = 0;
  };
  struct Sample {
    std::vector<std::uint64_t> locations;
    std::vector<std::int64_t> values;
    std::vector<Label> labels;
  };
  std::vector<Sample> samples;
  std::int64_t begin = 0, duration = 0, period = 0;

  const std::string& text(std::int64_t index) const {
    static const std::string nothing;
    return index >= 0 && static_cast<std::size_t>(index) < strings.size()
               ? strings[static_cast<std::size_t>(index)]
               : nothing;
  }
};

// Throws protozero::exception where the bytes are no such messages.
PprofParts read_parts(std::string_view bytes);

}  // namespace beam_exporter::profile
