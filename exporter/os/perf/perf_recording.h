#pragma once

#include <cstddef>
#include <string>

#include "os/result.h"

namespace beam_exporter::os {

// Changes a file that `perf record` wrote: mappings of `file_name`, of any process, become
// anonymous ones. perf reads names from /tmp/perf-PID.map only for code in anonymous memory
// (is_anon_memory in tools/perf/util/map.c, Linux 6.1), but the JIT's code is in a memfd. Returns
// the number of changed mappings; a second call returns 0. Errors, with the path: not_found,
// not_permitted, system; malformed: no file of perf record, or an unfinished one; unsupported: a
// compressed one.
Result<std::size_t> make_mappings_anonymous(const std::string& path, std::string_view file_name);

}  // namespace beam_exporter::os
