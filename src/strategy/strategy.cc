#include "strategy/strategy.h"

#include <algorithm>
#include <utility>

#include "syntax/file.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::strategy {

std::optional<Problem> ProblemOf(const policy::StepContext& context, std::string before,
                                 std::string_view name, std::string_view declaration) {
  if (!before.empty() && !before.ends_with('\n')) before += '\n';
  const size_t begin = before.size();
  const syntax::File file(before.append(declaration));
  if (file.declarations().empty()) return std::nullopt;
  const syntax::Declaration& own = file.declarations().back();
  const bool is_it = own.range.begin == begin && own.IsNamed(name) && own.holes.size() == 1 &&
                     own.holes.front().provable;
  if (!is_it) return std::nullopt;
  Problem problem{.site = syntax::ProofSite(file.text(), own, own.holes.front()),
                  .goals = {},
                  .context = context};
  syntax::Theorem& theorem = problem.context.theorem;
  theorem = syntax::TheoremOf(file, own);
  theorem.taken.insert(theorem.taken.end(), context.theorem.taken.begin(),
                       context.theorem.taken.end());
  return problem;
}

void SearchResult::AddUse(const SearchResult& next) {
  samples += next.samples;
  unusable += next.unusable;
  for (const auto& [why, times] : next.refusals) refusals[why] += times;
  checks += next.checks;
  states += next.states;
  nodes += next.nodes;
  spending += next.spending;
  goals.insert(goals.end(), next.goals.begin(), next.goals.end());
}

void SearchResult::TakeProof(SearchResult& next) {
  if (proof) return;
  proof = std::move(next.proof);
  moves = std::move(next.moves);
  auxiliary = std::move(next.auxiliary);
}

bool IsErrorOf(const syntax::SiteDocument& document, const lean::Diagnostic& diagnostic) {
  return diagnostic.severity == lean::Severity::kError && document.InDeclaration(diagnostic.begin);
}

const lean::Diagnostic* FirstError(const syntax::SiteDocument& document,
                                   const std::vector<lean::Diagnostic>& diagnostics) {
  const auto found =
      std::ranges::find_if(diagnostics, [&](const auto& d) { return IsErrorOf(document, d); });
  return found == diagnostics.end() ? nullptr : &*found;
}

core::Task<core::Result<std::optional<std::string>>> RejectionReason(lean::Checker& checker,
                                                                     const syntax::ProofSite& site,
                                                                     std::string tactics,
                                                                     const Limits& limits) {
  if (syntax::UsesSorry(tactics)) co_return "it uses sorry";
  const syntax::SiteDocument document = site.ForConfirmation(tactics);
  lean::CheckRequest request;
  request.text = document.text;
  request.deadline = limits.deadline;
  request.cancellation = limits.cancellation;
  const auto checked = co_await checker.Check(std::move(request));
  if (!checked) co_return core::Fail(checked.error());
  const lean::Diagnostic* const error = FirstError(document, checked->diagnostics);
  if (error != nullptr) co_return error->message;
  co_return std::nullopt;
}

std::string ProofKey(std::string_view proof) {
  std::string fingerprint;
  for (const syntax::Token& token : syntax::LexCode(proof)) {
    fingerprint += token.first_on_line ? '\n' : ' ';
    fingerprint += syntax::TextOf(proof, token);
  }
  return fingerprint;
}

}  // namespace zermelo::strategy
