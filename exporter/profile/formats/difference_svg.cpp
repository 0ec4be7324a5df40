#include "profile/formats/difference_svg.h"

#include <algorithm>
#include <cmath>

#include "profile/formats/flame_picture.h"
#include "profile/formats/flame_tree.h"
#include "profile/sample_rate.h"
#include "text/printed.h"

namespace beam_exporter::profile {

namespace {

using text::printed;

// The same stack in both profiles; the node of one of them may be missing.
struct Pair {
  const FlameNode* before = nullptr;
  const FlameNode* after = nullptr;
};

std::uint64_t samples_of(const FlameNode* node) { return node != nullptr ? node->samples : 0; }
std::uint64_t self_of(const FlameNode* node) { return node != nullptr ? node->self_samples : 0; }

std::map<std::string, Pair> children_of(const Pair& pair) {
  std::map<std::string, Pair> children;
  if (pair.before != nullptr)
    for (const auto& [text, child] : pair.before->children) children[text].before = &child;
  if (pair.after != nullptr)
    for (const auto& [text, child] : pair.after->children) children[text].after = &child;
  return children;
}

class Comparison {
 public:
  Comparison(const Profile& before, const Profile& after)
      : before_(before), after_(after), whole_(after_.of(after.samples())) {}

  // Finds the largest change, which gets the strongest colour, and what has vanished.
  void look(const Pair& pair) {
    if (pair.after == nullptr) {
      vanished_ += before_.of(samples_of(pair.before));
      return;
    }
    largest_ = std::max(largest_, std::abs(growth(pair)));
    for (const auto& [text, child] : children_of(pair)) look(child);
  }

  FlameBox box_of(const Pair& pair) const {
    const double before = before_.of(samples_of(pair.before));
    const double after = after_.of(samples_of(pair.after));
    FlameBox box{.width = whole_ > 0 ? after / whole_ : 0, .colour = colour(pair)};
    box.told = printed(
        "before %.1f, after %.1f CPU ms per second; without what it calls %.1f, %.1f (%+.1f)",
        1e3 * before, 1e3 * after, 1e3 * before_.of(self_of(pair.before)),
        1e3 * after_.of(self_of(pair.after)), 1e3 * growth(pair));
    for (const auto& [text, child] : children_of(pair))
      if (child.after != nullptr) box.children.emplace(text, box_of(child));
    return box;
  }

  double vanished() const { return vanished_; }

 private:
  double growth(const Pair& pair) const {
    return after_.of(self_of(pair.after)) - before_.of(self_of(pair.before));
  }

  std::string colour(const Pair& pair) const {
    const double grown = growth(pair);
    const double chance =
        std::hypot(before_.error(self_of(pair.before)), after_.error(self_of(pair.after)));
    if (largest_ <= 0 || std::abs(grown) < chance) return "hsl(0 0% 86%)";
    const double strength = std::abs(grown) / largest_;
    return printed("hsl(%d %.0f%% %.0f%%)", grown > 0 ? 0 : 215, 20 + 70 * strength,
                   88 - 24 * strength);
  }

  SampleRate before_, after_;
  double whole_;
  double largest_ = 0, vanished_ = 0;
};

std::string recording_text(const Profile& profile) {
  return printed("%llu samples in %.1f s", static_cast<unsigned long long>(profile.samples()),
                 static_cast<double>(profile.duration.count()) / 1e9);
}

}  // namespace

std::string difference_svg(const Profile& before, const Profile& after) {
  const FlameNode old_root = flame_tree(before), new_root = flame_tree(after);
  const Pair root{&old_root, &new_root};
  Comparison comparison(before, after);
  comparison.look(root);
  return flame_picture(
      comparison.box_of(root),
      "before: " + recording_text(before) + "; after: " + recording_text(after),
      printed("width: after; red: it grew, blue: it shrank, grey: it may be chance; %.1f CPU ms "
              "per second of before are in stacks that are gone",
              1e3 * comparison.vanished()));
}

}  // namespace beam_exporter::profile
