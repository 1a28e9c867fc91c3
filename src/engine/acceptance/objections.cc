#include "engine/acceptance/objections.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "trust/source/source_rules.h"
#include "trust/source/source_tokens.h"

namespace zermelo::engine {

namespace {

using Findings = std::vector<trust::SourceFinding>;

constexpr const char* kLooksHidden =
    " (It looks like a comment or string, but the quotes or comment marks in this file are "
    "ambiguous, so all of its text is judged.)";

bool MayBeHints(const Findings& findings) {
  return std::ranges::none_of(findings, [](const auto& finding) { return finding.hint.empty(); });
}

bool Has(const Findings& findings, const trust::SourceFinding& finding) {
  return std::ranges::any_of(findings, [&](const trust::SourceFinding& other) {
    return other.line == finding.line && other.reason.message == finding.reason.message;
  });
}

/// `remark` follows each reason.
void AddObjections(const Findings& findings, const char* remark, Objections& objections) {
  for (const trust::SourceFinding& finding : findings) {
    objections.reasons.push_back(
        {finding.reason.code,
         fmt::format("line {}: {}{}", finding.line, finding.reason.message, remark)});
    objections.has_programs |= finding.is_program;
    trust::Reason hint{finding.reason.code, fmt::format("line {}: {}", finding.line, finding.hint)};
    // An option and its name are two findings, but one hint.
    const auto& hints = objections.hints;
    if (hints.empty() || hints.back().message != hint.message)
      objections.hints.push_back(std::move(hint));
  }
}

}  // namespace

Objections ObjectionsInSource(const std::string& original, const std::string& candidate,
                              bool allow_programs) {
  using Part = trust::SourceTokens::Part;
  const auto find = [&](Part part) {
    const trust::SourceTokens before(original, part), after(candidate, part);
    Findings findings = trust::CheckSource(before.tokens(), after.tokens());
    for (trust::SourceFinding& finding : findings) {
      if (finding.is_program && !allow_programs) finding.hint.clear();
    }
    return findings;
  };
  const Findings plain = find(Part::kCode);
  Findings hidden;
  if (MayBeHints(plain) && (trust::CouldHideCode(original) || trust::CouldHideCode(candidate))) {
    hidden = find(Part::kEverything);
    std::erase_if(hidden, [&](const auto& finding) { return Has(plain, finding); });
  }
  Objections objections;
  AddObjections(plain, "", objections);
  AddObjections(hidden, kLooksHidden, objections);
  if (!MayBeHints(plain) || !MayBeHints(hidden)) {
    objections.hints.clear();
    objections.has_programs = false;
  }
  return objections;
}

}  // namespace zermelo::engine
