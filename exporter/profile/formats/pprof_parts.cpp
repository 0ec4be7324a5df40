#include "profile/formats/pprof_parts.h"

#include <protozero/pbf_message.hpp>

#include "profile/formats/pprof_fields.h"

namespace beam_exporter::profile {

namespace {

namespace fields = pprof_fields;
using protozero::pbf_message;
using protozero::pbf_wire_type;

// A field of another type than the format's is skipped like an unknown one: protozero asserts
// types.
template <class Field>
constexpr std::uint32_t as_bytes(Field field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}
template <class Field>
constexpr std::uint32_t as_number(Field field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}

void read_value_type(pbf_message<fields::ValueType> message, PprofParts& parts) {
  auto& type = parts.sample_types.emplace_back();
  while (message.next()) switch (message.tag_and_type()) {
      case as_number(fields::ValueType::type):
        type.first = message.get_int64();
        break;
      case as_number(fields::ValueType::unit):
        type.second = message.get_int64();
        break;
      default:
        message.skip();
    }
}

PprofParts::Label read_label(pbf_message<fields::Label> message) {
  PprofParts::Label label;
  while (message.next()) switch (message.tag_and_type()) {
      case as_number(fields::Label::key):
        label.key = message.get_int64();
        break;
      case as_number(fields::Label::str):
        label.text = message.get_int64();
        break;
      case as_number(fields::Label::num):
        label.number = message.get_int64();
        break;
      default:
        message.skip();
    }
  return label;
}

// A list of numbers comes packed, or one by one from old writers.
template <class Message, class Number>
void take_numbers(Message& message, std::vector<Number>& numbers) {
  if (message.wire_type() == pbf_wire_type::length_delimited)
    for (const auto one : message.get_packed_uint64()) numbers.push_back(static_cast<Number>(one));
  else
    numbers.push_back(static_cast<Number>(message.get_uint64()));
}

void read_sample(pbf_message<fields::Sample> message, PprofParts& parts) {
  auto& sample = parts.samples.emplace_back();
  while (message.next()) switch (message.tag_and_type()) {
      case as_bytes(fields::Sample::location_id):
      case as_number(fields::Sample::location_id):
        take_numbers(message, sample.locations);
        break;
      case as_bytes(fields::Sample::value):
      case as_number(fields::Sample::value):
        take_numbers(message, sample.values);
        break;
      case as_bytes(fields::Sample::label):
        sample.labels.push_back(read_label(message.get_message()));
        break;
      default:
        message.skip();
    }
}

PprofParts::Line read_line(pbf_message<fields::Line> message) {
  PprofParts::Line line;
  while (message.next()) switch (message.tag_and_type()) {
      case as_number(fields::Line::function_id):
        line.function = message.get_uint64();
        break;
      case as_number(fields::Line::line):
        line.line = message.get_int64();
        break;
      default:
        message.skip();
    }
  return line;
}

void read_location(pbf_message<fields::Location> message, PprofParts& parts) {
  std::uint64_t id = 0;
  std::vector<PprofParts::Line> lines;
  while (message.next()) switch (message.tag_and_type()) {
      case as_number(fields::Location::id):
        id = message.get_uint64();
        break;
      case as_bytes(fields::Location::line):
        lines.push_back(read_line(message.get_message()));
        break;
      default:
        message.skip();
    }
  parts.locations[id] = std::move(lines);
}

void read_function(pbf_message<fields::Function> message, PprofParts& parts) {
  std::uint64_t id = 0;
  PprofParts::Function function;
  while (message.next()) switch (message.tag_and_type()) {
      case as_number(fields::Function::id):
        id = message.get_uint64();
        break;
      case as_number(fields::Function::name):
        function.name = message.get_int64();
        break;
      case as_number(fields::Function::system_name):
        function.system_name = message.get_int64();
        break;
      case as_number(fields::Function::filename):
        function.file = message.get_int64();
        break;
      default:
        message.skip();
    }
  parts.functions[id] = function;
}

}  // namespace

PprofParts read_parts(std::string_view bytes) {
  PprofParts parts;
  pbf_message<fields::Profile> message(bytes.data(), bytes.size());
  while (message.next()) switch (message.tag_and_type()) {
      case as_bytes(fields::Profile::sample_type):
        read_value_type(message.get_message(), parts);
        break;
      case as_bytes(fields::Profile::sample):
        read_sample(message.get_message(), parts);
        break;
      case as_bytes(fields::Profile::location):
        read_location(message.get_message(), parts);
        break;
      case as_bytes(fields::Profile::function):
        read_function(message.get_message(), parts);
        break;
      case as_bytes(fields::Profile::string_table):
        parts.strings.push_back(message.get_string());
        break;
      case as_number(fields::Profile::time_nanos):
        parts.begin = message.get_int64();
        break;
      case as_number(fields::Profile::duration_nanos):
        parts.duration = message.get_int64();
        break;
      case as_number(fields::Profile::period):
        parts.period = message.get_int64();
        break;
      default:
        message.skip();
    }
  return parts;
}

}  // namespace beam_exporter::profile
