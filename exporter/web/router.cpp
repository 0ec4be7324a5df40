#include "web/router.h"

#include <algorithm>
#include <utility>

namespace beam_exporter::web {

void Router::add(std::string path, std::vector<std::string> methods, Page page) {
  if (std::find(methods.begin(), methods.end(), "GET") != methods.end()) methods.push_back("HEAD");
  routes_.push_back({std::move(path), std::move(methods), std::move(page)});
}

Response Router::answer(const Request& request) const {
  for (const auto& route : routes_) {
    if (route.path != request.path) continue;
    const auto& methods = route.methods;
    if (std::find(methods.begin(), methods.end(), request.method) != methods.end())
      return route.page(request);
    std::string allowed;
    for (const auto& method : methods) allowed += (allowed.empty() ? "" : ", ") + method;
    auto response = text_response(405, "405 method not allowed; this page takes " + allowed + "\n");
    response.headers.push_back({"Allow", allowed});
    return response;
  }
  return text_response(404, "404 page not found\n");
}

}  // namespace beam_exporter::web
