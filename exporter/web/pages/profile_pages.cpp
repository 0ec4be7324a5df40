#include "web/pages/profile_pages.h"

#include <utility>

#include "profile/formats/flame_page.h"
#include "profile/formats/flame_svg.h"
#include "profile/formats/pprof.h"
#include "web/pages/pprof_response.h"
#include "web/pages/query.h"

namespace beam_exporter::web {

namespace {

constexpr std::int64_t longest = 300;

using Show = Response (*)(const profile::Profile&);

// A page that shows one profile in its own form. `choose`: the form that the request asks for;
// nullptr: there is no such form.
Page recording_page(RecordProfile record, std::int64_t fallback, Show (*choose)(const Request&)) {
  return [record = std::move(record), fallback, choose](const Request& request) {
    const Show show = choose(request);
    if (show == nullptr)
      return text_response(400, "format: html or svg, as in ?seconds=10&format=svg\n");
    const auto seconds = query_number(request.query, "seconds", fallback, 1, longest);
    if (!seconds)
      return text_response(400, "seconds: a whole number from 1 to " + std::to_string(longest) +
                                    ", as in ?seconds=" + std::to_string(fallback) + "\n");
    if (request.method == "HEAD") return text_response(200, "");
    const auto recorded = record(std::chrono::seconds(*seconds));
    auto response = recorded ? show(*recorded) : look_refusal(recorded.error());
    response.headers.push_back({"Cache-Control", "no-store"});
    return response;
  };
}

Response show_pprof(const profile::Profile& profile) {
  return pprof_response(profile::pprof(profile), "profile.pb.gz");
}

// The one form of /debug/pprof/profile.
Show choose_pprof(const Request&) { return show_pprof; }

Response picture(std::string text, std::string type) {
  auto response = text_response(200, std::move(text));
  response.content_type = std::move(type) + "; charset=utf-8";
  // Names come from another process: nothing but what is in the picture may run or be loaded.
  response.headers = {
      {"Content-Security-Policy",
       "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"}};
  return response;
}

Response show_flame_svg(const profile::Profile& profile) {
  return picture(profile::flame_svg(profile), "image/svg+xml");
}

Response show_flame_page(const profile::Profile& profile) {
  return picture(
      profile::flame_page("Flame graph of " + profile.target, profile::flame_svg(profile)),
      "text/html");
}

Show choose_picture(const Request& request) {
  const auto format = query_value(request.query, "format").value_or("html");
  if (format == "html") return show_flame_page;
  return format == "svg" ? show_flame_svg : nullptr;
}

Response index(const Request&) {
  return text_response(
      200,
      "profile?seconds=N  CPU time of the VM's threads, Erlang and C functions (1 to 300 s)\n"
      "processes          stacks of all processes, by status; ?debug=1: as text\n"
      "heap               bytes of heap, by the stack of the process; ?debug=1: as text\n"
      "\n"
      "  go tool pprof 'http://HOST:10125/debug/pprof/profile?seconds=10'\n"
      "  go tool pprof http://HOST:10125/debug/pprof/heap\n"
      "\n"
      "The same as a picture: /flamegraph?seconds=N, as svg: /flamegraph?seconds=N&format=svg\n");
}

}  // namespace

void add_profile_pages(Router& router, RecordProfile record) {
  router.add("/debug/pprof/", {"GET"}, index);
  router.add("/debug/pprof/profile", {"GET"}, recording_page(record, 30, choose_pprof));
  router.add("/flamegraph", {"GET"}, recording_page(std::move(record), 10, choose_picture));
}

}  // namespace beam_exporter::web
