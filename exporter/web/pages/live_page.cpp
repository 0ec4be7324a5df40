#include "web/pages/live_page.h"

#include <memory>
#include <mutex>
#include <string>

#include "web/live/assets.h"
#include "web/pages/gzip_cache.h"
#include "web/pages/overview.h"

namespace beam_exporter::web {

namespace {

// Compressed when the client takes it.
Response text_page(const Request& request, std::string content_type, const GzipCache::Text& text,
                   GzipCache& compressed) {
  Response response;
  response.content_type = std::move(content_type);
  response.headers = {{"Vary", "Accept-Encoding"}, {"X-Content-Type-Options", "nosniff"}};
  compressed.answer(request, text, response);
  return response;
}

Page asset_page(const text::EmbeddedFile& asset) {
  const auto text = std::make_shared<const std::string>(asset.text);
  const auto compressed = std::make_shared<GzipCache>();
  const bool style = asset.name.ends_with(".css");
  return [text, compressed, style](const Request& request) {
    auto response =
        text_page(request, style ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
                  text, *compressed);
    // A newer exporter may have other scripts.
    response.headers.push_back({"Cache-Control", "no-cache"});
    return response;
  };
}

// The newest snapshot as JSON, made once for all who ask.
class OverviewPage {
 public:
  explicit OverviewPage(const totals::LatestSnapshot& latest) : latest_(&latest) {}

  Response operator()(const Request& request) {
    auto response = text_page(request, "application/json", newest(), compressed_);
    response.headers.push_back({"Cache-Control", "no-store"});
    return response;
  }

 private:
  GzipCache::Text newest() {
    const auto snapshot = latest_->newest();
    std::lock_guard lock(mutex_);
    if (text_ == nullptr || shown_ != snapshot) {
      text_ = std::make_shared<const std::string>(overview_json(*snapshot));
      shown_ = snapshot;
    }
    return text_;
  }

  const totals::LatestSnapshot* latest_;
  std::mutex mutex_;
  std::shared_ptr<const totals::Snapshot> shown_;  // in text_
  GzipCache::Text text_;
  GzipCache compressed_;
};

}  // namespace

void add_live_page(Router& router, const totals::LatestSnapshot& latest) {
  const auto overview = std::make_shared<OverviewPage>(latest);
  router.add("/api/v1/overview", {"GET"},
             [overview](const Request& request) { return (*overview)(request); });
  for (const auto& asset : live_assets())
    router.add("/assets/" + std::string(asset.name), {"GET"}, asset_page(asset));
}

}  // namespace beam_exporter::web
