#include "llm/prompt/placeholders.h"

namespace zermelo::llm {

namespace {

/// The placeholder that begins at text[at] == '{', with its braces; empty if there is none.
std::string_view PlaceholderAt(std::string_view text, size_t at) {
  const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 1);
  if (end == std::string_view::npos || end == at + 1 || text[end] != '}') return {};
  return text.substr(at, end + 1 - at);
}

}  // namespace

std::vector<std::string> PlaceholdersOf(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::string_view found = PlaceholderAt(text, at);
    if (!found.empty()) names.emplace_back(found.substr(1, found.size() - 2));
  }
  return names;
}

std::string FillPlaceholders(std::string_view text,
                             const std::function<const std::string*(const std::string&)>& value) {
  std::string filled;
  while (!text.empty()) {
    const auto found = text.front() == '{' ? PlaceholderAt(text, 0) : std::string_view();
    const std::string* const put =
        found.empty() ? nullptr : value(std::string(found.substr(1, found.size() - 2)));
    if (put != nullptr) filled += *put;
    if (put == nullptr) filled += text.front();
    text.remove_prefix(put != nullptr ? found.size() : 1);
  }
  return filled;
}

}  // namespace zermelo::llm
