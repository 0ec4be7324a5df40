#include "web/pages/memory_page.h"

#include "web/pages/pprof_response.h"

namespace beam_exporter::web {

namespace {

Response memory_answer(const Request& request, const LookAtMemory& look) {
  Response response;
  response.content_type = "application/json";
  if (request.method == "HEAD") return response;
  const auto told = look();
  if (!told) return look_refusal(told.error());
  response.body = *told;
  return response;
}

}  // namespace

void add_memory_page(Router& router, const LookAtMemory& look) {
  router.add("/api/v1/memory", {"GET"}, [look](const Request& request) {
    auto response = memory_answer(request, look);
    response.headers.push_back({"Cache-Control", "no-store"});
    response.headers.push_back({"X-Content-Type-Options", "nosniff"});
    return response;
  });
}

}  // namespace beam_exporter::web
