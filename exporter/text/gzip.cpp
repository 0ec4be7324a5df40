#include "text/gzip.h"

#include <zlib.h>

namespace beam_exporter::text {

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

std::optional<std::string> gunzipped(std::string_view compressed, std::size_t most) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK && out.size() <= most) {
    const std::size_t filled = out.size();
    constexpr std::size_t step = 1 << 16;
    out.resize(filled + step);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = step;
    result = inflate(&stream, Z_NO_FLUSH);
    out.resize(filled + step - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END || stream.avail_in != 0 || out.size() > most) return std::nullopt;
  return out;
}

}  // namespace beam_exporter::text
