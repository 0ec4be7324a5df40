#include "yaml/document.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

#include "yaml/tree.h"

namespace beam_exporter::yaml {

// The errors that the reads of one document have found so far.
struct Reading {
  struct Complaint {
    int line;
    std::string text;
  };

  // Keeps the complaint with the lower line; of two on the same line, the first.
  static void note(std::optional<Complaint>& first, int line, std::string text) {
    if (!first || line < first->line) first = Complaint{line, std::move(text)};
  }

  std::string name;
  Node root;
  std::optional<Complaint> wrong;  // a wrong value, or an unknown key
  std::optional<Complaint>
      missing;  // kept apart: if a key is misspelt, "unknown key" is the better answer
};

namespace {

os::Error malformed(std::string text) { return {os::ErrorKind::malformed, std::move(text)}; }

std::string kind_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "no value";
    case Node::Kind::scalar:
      return shown(node.text);
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::mapping:
      return "a mapping";
  }
  return "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void note_unread(const Node& node, const std::string& path,
                 std::optional<Reading::Complaint>& first) {
  for (const Entry& entry : node.entries) {
    const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
    if (entry.value.opened) note_unread(entry.value, inner, first);
    for (const Node& item : entry.value.items)
      if (item.opened) note_unread(item, inner, first);
    if (entry.taken) continue;
    std::string text = "unknown key " + shown(entry.key);
    if (!path.empty()) text += " in " + shown(path);
    if (!node.asked.empty()) text += "; known keys: " + joined(node.asked);
    Reading::note(first, entry.line, std::move(text));
  }
}

}  // namespace

Mapping::Mapping(std::shared_ptr<Reading> reading, Node* node, int line, std::string path)
    : reading_(std::move(reading)), node_(node), line_(line), path_(std::move(path)) {
  if (node_ != nullptr) node_->opened = true;
}

bool Mapping::has(std::string_view key) const {
  return node_ != nullptr &&
         std::ranges::any_of(node_->entries, [&](const Entry& entry) { return entry.key == key; });
}

std::vector<std::string> Mapping::keys() const {
  std::vector<std::string> keys;
  if (node_ == nullptr) return keys;
  for (const Entry& entry : node_->entries) keys.push_back(entry.key);
  return keys;
}

Node* Mapping::find(std::string_view key, int* line) const {
  if (node_ == nullptr) return nullptr;
  if (std::ranges::find(node_->asked, key) == node_->asked.end()) node_->asked.emplace_back(key);
  const auto entry = std::ranges::find(node_->entries, key, &Entry::key);
  if (entry == node_->entries.end()) return nullptr;
  entry->taken = true;
  // yaml-cpp gives an empty value the place of the next token.
  *line = entry->value.kind == Node::Kind::null ? entry->line : entry->value.line;
  return &entry->value;
}

bool Mapping::scalar(std::string_view key, const Take& take) const {
  int line = 0;
  const Node* value = find(key, &line);
  if (value == nullptr) return false;
  if (value->kind != Node::Kind::scalar) {
    record(line, key, kind_of(*value) + ", where one value is needed");
    return false;
  }
  const os::Status done = take({value->text, value->quoted});
  if (!done) record(line, key, done.error().text);
  return bool(done);
}

bool Mapping::items(std::string_view key, std::size_t count, const Take& take) const {
  int line = 0;
  const Node* value = find(key, &line);
  if (value == nullptr) return false;
  if (value->kind != Node::Kind::sequence) {
    record(line, key, kind_of(*value) + ", where a list is needed: [first, second]");
    return false;
  }
  if (count != any_count && value->items.size() != count) {
    record(line, key,
           "a list of " + std::to_string(value->items.size()) + ", where " + std::to_string(count) +
               " values are needed");
    return false;
  }
  for (const Node& item : value->items) {
    const os::Status done = item.kind == Node::Kind::scalar
                                ? take({item.text, item.quoted})
                                : malformed(kind_of(item) + ", where one value is needed");
    if (done) continue;
    record(item.kind == Node::Kind::null ? line : item.line, key, done.error().text);
    return false;
  }
  return true;
}

