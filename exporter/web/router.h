#pragma once

#include <functional>
#include <string>
#include <vector>

#include "web/message.h"

namespace beam_exporter::web {

using Page = std::function<Response(const Request&)>;

// Chooses the page for an exact path. A page that allows GET allows HEAD too. An unknown path gets
// 404, a known path with another method gets 405. Filled before serving and read-only after that:
// any thread.
class Router {
 public:
  // `methods`: "GET", "POST", ...
  void add(std::string path, std::vector<std::string> methods, Page page);
  Response answer(const Request& request) const;

 private:
  struct Route {
    std::string path;
    std::vector<std::string> methods;
    Page page;
  };
  std::vector<Route> routes_;
};

}  // namespace beam_exporter::web
