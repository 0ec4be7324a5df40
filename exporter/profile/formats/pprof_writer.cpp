#include "profile/formats/pprof_writer.h"

namespace beam_exporter::profile {

namespace fields = pprof_fields;
using protozero::pbf_builder;

std::int64_t PprofWriter::number(std::string_view text) {
  const auto [found, fresh] =
      numbers_.emplace(std::string(text), static_cast<std::int64_t>(strings_.size()));
  if (fresh) strings_.emplace_back(text);
  return found->second;
}

void PprofWriter::value_type(fields::Profile field, std::string_view type, std::string_view unit) {
  pbf_builder<fields::ValueType> message(out_, field);
  message.add_int64(fields::ValueType::type, number(type));
  message.add_int64(fields::ValueType::unit, number(unit));
}

void PprofWriter::period(std::string_view type, std::string_view unit, std::int64_t period) {
  value_type(fields::Profile::period_type, type, unit);
  out_.add_int64(fields::Profile::period, period);
}

void PprofWriter::time(std::chrono::system_clock::time_point begin,
                       std::chrono::nanoseconds duration) {
  out_.add_int64(fields::Profile::time_nanos,
                 std::chrono::nanoseconds(begin.time_since_epoch()).count());
  out_.add_int64(fields::Profile::duration_nanos, duration.count());
}

void PprofWriter::sample(std::span<const Index> frames, std::span<const std::int64_t> values,
                         std::span<const Label> labels) {
  pbf_builder<fields::Sample> message(out_, fields::Profile::sample);
  std::vector<std::uint64_t> locations;
  locations.reserve(frames.size());
  for (const Index frame : frames) locations.push_back(frame + 1);
  message.add_packed_uint64(fields::Sample::location_id, locations.begin(), locations.end());
  message.add_packed_int64(fields::Sample::value, values.begin(), values.end());
  for (const Label& label : labels) {
    if (label.text.empty() && label.number == 0) continue;
    pbf_builder<fields::Label> written(message, fields::Sample::label);
    written.add_int64(fields::Label::key, number(label.key));
    if (label.text.empty())
      written.add_int64(fields::Label::num, label.number);
    else
      written.add_int64(fields::Label::str, number(label.text));
  }
}

void PprofWriter::places(std::span<const Function> functions, std::span<const Frame> frames) {
  for (std::size_t k = 0; k < frames.size(); ++k) location(k, frames[k]);
  for (std::size_t k = 0; k < functions.size(); ++k) function(k, functions[k]);
}

void PprofWriter::location(std::size_t index, const Frame& frame) {
  pbf_builder<fields::Location> message(out_, fields::Profile::location);
  message.add_uint64(fields::Location::id, index + 1);
  pbf_builder<fields::Line> line(message, fields::Location::line);
  line.add_uint64(fields::Line::function_id, frame.function + 1);
  line.add_int64(fields::Line::line, frame.line);
}

void PprofWriter::function(std::size_t index, const Function& function) {
  pbf_builder<fields::Function> message(out_, fields::Profile::function);
  message.add_uint64(fields::Function::id, index + 1);
  message.add_int64(fields::Function::name, number(function.text()));
  // As the VM calls it: "Elixir.MyApp.Foo:bar/1".
  message.add_int64(fields::Function::system_name,
                    number(function.module.empty() ? function.text()
                                                   : (function.elixir ? "Elixir." : "") +
                                                         function.module + ":" + function.name));
  message.add_int64(fields::Function::filename, number(function.file));
}

void PprofWriter::comment(std::string_view text) {
  out_.add_int64(fields::Profile::comment, number(text));
}

std::string PprofWriter::finish(std::string_view shown) {
  out_.add_int64(fields::Profile::default_sample_type, number(shown));
  for (const std::string& text : strings_) out_.add_string(fields::Profile::string_table, text);
  return std::move(bytes_);
}

}  // namespace beam_exporter::profile
