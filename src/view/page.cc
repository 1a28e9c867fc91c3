#include "view/page.h"

#include <nlohmann/json.hpp>

#include "core/html_page.h"
#include "view/page.html.h"

namespace zermelo::view {

namespace {

std::string Page(const char* connections, const nlohmann::json& data) {
  std::string page(kPageHtml);
  core::FillPlace(page, "{{connections}}", connections);
  return core::FillPage(page, data);
}

}  // namespace

std::string RunPage(const nlohmann::json& whole) { return Page("'none'", whole); }

const std::string& LivePage() {
  static const std::string page = Page("'self'", nullptr);
  return page;
}

}  // namespace zermelo::view
