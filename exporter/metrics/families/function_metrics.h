#pragma once

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// Where Erlang code spends CPU time: beam_function_*, beam_process_cpu_seconds_total. Pure.
// Two functions that show the same labels ('Elixir.Foo' and 'Foo' do) become one series, their sum.
Families function_metrics(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::metrics
