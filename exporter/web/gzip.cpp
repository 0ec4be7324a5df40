#include "web/gzip.h"

#include <zlib.h>

#include <utility>

namespace beam_exporter::web {

std::optional<std::string> gzipped(std::string_view plain) {
  z_stream stream{};
  // 15: the largest window; +16: a gzip header and trailer instead of zlib's. 8: zlib's default
  // memory level.
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return std::nullopt;
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

GzipCache::Text GzipCache::get(const Text& plain) {
  std::lock_guard lock(mutex_);
  if (plain_ == plain) return compressed_;
  auto compressed = gzipped(*plain);
  if (!compressed) return nullptr;
  compressed_ = std::make_shared<const std::string>(std::move(*compressed));
  plain_ = plain;
  return compressed_;
}

}  // namespace beam_exporter::web
