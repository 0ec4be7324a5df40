#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/result.h"

// A YAML text as a tree with line numbers; its values are still text. Private to this folder:
// Document owns the tree, and marks in it what was read. One thread.
namespace beam_exporter::yaml {

struct Entry;

struct Node {
  enum class Kind { null, scalar, sequence, mapping };

  Kind kind = Kind::null;
  int line = 1;  // from 1
  std::string text;
  bool quoted = false;
  std::vector<Node> items;     // of a sequence
  std::vector<Entry> entries;  // of a mapping, in the file's order, no key twice

  bool opened = false;  // read as a mapping
  std::vector<std::string>
      asked;  // the keys that the caller knows, in the order in which it asked for them
};

struct Entry {
  std::string key;
  int line = 1;
  Node value;
  bool taken = false;  // the caller has asked for this key
};

// `name` is for error texts: "name:7: ...". Errors: bad syntax, duplicate keys, aliases, tags, a
// second document, and a text over 1 MiB. An empty text is a null node.
os::Result<Node> parse_tree(std::string_view text, const std::string& name);

}  // namespace beam_exporter::yaml
