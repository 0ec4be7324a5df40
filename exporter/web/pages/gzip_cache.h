#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "web/message.h"

namespace beam_exporter::web {

// Keeps the newest text with its compressed form, so that one page is compressed once for all
// scrapers. Any thread; a caller waits for a compression that is already running.
class GzipCache {
 public:
  using Text = std::shared_ptr<const std::string>;

  // nullptr when the text cannot be compressed.
  Text get(const Text& plain);

  // Answers with `plain`, compressed if the client takes that.
  void answer(const Request& request, const Text& plain, Response& response);

 private:
  std::mutex mutex_;
  Text plain_;
  Text compressed_;
};

}  // namespace beam_exporter::web
