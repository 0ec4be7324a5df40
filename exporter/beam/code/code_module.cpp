#include "beam/code/code_module.h"

#include <algorithm>

#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

// A function takes at least an ErtsCodeInfo and some code; a count that allows less per function is
// wrong.
constexpr std::uint64_t smallest_function = 40;
// A bound for what a hostile range makes us allocate.
constexpr std::uint64_t most_in_a_module = 1u << 20;

std::optional<std::vector<Mfa>> read_functions(const Layout& layout, const os::Memory& memory,
                                               const std::vector<os::Address>& starts) {
  const auto& info = layout.code_info;
  std::vector<std::byte> bytes(starts.size() * info.size);
  std::vector<os::ReadRequest> requests(starts.size());
  for (std::size_t k = 0; k < starts.size(); ++k)
    requests[k] = {starts[k], std::span(bytes).subspan(k * info.size, info.size)};
  memory.read_batch(requests);

  std::vector<Mfa> functions(starts.size());
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const StructBytes fields(requests[k].into);
    const auto module = fields.get(info.module), function = fields.get(info.function);
    const auto arity = fields.get(info.arity);
    if (!requests[k].ok || !module || !function || !arity || !atom_index(*module) ||
        !atom_index(*function) || *arity > most_arguments)
      return std::nullopt;
    functions[k] = {*module, *function, static_cast<std::uint32_t>(*arity)};
    if (functions[k].module != functions[0].module) return std::nullopt;
  }
  return functions;
}

}  // namespace

const Mfa* CodeModule::function_at(os::Address address) const {
  if (starts.empty() || address < starts.front() || address >= code_end) return nullptr;
  const auto after = std::upper_bound(starts.begin(), starts.end(), address);
  return &functions[static_cast<std::size_t>(after - starts.begin()) - 1];
}

Identity CodeModule::identity() const {
  if (md5_at != 0) return {md5_at, md5};
  return {range.begin, std::span(header).first(std::min(header.size(), most_identity_bytes))};
}

std::optional<CodeModule> read_code_module(const Layout& layout, const os::Memory& memory,
                                           os::AddressRange range) {
  const std::size_t header_size = layout.code_header.functions.offset;
  CodeModule module{.range = range};
  module.header.resize(header_size);
  if (range.size() < header_size || !memory.read(range.begin, module.header)) return std::nullopt;
  const auto count = StructBytes(module.header).get(layout.code_header.num_functions);
  if (!count || *count == 0 || *count > range.size() / smallest_function ||
      *count > most_in_a_module)
    return std::nullopt;

  // functions[count] is the end of the last function (BeamCodeHeader.functions in beam_code.h, OTP
  // 25 and 27).
  module.starts.resize(*count + 1);
  if (!memory.read(range.begin + header_size, std::as_writable_bytes(std::span(module.starts))))
    return std::nullopt;
  for (std::size_t k = 0; k < *count; ++k)
    if (!range.contains(module.starts[k], layout.code_info.size) ||
        module.starts[k] >= module.starts[k + 1])
      return std::nullopt;
  module.code_end = module.starts.back();
  module.starts.pop_back();
  if (module.code_end > range.end) return std::nullopt;

  const auto md5 = StructBytes(module.header).get(layout.code_header.md5).value_or(0);
  if (range.contains(md5, module.md5.size())) {
    if (!memory.read(md5, module.md5)) return std::nullopt;
    module.md5_at = md5;
  }
  auto functions = read_functions(layout, memory, module.starts);
  if (!functions) return std::nullopt;
  module.functions = std::move(*functions);
  return module;
}

}  // namespace beam_exporter::beam
