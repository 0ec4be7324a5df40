#include "metrics/families/function_series.h"

#include <map>

namespace beam_exporter::metrics {

std::vector<std::pair<const totals::FunctionTime*, double>> summed(
    const std::vector<totals::FunctionTime>& functions) {
  std::vector<std::pair<const totals::FunctionTime*, double>> series;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> seen;
  for (const auto& function : functions) {
    const auto [known, fresh] =
        seen.try_emplace({function.module, function.function}, series.size());
    if (fresh)
      series.emplace_back(&function, function.seconds);
    else
      series[known->second].second += function.seconds;
  }
  return series;
}

void append_functions(std::string_view name, const std::vector<totals::FunctionTime>& functions,
                      Families& out) {
  FamilyBuilder seconds(name);
  for (const auto& [function, sum] : summed(functions))
    seconds.add({function->module, function->function}, sum);
  seconds.append_to(out);
}

}  // namespace beam_exporter::metrics
