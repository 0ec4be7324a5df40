#include "fakes/recording.h"

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "fakes/fake_vm.h"
#include "fakes/recorded_memory.h"
#include "fakes/small_elf.h"

namespace beam_exporter::tests {

namespace {

// The symbols that the exporter looks up in an executable. When one is added, make new recordings.
constexpr std::array symbol_names = {"erts_atom_table",
                                     "erts_proc",
                                     "erts_port",
                                     "erts_aligned_scheduler_data",
                                     "erts_no_schedulers",
                                     "erts_aligned_dirty_cpu_scheduler_data",
                                     "erts_no_dirty_cpu_schedulers",
                                     "erts_aligned_dirty_io_scheduler_data",
                                     "erts_no_dirty_io_schedulers",
                                     "the_active_code_index",
                                     "erts_frame_layout",
                                     "erts_allctrs_info",
                                     "erts_allctr_thr_spec",
                                     "erts_alc_a2ad",
                                     "bif_table",
                                     "beam_normal_exit",
                                     "process_main",
                                     "user_requested_db_max_tabs",
                                     "enif_make_atom"};
constexpr std::array constant_names = {"etp_otp_release", "etp_erts_version", "etp_arch_bits",
                                       "etp_beamasm"};

nlohmann::json constant(const elf::Image& image, os::Address value, std::size_t size) {
  std::vector<std::uint8_t> content(size);
  if (!image.read(value, std::as_writable_bytes(std::span(content))))
    throw std::runtime_error("cannot read a constant of the executable");
  return {value, content};
}

// Of a release that exports no constants: erts_system_version, from which its version is read
// (beam/layout/release.h).
nlohmann::json version_text(const elf::Image& image) {
  for (const auto& segment : image.segments()) {
    if (!segment.writable) continue;
    std::string data(segment.file_size, '\0');
    if (!image.read(segment.addresses.begin, std::as_writable_bytes(std::span(data)))) continue;
    const auto begin = data.find("Erlang/OTP ");
    if (begin != std::string::npos)
      return constant(image, segment.addresses.begin + begin, data.find('\0', begin) + 1 - begin);
  }
  throw std::runtime_error("the executable does not tell its version");
}

// What tells the build of an interpreter (beam/layout/release.h), when it stands there.
nlohmann::json config_text(const elf::Image& image) {
  constexpr std::string_view undefined = "#undef ERLANG_FRAME_POINTERS";
  const auto constants = image.section_bytes(".rodata");
  const auto found = std::ranges::search(constants.bytes, std::as_bytes(std::span(undefined)));
  if (found.empty()) return {};
  const auto offset = static_cast<std::uint64_t>(found.begin() - constants.bytes.begin());
  return constant(image, constants.begin + offset, undefined.size());
}

}  // namespace

std::string recording_path(const std::string& name) {
  return SOURCE_DIR "/tests/recordings/" + name;
}

nlohmann::json describe_executable(const elf::Image& image, std::uint64_t bias) {
  nlohmann::json executable = {{"bias", bias}, {"segments", nlohmann::json::array()}};
  for (const auto& segment : image.segments())
    executable["segments"].push_back(
        {segment.addresses.begin, segment.addresses.end, segment.writable, segment.executable});
  for (const char* name : symbol_names)
    if (const auto symbol = image.symbol(name))
      executable["symbols"][name] = {symbol->value, symbol->size};
  for (const char* name : constant_names) {
    const auto symbol = image.symbol(name);
    if (symbol) executable["constants"][name] = constant(image, symbol->value, symbol->size);
  }
  if (!executable.contains("constants")) executable["constants"][""] = version_text(image);
  if (auto config = config_text(image); !config.is_null()) executable["config"] = config;
  return executable;
}

void describe_found(const beam::StaticData& found, nlohmann::json& executable) {
  for (const char* name : symbol_names) {
    const auto place = found.range(name);
    if (place && !executable["symbols"].contains(name))
      executable["symbols"][name] = {place->begin - executable["bias"].get<os::Address>(),
                                     place->size()};
  }
}

nlohmann::json describe_map(const os::MemoryMap& map) {
  nlohmann::json lines = nlohmann::json::array();
  for (const auto& mapping : map.mappings()) {
    std::ostringstream line;
    line << std::hex << mapping.range.begin << '-' << mapping.range.end << ' '
         << (mapping.readable ? 'r' : '-') << (mapping.writable ? 'w' : '-')
         << (mapping.executable ? 'x' : '-') << "p 0 00:00 " << (mapping.inode != 0 ? 1 : 0);
    lines.push_back(line.str());
  }
  return lines;
}

Recording::Recording(const std::string& name) {
  std::ifstream file(recording_path(name) + ".json");
  if (!file) throw std::runtime_error("no recording " + name);
  const auto facts = nlohmann::json::parse(file);
  account = facts.at("account");
  executable_ = facts.at("executable");
  map_ = facts.at("map");
  release = {facts.at("otp_release"), facts.at("erts_version"), facts.value("flavor", "jit"),
             "x86_64", facts.value("build", "opt")};
  read_memory(recording_path(name) + ".memory", memory);
}

beam::VirtualMachine::Description Recording::description() const {
  SmallElf elf;
  const auto put = [&](const nlohmann::json& constant) {
    const auto value = constant[0].get<os::Address>();
    const auto bytes = constant[1].get<std::vector<std::uint8_t>>();
    for (auto& segment : elf.segments) {
      if (!segment.addresses.contains(value, bytes.size())) continue;
      const std::size_t offset = value - segment.addresses.begin;
      segment.content.resize(std::max(segment.content.size(), offset + bytes.size()));
      std::ranges::transform(bytes, segment.content.begin() + static_cast<std::ptrdiff_t>(offset),
                             [](std::uint8_t byte) { return std::byte{byte}; });
    }
    return os::AddressRange{value, value + bytes.size()};
  };
  for (const auto& segment : executable_.at("segments"))
    elf.segments.push_back({{segment[0].get<os::Address>(), segment[1].get<os::Address>()},
                            segment[2].get<bool>(),
                            segment[3].get<bool>(),
                            {}});
  for (const auto& [name, place] : executable_.at("symbols").items())
    elf.symbols.push_back({name, place[0], place[1]});
  for (const auto& [name, constant] : executable_.at("constants").items()) {
    const auto place = put(constant);
    if (!name.empty()) elf.symbols.push_back({name, place.begin, place.size()});
  }
  if (const auto config = executable_.find("config"); config != executable_.end())
    elf.sections.push_back({".rodata", put(*config)});
  auto image = elf::Image::open(elf.file(), "recorded beam.smp");
  if (!image) throw std::runtime_error(image.error().text);
  std::string lines;
  for (const auto& line : map_) lines += line.get<std::string>() + "\n";
  auto map = os::MemoryMap::parse(lines);
  if (!map) throw std::runtime_error(map.error().text);
  return {std::move(*image), shipped_layout(name_of_release(release), release.erts_version),
          std::move(*map), executable_.at("bias").get<std::uint64_t>()};
}

}  // namespace beam_exporter::tests
