#include "view/page.h"

#include <nlohmann/json.hpp>

#include "core/html_page.h"
#include "view/page.html.h"

namespace zermelo::view {

using nlohmann::json;

namespace {

std::string Page(const char* connections, const json& data) {
  std::string page(kPageHtml);
  core::FillPlace(page, "{{connections}}", connections);
  return core::FillPage(page, data);
}

}  // namespace

std::string RunPage(const json& whole) { return Page("'none'", whole); }

std::string EvaluationPage(const json& report) {
  return Page("'none'", json{{"evaluation", report}});
}

const std::string& LivePage() {
  static const std::string page = Page("'self'", nullptr);
  return page;
}

const std::string& LiveEvaluationPage() {
  static const std::string page = Page("'self'", json{{"evaluation", nullptr}});
  return page;
}

}  // namespace zermelo::view
