#pragma once

#include <functional>
#include <string>
#include <vector>

#include "web/message.h"

namespace beam_exporter::web {

using Page = std::function<Response(const Request&)>;

// Which page answers: exact paths; who allows GET allows HEAD. An unknown path is 404, a known one
// asked in another way is 405. Filled before serving, read-only after that: any thread.
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
