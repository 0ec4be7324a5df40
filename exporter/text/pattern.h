#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace beam_exporter::text {

// A regular expression from the user, in RE2 syntax (https://github.com/google/re2/wiki/Syntax). A
// match takes time linear in the text, and bounded memory and stack, whatever the expression. Only
// this class uses re2. Const functions: any thread.
class Pattern {
 public:
  explicit Pattern(const std::string& expression);
  ~Pattern();

  // Why the expression is not valid, in a few words; empty when it is valid.
  std::string problem() const;
  // Whether the expression matches anywhere in the text. An expression that is not valid matches
  // nothing.
  bool found_in(std::string_view text) const;

 private:
  std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace beam_exporter::text
