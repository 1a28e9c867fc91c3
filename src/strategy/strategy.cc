#include "strategy/strategy.h"

#include <algorithm>

#include "lean/lexer.h"

namespace zermelo::strategy {

namespace {

/// Lean's warning does not tell: the declaration may have other holes with their own `sorry`.
bool HasSorry(std::string_view tactics) {
  for (const lean::Token& token : lean::LexCode(tactics)) {
    const std::string_view word = lean::TextOf(tactics, token);
    if (word == "sorry" || word == "admit" || word == "stop" || word.ends_with("sorryAx")) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsErrorOf(const lean::SiteDocument& document, const lean::Diagnostic& diagnostic) {
  if (diagnostic.severity != lean::Severity::kError) return false;
  const long last_line = std::ranges::count(document.text, '\n');
  return document.InDeclaration(diagnostic) || diagnostic.begin.line >= last_line;
}

core::Task<core::Result<std::optional<std::string>>> WhyNotAccepted(lean::Checker& checker,
                                                                    const lean::ProofSite& site,
                                                                    std::string tactics,
                                                                    const Limits& limits) {
  if (HasSorry(tactics)) co_return "it uses sorry";
  const lean::SiteDocument document = site.ForConfirmation(tactics);
  lean::CheckRequest request;
  request.text = document.text;
  request.deadline = limits.deadline;
  request.cancellation = limits.cancellation;
  const auto checked = co_await checker.Check(std::move(request));
  if (!checked) co_return core::Fail(checked.error());
  for (const auto& d : checked->diagnostics) {
    if (IsErrorOf(document, d)) co_return d.message;
  }
  co_return std::nullopt;
}

std::string Fingerprint(std::string_view tactics) {
  std::string fingerprint;
  for (const lean::Token& token : lean::LexCode(tactics)) {
    fingerprint += token.first_on_line ? '\n' : ' ';
    fingerprint += lean::TextOf(tactics, token);
  }
  return fingerprint;
}

}  // namespace zermelo::strategy
