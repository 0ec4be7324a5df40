#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// Each pair of labels once, in order of first appearance, with the sum of its times. Two functions
// may have the same labels: 'Elixir.Foo' and 'Foo' do.
std::vector<std::pair<const totals::FunctionTime*, double>> summed(
    const std::vector<totals::FunctionTime>& functions);

// Appends the family `name` with the labels module and function.
void append_functions(std::string_view name, const std::vector<totals::FunctionTime>& functions,
                      Families& out);

}  // namespace beam_exporter::metrics
