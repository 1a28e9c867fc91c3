#include "data/short_header.h"

#include <algorithm>
#include <vector>

#include "syntax/commands.h"
#include "syntax/file.h"

namespace zermelo::data {

namespace {

/// A command with the text up to the next one.
struct Part {
  std::string_view text;
  bool kept = false;
};

}  // namespace

std::string ShortHeader(std::string_view header, size_t max_bytes) {
  if (header.size() <= max_bytes) return std::string(header);
  const syntax::File file{std::string(header)};
  std::vector<Part> parts;
  size_t begin = syntax::HeaderEnd(header);
  std::string shortened(header.substr(0, begin));
  size_t bytes = begin;
  for (size_t i = 0; i < file.commands().size(); ++i) {
    const size_t end =
        std::max(begin, i + 1 < file.commands().size() ? file.RangeOf(i).end : header.size());
    const bool context = syntax::GivesContext(file.KeywordOf(i));
    parts.push_back({.text = header.substr(begin, end - begin), .kept = context});
    if (context) bytes += end - begin;
    begin = end;
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->kept) continue;
    bytes += part->text.size();
    if (bytes > max_bytes) break;
    part->kept = true;
  }
  for (const Part& part : parts) {
    if (part.kept) shortened += part.text;
  }
  if (!shortened.ends_with('\n')) shortened += "\n\n";
  return shortened;
}

}  // namespace zermelo::data
