#include "data/examples.h"

#include "syntax/statement_key.h"

namespace zermelo::data {

std::vector<learn::Example> ExamplesOf(const std::vector<ProofExample>& proofs) {
  std::vector<learn::Example> examples;
  for (const ProofExample& proof : proofs) {
    const syntax::Theorem& theorem = proof.origin.theorem;
    learn::Source source;
    source.place = proof.origin.source.value("file", "");
    source.theorem = theorem.name;
    source.statement = learn::HashOf(syntax::StatementKey(theorem.Signature()));
    for (const TracedTactic& traced : proof.traced) {
      auto example = learn::MakeExample(traced.before, traced.tactic, traced.closes, source);
      if (!example) continue;
      if (!traced.premises.empty()) example->premises = traced.premises;
      examples.push_back(*std::move(example));
    }
  }
  return examples;
}

}  // namespace zermelo::data
