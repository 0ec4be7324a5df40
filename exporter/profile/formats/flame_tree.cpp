#include "profile/formats/flame_tree.h"

#include "profile/application.h"

namespace beam_exporter::profile {

FlameNode flame_tree(const Profile& profile, const std::function<bool(const Entry&)>& wanted) {
  FlameNode root;
  for (const Entry& entry : profile.entries) {
    if (wanted && !wanted(entry)) continue;
    FlameNode* node = &root;
    const auto add = [&] {
      node->samples += entry.samples;
      node->cpu_time += entry.cpu_time;
    };
    add();
    const auto& stack = profile.stacks[entry.stack];
    for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
      const Function& function = profile.function_of(*frame);
      node = &node->children[function.text()];
      node->kind = function.kind;
      if (node->samples == 0) {
        node->module = function.module;
        node->application = application_of(function);
      }
      add();
    }
    node->self_samples += entry.samples;
    node->self_cpu_time += entry.cpu_time;
    auto& state = node->self_states[profile.labels[entry.labels].state];
    state.samples += entry.samples;
    state.cpu_time += entry.cpu_time;
  }
  return root;
}

namespace {

// The format's own separators cannot stand in a name.
std::string one_word(std::string text) {
  for (char& character : text)
    if (character == ';' || character == '\n') character = ',';
  return text;
}

// `path` is that of the node; it is as it was afterwards.
void write(const FlameNode& node, std::string& path, std::string& out) {
  if (node.self_samples > 0 && !path.empty())
    out += path + " " + std::to_string(node.self_samples) + "\n";
  const auto length = path.size();
  for (const auto& [text, child] : node.children) {
    if (length > 0) path += ';';
    path += one_word(text);
    write(child, path, out);
    path.resize(length);
  }
}

}  // namespace

// Over the tree, since stacks that differ in lines or labels alone are one line here.
std::string folded(const Profile& profile) {
  std::string path, out;
  write(flame_tree(profile), path, out);
  return out;
}

}  // namespace beam_exporter::profile
