#include "elf/symbol_file.h"

#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

#include "yaml/document.h"

namespace beam_exporter::elf {

namespace {

struct SymbolGroup {
  std::string_view key;
  bool is_function, local;
};
constexpr std::array<SymbolGroup, 4> symbol_groups{{{"functions", true, false},
                                                    {"static_functions", true, true},
                                                    {"data", false, false},
                                                    {"static_data", false, true}}};

os::Error bad_symbol(const std::string& text) { return {os::ErrorKind::malformed, text}; }

// [address, size] of each symbol of that name.
os::Status add_places(std::string_view name, std::span<const yaml::Scalar> values,
                      const SymbolGroup& group, SymbolTable& into) {
  if (values.empty() || values.size() % 2 != 0)
    return bad_symbol("a list of " + std::to_string(values.size()) +
                      " values, where pairs are needed: [address, size]");
  for (std::size_t i = 0; i < values.size(); i += 2) {
    std::array<std::uint64_t, 2> place{};
    for (std::size_t k : {0, 1})
      if (auto done = yaml::convert(values[i + k], place[k]); !done) return done;
    if (!os::checked_add(place[0], place[1])) return bad_symbol("it ends beyond all addresses");
    into.add(name, group.local, {place[0], place[1], group.is_function, group.is_function});
  }
  return os::Done{};
}

bool is_build_id(std::string_view text) {
  return text.size() >= 8 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Quoted, for YAML 1.1 takes y, no, on, null and numbers for something else. A name that would need
// escapes, which no compiler writes, is empty: it is left out.
std::string key_of(std::string_view name) {
  for (const char each : name)
    if (each <= ' ' || each > '~' || each == '"' || each == '\\') return "";
  return '"' + std::string(name) + '"';
}

std::string place_of(const Symbol& symbol) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "0x%llx, %llu",
                static_cast<unsigned long long>(symbol.value),
                static_cast<unsigned long long>(symbol.size));
  return text.data();
}

}  // namespace

os::Result<SymbolFile> read_symbol_file(const std::string& path) {
  const auto document = yaml::Document::load(path, "symbol file");
  if (!document) return document.error();
  SymbolFile file;
  const yaml::Mapping root = document->root();
  if (root.require("build_id", file.build_id) && !is_build_id(file.build_id))
    root.reject("build_id", yaml::shown(file.build_id) + " is not lower case hex");
  for (const auto& group : symbol_groups)
    root.mapping(group.key).lists([&](std::string_view name, std::span<const yaml::Scalar> values) {
      return add_places(name, values, group, file.symbols);
    });
  if (const auto done = document->finish(); !done) return done.error();
  file.symbols.sort();
  return file;
}

os::Result<std::string> write_symbol_file(const Image& image) {
  const auto refused = [&](const std::string& why) {
    return os::Error{os::ErrorKind::unsupported, image.name() + ": " + why};
  };
  if (image.build_id().empty()) return refused("no build id, by which its stripped twin is known");
  if (!image.has_symbol_table())
    return refused("stripped, and no debug file of it was found: it has no symbols to write");
  std::array<std::map<std::string, std::string>, symbol_groups.size()> places;
  for (std::size_t i = 0; i < image.symbols().size(); ++i) {
    const auto each = image.symbols().at(i);
    const auto key = key_of(each.name);
    if (key.empty()) continue;
    const std::size_t group = (each.symbol.is_function ? 0U : 2U) + (each.local ? 1U : 0U);
    auto& place = places[group][key];
    place += (place.empty() ? "" : ", ") + place_of(each.symbol);
  }
  std::string text =
      "# Written by \"beam_exporter layout --symbols\"; [address, size] of each symbol, in "
      "bytes.\n";
  text += "build_id: \"" + image.build_id() + "\"\n";
  for (std::size_t group = 0; group < symbol_groups.size(); ++group) {
    text += std::string(symbol_groups[group].key) + ":\n";
    for (const auto& [key, place] : places[group])
      text.append("  ").append(key).append(": [").append(place).append("]\n");
  }
  if (text.size() > yaml::largest_text_bytes)
    return refused("its symbols do not fit into a symbol file (" + std::to_string(text.size()) +
                   " bytes, at most " + std::to_string(yaml::largest_text_bytes) +
                   "): install its debug file instead");
  return text;
}

}  // namespace beam_exporter::elf
