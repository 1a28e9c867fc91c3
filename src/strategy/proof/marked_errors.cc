#include "strategy/proof/marked_errors.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "llm/prompt/correction.h"

namespace zermelo::strategy {

std::string MarkedErrors(const syntax::SiteDocument& document,
                         const std::vector<lean::Diagnostic>& diagnostics) {
  const core::LineIndex lines(document.text);
  const size_t begin = lines.LineBegin(document.declaration_first_line);
  const size_t end = lines.LineEnd(document.declaration_last_line);
  const std::string_view code = std::string_view(document.text).substr(begin, end - begin);
  const core::LineIndex code_lines(code);
  const auto place = [&](syntax::Position position) {
    const size_t at = std::clamp(OffsetOf(lines, position), begin, end);
    return code_lines.ToCodePoints(at - begin);
  };
  std::vector<llm::CodeError> errors;
  for (const auto& d : diagnostics) {
    if (d.severity != lean::Severity::kError || !document.InDeclaration(d.begin)) continue;
    errors.push_back({.begin = place(d.begin), .end = place(d.end), .message = d.message});
  }
  return llm::MarkErrors(code, errors);
}

}  // namespace zermelo::strategy
