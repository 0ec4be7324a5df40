#pragma once

#include <protozero/pbf_builder.hpp>
#include <span>
#include <string_view>
#include <unordered_map>

#include "profile/formats/pprof_fields.h"
#include "profile/profile.h"

namespace beam_exporter::profile {

// Writes one profile.proto, whatever it counts; called by pprof(). The value types come first, in
// the order of each sample's values.
class PprofWriter {
 public:
  struct Label {
    std::string_view key;
    std::string_view text;    // "": `number` is the value
    std::int64_t number = 0;  // 0 and no text: there is no such label
  };

  PprofWriter() : out_(bytes_) { number(""); }

  void value_type(std::string_view type, std::string_view unit) {
    value_type(pprof_fields::Profile::sample_type, type, unit);
  }
  void period(std::string_view type, std::string_view unit, std::int64_t period);
  void time(std::chrono::system_clock::time_point begin, std::chrono::nanoseconds duration);
  // `frames`: the innermost first.
  void sample(std::span<const Index> frames, std::span<const std::int64_t> values,
              std::span<const Label> labels);
  void places(std::span<const Function> functions, std::span<const Frame> frames);
  void comment(std::string_view text);
  // Call it once, as the last. `shown`: the value type that readers show first.
  std::string finish(std::string_view shown);

 private:
  std::int64_t number(std::string_view text);  // in the table of strings, where "" is the first
  void value_type(pprof_fields::Profile field, std::string_view type, std::string_view unit);
  void location(std::size_t index, const Frame& frame);
  void function(std::size_t index, const Function& function);

  std::string bytes_;
  protozero::pbf_builder<pprof_fields::Profile> out_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::int64_t> numbers_;
};

}  // namespace beam_exporter::profile
