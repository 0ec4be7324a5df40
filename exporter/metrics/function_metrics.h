#pragma once

#include "attribution/snapshot.h"
#include "metrics/family_builder.h"

namespace beam_exporter::metrics {

// Where Erlang code spends CPU time: beam_function_*, beam_process_cpu_seconds_total. Pure.
// Two functions that show the same labels ('Elixir.Foo' and 'Foo' do) become one series, their sum.
Families function_metrics(const attribution::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
