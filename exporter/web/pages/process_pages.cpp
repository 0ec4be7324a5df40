#include "web/pages/process_pages.h"

#include <limits>
#include <string>

#include "profile/formats/pprof.h"
#include "web/pages/pprof_response.h"
#include "web/pages/query.h"

namespace beam_exporter::web {

namespace {

Page process_page(LookAtProcesses look, profile::ProcessOrder order, std::string file) {
  return [look = std::move(look), order, file = std::move(file)](const Request& request) {
    const auto debug = query_number(request.query, "debug", 0, 0, 1);
    if (!debug) return text_response(400, "debug: 0 for pprof, 1 for text\n");
    if (request.method == "HEAD") return text_response(200, "");
    const auto profile = look();
    auto response =
        !profile ? look_refusal(profile.error())
        : *debug == 1
            ? text_response(200, profile::process_text(**profile, order,
                                                       std::numeric_limits<std::size_t>::max()))
            : pprof_response(profile::pprof(**profile, order), file);
    response.headers.push_back({"Cache-Control", "no-store"});
    return response;
  };
}

}  // namespace

void add_process_pages(Router& router, const LookAtProcesses& look) {
  using enum profile::ProcessOrder;
  router.add("/debug/pprof/processes", {"GET"}, process_page(look, processes, "processes.pb.gz"));
  router.add("/debug/pprof/heap", {"GET"}, process_page(look, heap, "heap.pb.gz"));
}

}  // namespace beam_exporter::web
