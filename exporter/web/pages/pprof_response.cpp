#include "web/pages/pprof_response.h"

#include <utility>

#include "text/gzip.h"

namespace beam_exporter::web {

Response pprof_response(const std::string& bytes, const std::string& file) {
  auto compressed = text::gzipped(bytes);
  if (!compressed) return text_response(503, "no memory to compress the profile\n");
  auto response = text_response(200, std::move(*compressed));
  response.content_type = "application/octet-stream";
  response.headers = {{"Content-Disposition", "attachment; filename=\"" + file + "\""}};
  return response;
}

Response look_refusal(const os::Error& error) {
  const bool too_many = error.kind == os::ErrorKind::system;
  auto response = text_response(too_many ? 429 : 503, error.text + "\n");
  if (too_many) response.headers.push_back({"Retry-After", "10"});
  return response;
}

}  // namespace beam_exporter::web
