#pragma once

#include <string>
#include <utility>

#include "web/router.h"

namespace beam_exporter::web {

// What the pages answer to a request without headers.
inline Response asked(const Router& router, std::string path, std::string query = "",
                      std::string method = "GET") {
  return router.answer({.method = std::move(method),
                        .path = std::move(path),
                        .query = std::move(query),
                        .remote_address = "",
                        .headers = {}});
}

}  // namespace beam_exporter::web
