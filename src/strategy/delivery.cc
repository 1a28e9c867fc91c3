#include "strategy/delivery.h"

#include <vector>

#include "syntax/proof/extraction.h"

namespace zermelo::strategy {

namespace {

/// The candidates to check: with the lemmas that the proof mentions, then with all of them, since a
/// proof may use a lemma without mentioning it.
std::vector<syntax::Proof> ProofsOf(const syntax::Theorem& theorem, const LemmaMemory& known,
                                    const std::string& text) {
  std::vector<syntax::Proof> proofs;
  for (const std::string& lemmas : {known.TextFor(text), known.Text()}) {
    const auto read = syntax::ExtractProof(theorem, lemmas + text);
    if (!read) continue;
    for (syntax::Proof& proof : read->Variants()) {
      if (proofs.empty() || !(proofs.front() == proof)) proofs.push_back(std::move(proof));
    }
  }
  return proofs;
}

}  // namespace

core::Task<bool> Deliver(Expander& expander, const LemmaMemory& known, std::string text,
                         core::Duration limit) {
  const auto proofs = ProofsOf(expander.problem().context.theorem, known, text);
  for (const syntax::Proof& proof : proofs) {
    const auto judged = co_await expander.JudgeProof(proof, limit);
    if (!judged || !judged->accepted) continue;
    expander.Found(proof);
    co_return true;
  }
  co_return false;
}

}  // namespace zermelo::strategy
