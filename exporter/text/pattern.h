#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace beam_exporter::text {

// A regular expression of the user's, in RE2 syntax (https://github.com/google/re2/wiki/Syntax).
// Its time is linear in the text, and its memory and stack are bounded, whatever the expression.
// Home of re2. Const functions from any thread.
class Pattern {
 public:
  explicit Pattern(const std::string& expression);
  ~Pattern();

  // Why the expression is none, in a few words; empty when it is one.
  std::string problem() const;
  // Whether it matches anywhere in the text; no expression (see problem) matches nothing.
  bool found_in(std::string_view text) const;

 private:
  std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace beam_exporter::text