void Mapping::lists(const TakeList& take) const {
  if (node_ == nullptr) return;
  std::vector<Scalar> values;
  for (Entry& entry : node_->entries) {
    entry.taken = true;
    values.clear();
    os::Status done = os::Done{};
    if (entry.value.kind != Node::Kind::sequence)
      done = malformed(kind_of(entry.value) + ", where a list is needed: [first, second]");
    for (const Node& item : entry.value.items) {
      if (item.kind != Node::Kind::scalar)
        done = malformed(kind_of(item) + ", where one value is needed");
      values.push_back({item.text, item.quoted});
    }
    if (done) done = take(entry.key, values);
    if (!done) record(entry.line, entry.key, done.error().text);
  }
}

Mapping Mapping::mapping(std::string_view key) const {
  int line = line_;
  Node* value = find(key, &line);
  if (value != nullptr && value->kind != Node::Kind::mapping) {
    if (value->kind != Node::Kind::null)
      record(line, key, kind_of(*value) + ", where a mapping is needed: {key: value}");
    value = nullptr;
  }
  return {reading_, value, line, path_of(key)};
}

std::vector<Mapping> Mapping::mappings(std::string_view key) const {
  std::vector<Mapping> views;
  int line = 0;
  Node* value = find(key, &line);
  if (value == nullptr) return views;
  if (value->kind != Node::Kind::sequence) {
    record(line, key, kind_of(*value) + ", where a list of mappings is needed");
    return views;
  }
  for (Node& item : value->items) {
    if (item.kind == Node::Kind::mapping)
      views.push_back({reading_, &item, item.line, path_of(key)});
    else
      record(item.line, key, kind_of(item) + ", where a mapping is needed: {key: value}");
  }
  return views;
}

void Mapping::reject(std::string_view key, const std::string& text) const {
  int line = line_;
  find(key, &line);
  record(line, key, text);
}

bool Mapping::demand(std::string_view key) const {
  int line = 0;
  if (find(key, &line) != nullptr) return true;
  Reading::note(reading_->missing, line_, path_of(key) + " is missing");
  return false;
}

void Mapping::record(int line, std::string_view key, const std::string& text) const {
  Reading::note(reading_->wrong, line, path_of(key) + ": " + text);
}

std::string Mapping::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

os::Result<Document> Document::parse(std::string_view text, std::string name) {
  auto root = parse_tree(text, name);
  if (!root) return root.error();
  if (root->kind == Node::Kind::null) root->kind = Node::Kind::mapping;
  if (root->kind != Node::Kind::mapping)
    return malformed(name + ":" + std::to_string(root->line) + ": " + kind_of(*root) +
                     ", where 'key: value' lines are needed");
  auto reading = std::make_shared<Reading>();
  reading->name = std::move(name);
  reading->root = std::move(*root);
  return Document(std::move(reading));
}

os::Result<Document> Document::load(const std::string& path, std::string_view what) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(largest_text_bytes + 1,
                   '\0');  // one more byte, so that parse() sees that the text is too large
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad()) {
    const int why = errno == 0 ? EIO : errno;
    return os::Error{why == ENOENT ? os::ErrorKind::not_found : os::ErrorKind::unreadable,
                     "cannot read " + std::string(what) + " " + path + ": " +
                         std::generic_category().message(why)};
  }
  return parse(text, path);
}

Mapping Document::root() const { return {reading_, &reading_->root, 1, ""}; }

os::Status Document::finish() const {
  auto wrong = reading_->wrong;
  note_unread(reading_->root, "", wrong);
  const auto& first = wrong ? wrong : reading_->missing;
  if (!first) return os::Done{};
  return malformed(reading_->name + ":" + std::to_string(first->line) + ": " + first->text);
}

}  // namespace beam_exporter::yaml
