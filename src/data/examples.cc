#include "data/examples.h"

namespace zermelo::data {

std::vector<learn::Example> ExamplesOf(const std::vector<ProofExample>& proofs) {
  std::vector<learn::Example> examples;
  for (const ProofExample& proof : proofs) {
    if (proof.traced.empty()) continue;
    const learn::Source source =
        learn::SourceOf(proof.origin.theorem.name, proof.origin.source.value("file", ""),
                        proof.traced.front().before);
    for (const TracedTactic& traced : proof.traced) {
      auto example = learn::MakeExample(traced.before, traced.tactic, traced.closes, source);
      if (!example) continue;
      // Names of the traced files that no other file can write would spoil lists of premises.
      if (!traced.premises.empty()) example->premises = traced.elsewhere;
      examples.push_back(*std::move(example));
    }
  }
  return examples;
}

}  // namespace zermelo::data
