#include "web/pages/gzip_cache.h"

#include <utility>

#include "text/gzip.h"
#include "web/pages/negotiation.h"

namespace beam_exporter::web {

GzipCache::Text GzipCache::get(const Text& plain) {
  std::lock_guard lock(mutex_);
  if (plain_ == plain) return compressed_;
  auto compressed = text::gzipped(*plain);
  if (!compressed) return nullptr;
  compressed_ = std::make_shared<const std::string>(std::move(*compressed));
  plain_ = plain;
  return compressed_;
}

void GzipCache::answer(const Request& request, const Text& plain, Response& response) {
  response.body = plain;
  if (!wants_gzip(request.header("Accept-Encoding"))) return;
  if (auto compressed = get(plain)) {
    response.body = std::move(compressed);
    response.headers.push_back({"Content-Encoding", "gzip"});
  }
}

}  // namespace beam_exporter::web
