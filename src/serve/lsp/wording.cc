#include "serve/lsp/wording.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ranges>

#include "core/text.h"

namespace zermelo::serve::lsp {

using engine::TheoremResult;

namespace {

constexpr size_t kMaxCode = 4000;  // bytes

/// The length of the longest run of backticks.
size_t Backticks(const std::string& text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string Fenced(const std::string& code) {
  const std::string fence(std::max<size_t>(3, Backticks(code) + 1), '`');
  const std::string_view trimmed = core::Trim(code);
  return fmt::format("{0}lean\n{1}\n{0}", fence, core::Truncated(trimmed, kMaxCode));
}

std::string WithoutMarkdown(const std::string& markdown) {
  std::string text;
  for (size_t begin = 0; begin < markdown.size();) {
    const size_t end = std::min(markdown.find('\n', begin), markdown.size());
    std::string line = markdown.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("```")) continue;
    if (line.starts_with("**Zermelo**")) line.erase(0, 2).erase(7, 2);
    text += line + "\n";
  }
  return text;
}

std::string Effort(const TheoremResult& theorem, const std::string& spent) {
  std::string effort = fmt::format("{:.0f} s, {}, {} by Lean", theorem.seconds,
                                   core::Counted(theorem.samples, "candidate"),
                                   core::Counted(theorem.checks, "check"));
  if (!spent.empty()) effort += ", " + spent;
  return effort;
}

std::string FailureText(const TheoremResult& theorem, const std::string& spent) {
  return fmt::format("No proof of `{}`: {} ({})", theorem.name, theorem.message,
                     Effort(theorem, spent));
}

std::string FailureMarkdown(const TheoremResult& theorem, const std::string& spent) {
  std::string text = fmt::format("**Zermelo**: no proof of `{}` ({})\n\n{}", theorem.name,
                                 Effort(theorem, spent), Fenced(theorem.message));
  if (theorem.lemmas.empty()) return text;
  const auto lemmas = std::views::transform(theorem.lemmas, &strategy::ProvedLemma::Text);
  return text + "\n\nProved on the way:\n\n" + Fenced(fmt::format("{}", fmt::join(lemmas, "\n\n")));
}

std::string DroppedText(const FoundProof& proof, const std::string& why) {
  return fmt::format("A proof of `{}` was found but not inserted: {}. The proof:\n{}{}", proof.name,
                     why, proof.auxiliary, proof.tactics);
}

std::string ErrorText(const std::string& title, const core::Error& error) {
  std::string text = title + ": " + error.message;
  if (!error.hint.empty()) text += "; " + error.hint;
  return text;
}

}  // namespace zermelo::serve::lsp
