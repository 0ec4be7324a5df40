#include "web/pages/quality_list.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace beam_exporter::web {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Removes the text before the next `separator` outside quotes from `rest` and returns it.
std::string_view take_until(char separator, std::string_view& rest) {
  bool quoted = false;
  std::size_t at = 0;
  for (; at < rest.size(); ++at) {
    if (rest[at] == '"') quoted = !quoted;
    if (rest[at] == separator && !quoted) break;
  }
  const auto taken = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return trimmed(taken);
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
}

double quality_of(std::string_view text) {
  double quality = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quality);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  // The comparison also turns a NaN into 1.
  return whole && quality >= 0 && quality < 1 ? quality : whole && quality < 0 ? 0 : 1;
}

QualityItem parse_item(std::string_view text) {
  QualityItem item;
  item.value = lower(take_until(';', text));
  while (!text.empty()) {
    auto parameter = take_until(';', text);
    const auto name = lower(take_until('=', parameter));
    const auto value = unquoted(trimmed(parameter));
    if (name == "q") {
      item.quality = quality_of(value);
    } else if (!name.empty()) {
      item.parameters.emplace_back(name, std::string(value));
    }
  }
  return item;
}

}  // namespace

const std::string* QualityItem::parameter(std::string_view name) const {
  for (const auto& pair : parameters)
    if (pair.first == name) return &pair.second;
  return nullptr;
}

std::vector<QualityItem> parse_quality_list(std::string_view header) {
  std::vector<QualityItem> items;
  while (!header.empty()) {
    auto item = parse_item(take_until(',', header));
    if (!item.value.empty()) items.push_back(std::move(item));
  }
  return items;
}

}  // namespace beam_exporter::web
