// Self-contained HTML pages with data, under a Content-Security-Policy that allows only the page's
// own style and script.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace zermelo::core {

/// Fills a page's template. {{style}} and {{script}} become the hashes of its first <style> and
/// <script> elements without attributes; {{data}}, inside a script element for data, becomes JSON,
/// escaped so that no text in it can end the element. Each placeholder occurs once.
std::string FillPage(std::string_view page_template, const nlohmann::json& data);

/// Replaces `place`, which must occur in `page`, by `text`.
void FillPlace(std::string& page, std::string_view place, std::string_view text);

}  // namespace zermelo::core
