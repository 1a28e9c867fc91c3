#include "strategy/hilbert/lemma.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "syntax/file.h"
#include "syntax/lexer.h"
#include "syntax/negation.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::strategy {

namespace {

/// A theorem with its proof, after the commands that the proof needs.
std::string TextOf(const Lemma& lemma) {
  const std::string stub = lemma.theorem.Stub();
  const auto declarations = syntax::FindDeclarations(stub);
  const syntax::Hole& hole = declarations.front().holes.front();
  return lemma.proof.auxiliary + syntax::SpliceProof(stub, hole, lemma.proof.tactics).text;
}

void AddTexts(const std::vector<LemmaPointer>& lemmas, std::set<const Lemma*>& done,
              std::vector<std::string>& texts) {
  for (const LemmaPointer& lemma : lemmas) {
    if (!done.insert(lemma.get()).second) continue;
    AddTexts(lemma->uses, done, texts);
    texts.push_back(TextOf(*lemma));
  }
}

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

std::string Statement::Stub() const {
  return fmt::format("theorem {} {} := by\n  sorry\n", name, statement);
}

syntax::Proof MakeProof(std::string tactics, std::string auxiliary) {
  return {.tactics = std::move(tactics), .auxiliary = std::move(auxiliary)};
}

std::vector<std::string> TextsOf(const std::vector<LemmaPointer>& lemmas) {
  std::vector<std::string> texts;
  std::set<const Lemma*> done;
  AddTexts(lemmas, done, texts);
  return texts;
}

std::string Stitch(const std::vector<LemmaPointer>& lemmas) {
  return fmt::format("{}", fmt::join(TextsOf(lemmas), "\n"));
}

std::string LemmaNames::Take(std::string_view theorem, std::string_view subgoal) {
  const auto parts = syntax::NameComponents(theorem);
  const std::string base =
      fmt::format("{}_{}", parts.empty() ? "goal" : syntax::AsNamePart(parts.back()),
                  syntax::AsNamePart(subgoal));
  std::string name = base;
  for (size_t n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
  return name;
}

LemmaPointer ProvedLemmas::Find(std::string_view statement) const {
  const auto found = by_key_.find(syntax::TokenKey(statement));
  return found == by_key_.end() ? nullptr : found->second;
}

void ProvedLemmas::Add(LemmaPointer lemma) {
  if (by_key_.try_emplace(syntax::TokenKey(lemma->theorem.statement), lemma).second) {
    all_.push_back(std::move(lemma));
  }
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
