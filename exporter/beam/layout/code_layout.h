#pragma once

#include <cstdint>

#include "beam/layout/member.h"

// Loaded code, part of Layout (OTP 25 and 27). Read by code/.
namespace beam_exporter::beam {

// beam_code.h BeamCodeHeader.
struct CodeHeaderLayout : Struct<"BeamCodeHeader"> {
  Member<std::uint64_t> num_functions{"num_functions"};
  Member<os::Address> line_table{"line_table", Need::optional};
  Member<os::Address> md5{"md5_ptr"};
  Member<os::Address> functions{"functions"};  // the array begins here
};

// code_ix.h ErtsCodeInfo: the header in front of every function's code.
struct CodeInfoLayout : Struct<"ErtsCodeInfo"> {
  Member<Eterm> module{"mfa.module"}, function{"mfa.function"};
  Member<std::uint64_t> arity{"mfa.arity"};
};

// beam_code.h BeamCodeLineTab_. Only source_line needs it.
struct LineTableLayout : Struct<"BeamCodeLineTab_"> {
  // Eterm[], indexed by the file part of a location.
  Member<os::Address> file_names{"fname_ptr", Need::optional};
  Member<std::uint32_t> location_size{"loc_size", Need::optional};
  Member<os::Address> locations{"loc_tab", Need::optional};  // Uint16[] or Uint32[], location_size
  // The array of pointers, one for each function, begins here.
  Member<os::Address> functions{"func_tab", Need::optional};
};

// beam_ranges.c struct ranges and Range.
struct RangesLayout : Struct<"ranges"> {
  Member<os::Address> modules{"modules"};
  Member<std::int64_t> count{"n"}, allocated{"allocated"};
  Member<os::Address> mid{"mid.counter"};
};

struct RangeLayout : Struct<"Range"> {
  Member<os::Address> start{"start"}, end{"end.counter"};
};

}  // namespace beam_exporter::beam
