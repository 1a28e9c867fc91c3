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

std::string TextOf(const Statement& theorem, const syntax::Proof& proof) {
  return proof.auxiliary + syntax::FillLast(theorem.Stub(), proof.tactics).text;
}

Statement StatementOf(const ProvedLemma& lemma) {
  Statement theorem{.name = lemma.name, .statement = ""};
  theorem.statement = lemma.head.substr(std::min(theorem.Head().size(), lemma.head.size()));
  return theorem;
}

std::string LemmaName(std::string_view theorem, std::string_view subgoal) {
  const auto parts = syntax::NameComponents(theorem);
  return fmt::format("{}_{}", parts.empty() ? "goal" : syntax::AsNamePart(parts.back()),
                     syntax::AsNamePart(subgoal));
}

std::optional<Problem> ProblemOf(const Problem& theorem, const Statement& statement) {
  const std::string& said = statement.statement;
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
