#pragma once

#include <protozero/types.hpp>

// Numbers of the fields of proto/profile.proto (github.com/google/pprof), as far as they are used.
namespace beam_exporter::profile::pprof_fields {

enum class Profile : protozero::pbf_tag_type {
  sample_type = 1,
  sample = 2,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  duration_nanos = 10,
  period_type = 11,
  period = 12,
  comment = 13,
  default_sample_type = 14,
};
enum class ValueType : protozero::pbf_tag_type { type = 1, unit = 2 };
enum class Sample : protozero::pbf_tag_type { location_id = 1, value = 2, label = 3 };
enum class Label : protozero::pbf_tag_type { key = 1, str = 2, num = 3 };
enum class Location : protozero::pbf_tag_type { id = 1, line = 4 };
enum class Line : protozero::pbf_tag_type { function_id = 1, line = 2 };
enum class Function : protozero::pbf_tag_type { id = 1, name = 2, system_name = 3, filename = 4 };

}  // namespace beam_exporter::profile::pprof_fields
