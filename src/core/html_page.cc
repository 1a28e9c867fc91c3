#include "core/html_page.h"

#include <nlohmann/json.hpp>

#include "core/hash/sha256.h"
#include "core/json.h"

namespace zermelo::core {

using nlohmann::json;

namespace {

std::string ForScript(const json& value) {
  const std::string text = core::Dump(value);
  std::string safe;
  safe.reserve(text.size() + text.size() / 64);
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string HashOf(std::string_view page, const std::string& tag) {
  const size_t begin = page.find("<" + tag + ">") + tag.size() + 2;
  return Sha256Base64(page.substr(begin, page.find("</" + tag + ">", begin) - begin));
}

}  // namespace

void FillPlace(std::string& page, std::string_view place, std::string_view text) {
  page.replace(page.find(place), place.size(), text);
}

std::string FillPage(std::string_view page_template, const json& data) {
  std::string page(page_template);
  FillPlace(page, "{{style}}", HashOf(page_template, "style"));
  FillPlace(page, "{{script}}", HashOf(page_template, "script"));
  FillPlace(page, "{{data}}", ForScript(data));
  return page;
}

}  // namespace zermelo::core
