#include "strategy/hilbert/lemma.h"

#include <algorithm>
#include <fmt/format.h>

#include "syntax/lexer.h"
#include "syntax/negation.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::strategy {

std::string Statement::Stub() const { return Head() + " := by\n  sorry\n"; }

syntax::Proof MakeProof(std::string tactics, std::string auxiliary) {
  return {.tactics = std::move(tactics), .auxiliary = std::move(auxiliary)};
}

ProvedLemma LemmaOf(const Statement& theorem, const syntax::Proof& proof,
                    std::vector<std::string> uses, std::string by) {
  return {.name = theorem.name,
          .key = theorem.Key(),
          .signature = theorem.signature,
          .before = proof.auxiliary,
          .head = theorem.Head(),
          .value = syntax::ValueOf(proof.tactics) + "\n",
          .by = std::move(by),
          .uses = std::move(uses)};
}

std::string LemmaName(std::string_view theorem, std::string_view subgoal) {
  const auto parts = syntax::NameComponents(theorem);
  return fmt::format("{}_{}", parts.empty() ? "goal" : syntax::AsNamePart(parts.back()),
                     syntax::AsNamePart(subgoal));
}

std::optional<Problem> ProblemOf(const Problem& theorem, const Statement& statement) {
  const std::string& said = statement.signature;
  if (syntax::TokenKey(said).empty() || !syntax::IsBalanced(said) || syntax::UsesSorry(said))
    return std::nullopt;
  const policy::StepContext& context = theorem.context;
  return ProblemOf(context, context.theorem.header, statement.name, statement.Stub());
}

std::optional<Problem> NegationOf(const Problem& theorem, const Statement& statement) {
  const std::string name = statement.name + "_is_false";
  const policy::StepContext& context = theorem.context;
  const auto negation = syntax::NegationOf(statement.Stub(), name, context.theorem.header);
  if (!negation) return std::nullopt;
  return ProblemOf(context, context.theorem.header, name, *negation + " := by\n  sorry\n");
}

}  // namespace zermelo::strategy
