#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace beam_exporter::web {

// A whole gzip member; nullopt when zlib has no memory. Fast rather than small: a page of metrics
// shrinks about tenfold at any level.
std::optional<std::string> gzipped(std::string_view plain);

// The newest text and its compressed form, so that one page is compressed once for all scrapers.
// Any thread; who comes during a compression waits for it.
class GzipCache {
 public:
  using Text = std::shared_ptr<const std::string>;

  // nullptr when it cannot be compressed.
  Text get(const Text& plain);

 private:
  std::mutex mutex_;
  Text plain_;
  Text compressed_;
};

}  // namespace beam_exporter::web
