#include "strategy/hilbert/lemma.h"

#include <algorithm>
#include <fmt/format.h>

#include "syntax/file.h"
#include "syntax/lexer.h"
#include "syntax/negation.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::strategy {

namespace {

/// A declaration with one hole as a problem.
std::optional<Problem> InPlaceOf(const Problem& theorem, std::string_view name,
                                 std::string_view declaration) {
  std::string text = theorem.context.theorem.header;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  const size_t begin = text.size();
  text += declaration;
  const syntax::File file(std::move(text));
  if (file.declarations().empty()) return std::nullopt;
  const syntax::Declaration& own = file.declarations().back();
  const bool is_it = own.range.begin == begin && own.name == name && own.holes.size() == 1 &&
                     own.holes.front().provable;
  if (!is_it) return std::nullopt;
  Problem problem{.site = syntax::ProofSite(file.text(), own, own.holes.front()),
                  .goals = {},
                  .context = theorem.context};
  problem.context.theorem = syntax::TheoremOf(file, own);
  for (const std::string& taken : theorem.context.theorem.taken) {
    problem.context.theorem.taken.push_back(taken);
  }
  return problem;
}

}  // namespace

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
  return InPlaceOf(theorem, statement.name, statement.Stub());
}

std::optional<Problem> NegationOf(const Problem& theorem, const Statement& statement) {
  const std::string name = statement.name + "_is_false";
  const auto negation = syntax::NegationOf(statement.Stub(), name, theorem.context.theorem.header);
  if (!negation) return std::nullopt;
  return InPlaceOf(theorem, name, *negation + " := by\n  sorry\n");
}

}  // namespace zermelo::strategy
