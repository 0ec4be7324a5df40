#include "text/pattern.h"

#include <re2/re2.h>

namespace beam_exporter::text {
namespace {

re2::RE2::Options silent() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

Pattern::Pattern(const std::string& expression)
    : expression_(std::make_unique<const re2::RE2>(expression, silent())) {}

Pattern::~Pattern() = default;

std::string Pattern::problem() const { return expression_->ok() ? "" : expression_->error(); }

bool Pattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

}  // namespace beam_exporter::text
