#include "yaml/tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "yaml/scalar.h"

namespace beam_exporter::yaml {
namespace {

// Not YAML::Load, which silently drops duplicate keys. Exceptions from here pass through yaml-cpp
// and are caught in parse_tree, like those of yaml-cpp.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "aliases (*name) are not supported; write the value out");
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "?", anchor);
    if (wants_key()) fail(mark, "a key is missing");
    add(node(Node::Kind::null, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_extras(mark, tag, anchor);
    if (tag == "!" && !closes(mark)) fail(mark, "a quote is never closed");
    if (wants_key()) return begin_entry(mark, value);
    Node scalar = node(Node::Kind::scalar, mark);
    scalar.text = value;
    scalar.quoted = tag == "!";  // yaml-cpp: "!" for a quoted scalar, "?" for a plain one
    add(std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(Node::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(Node::Kind::mapping, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    Node node;
    std::optional<Entry> entry;        // its key has been read, its value not yet
    std::map<std::string, int> lines;  // the line of each key so far
  };

  [[noreturn]] static void fail(const YAML::Mark& mark, const std::string& text) {
    throw YAML::ParserException(mark, text);
  }

  static void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) fail(mark, "anchors (&name) are not supported; write the value out");
    if (!tag.empty() && tag != "?" && tag != "!") fail(mark, "tags (!name) are not supported");
  }

  // yaml-cpp 0.7 accepts the end of the file as the closing quote.
  bool closes(const YAML::Mark& mark) const {
    auto at = static_cast<std::size_t>(mark.pos);
    if (at >= text_.size() || (text_[at] != '\'' && text_[at] != '"')) return true;  // not UTF-8
    const char quote = text_[at];
    for (++at; at < text_.size(); ++at) {
      // '' inside single quotes is one '
      const bool escapes = quote == '"' ? text_[at] == '\\' : text_.substr(at).starts_with("''");
      if (escapes)
        ++at;
      else if (text_[at] == quote)
        return true;
    }
    return false;
  }

  static Node node(Node::Kind kind, const YAML::Mark& mark) {
    Node made;
    made.kind = kind;
    made.line = mark.line + 1;
    return made;
  }

  bool wants_key() const {
    return !open_.empty() && open_.back().node.kind == Node::Kind::mapping && !open_.back().entry;
  }

  void begin_entry(const YAML::Mark& mark, const std::string& key) {
    const int line = mark.line + 1;
    const auto [first, fresh] = open_.back().lines.emplace(key, line);
    if (!fresh)
      fail(mark,
           "key " + shown(key) + " is there twice, first on line " + std::to_string(first->second));
    open_.back().entry = Entry{key, line, {}, false};
  }

  void begin(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor) {
    refuse_extras(mark, tag, anchor);
    if (wants_key()) fail(mark, "a key must be plain text, not a list or a mapping");
    open_.push_back({node(kind, mark), std::nullopt, {}});
  }

  void end() {
    Node done = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(done));
  }

  void add(Node value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::sequence) {
      parent.node.items.push_back(std::move(value));
      return;
    }
    parent.entry->value = std::move(value);
    parent.node.entries.push_back(std::move(*parent.entry));
    parent.entry.reset();
  }

  std::string_view text_;
  Node root_;
  std::vector<Open> open_;
};

os::Error unparsable(std::string text) { return {os::ErrorKind::malformed, std::move(text)}; }

}  // namespace

os::Result<Node> parse_tree(std::string_view text, const std::string& name) {
  if (text.size() > largest_text_bytes)
    return unparsable(name + ": larger than 1 MiB; is it the right file?");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    TreeBuilder builder(text);
    if (!parser.HandleNextDocument(builder)) return Node{};
    Node root = builder.take_root();
    TreeBuilder second(text);
    if (parser.HandleNextDocument(second))
      return unparsable(name + ": a second document ('---'); only one is read");
    return root;
  } catch (const YAML::Exception& problem) {
    return unparsable(name + ":" + std::to_string(problem.mark.line + 1) + ": " + problem.msg);
  } catch (const std::exception& problem) {
    return unparsable(name + ": " + problem.what());
  }
}

}  // namespace beam_exporter::yaml
