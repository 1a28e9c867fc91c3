#include "llm/prompt/correction.h"

#include <algorithm>
#include <fmt/format.h>

namespace zermelo::llm {
namespace {

constexpr size_t kMaxErrors = 8;
constexpr size_t kLinesBefore = 4;
constexpr size_t kMaxLines = 6;

class Marker {
 public:
  explicit Marker(std::string_view code) : code_(code), index_(code) {}

  std::string Excerpt(const CodeError& error) const {
    const size_t begin = index_.FromCodePoints(error.begin);
    const size_t first = index_.LineOf(begin);
    size_t end =
        error.end == error.begin ? index_.LineEnd(first) : index_.FromCodePoints(error.end);
    end = std::max(begin, end);
    const size_t last = index_.LineOf(end);
    std::string out;
    for (size_t line = first - std::min(first, kLinesBefore); line < first; ++line) {
      out += Line(line) + "\n";
    }
    if (first == last) {
      out += fmt::format("{}<error>{}</error>{}\n", Slice(index_.LineBegin(first), begin),
                         Slice(begin, end), Slice(end, index_.LineEnd(first)));
    } else {
      out += fmt::format("{}<error>{}\n", Slice(index_.LineBegin(first), begin),
                         Slice(begin, index_.LineEnd(first)));
      const size_t shown = std::min(last, first + kMaxLines);
      for (size_t line = first + 1; line < shown; ++line) out += Line(line) + "\n";
      if (last > first + kMaxLines) {
        const std::string before = Line(shown - 1);
        const size_t indent = std::min(before.find_first_not_of(' '), before.size());
        out += fmt::format("\n{}... --[Truncated]-- ...\n", std::string(indent, ' '));
      }
      out += fmt::format("{}</error>{}\n", Slice(index_.LineBegin(last), end),
                         Slice(end, index_.LineEnd(last)));
    }
    if (last + 1 < index_.line_count()) out += Line(last + 1) + "\n";
    return out;
  }

 private:
  std::string Slice(size_t begin, size_t end) const {
    return std::string(code_.substr(begin, end - begin));
  }
  std::string Line(size_t line) const {
    return Slice(index_.LineBegin(line), index_.LineEnd(line));
  }

  std::string_view code_;
  core::LineIndex index_;
};

}  // namespace

std::string MarkErrors(std::string_view code, const std::vector<CodeError>& errors) {
  const Marker marker(code);
  std::string out;
  for (size_t i = 0; i < std::min(errors.size(), kMaxErrors); ++i) {
    out +=
        fmt::format("\nError {}:\n\nCorresponding Code:\n```lean4\n{}\n```\n\nError Message: {}\n",
                    i + 1, marker.Excerpt(errors[i]), errors[i].message);
  }
  if (errors.size() > kMaxErrors) {
    out += fmt::format("\n... [Omitted {} more errors] ...\n", errors.size() - kMaxErrors);
  }
  return out;
}

}  // namespace zermelo::llm
