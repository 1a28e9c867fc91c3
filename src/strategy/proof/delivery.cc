#include "strategy/proof/delivery.h"

#include <vector>

#include "syntax/proof/extraction.h"

namespace zermelo::strategy {

namespace {

/// The candidates to check: with the lemmas that the proof mentions, then with all of them, since a
/// proof may use a lemma without mentioning it.
std::vector<syntax::Proof> ProofsOf(const syntax::Theorem& theorem, const LemmaStore& known,
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

core::Task<bool> Deliver(Session& session, std::string_view role, const Problem& problem,
                         const LemmaStore& known, std::string text, core::Duration limit) {
  Session::CheckOptions options;
  options.limit = limit;
  options.stops_at_first_error = true;
  const auto proofs = ProofsOf(problem.context.theorem, known, text);
  for (const syntax::Proof& proof : proofs) {
    const auto checked =
        co_await session.Check(problem.site, proof, role, options, session.limits());
    if (!checked || !checked->accepted) continue;
    session.Found(proof);
    co_return true;
  }
  co_return false;
}

}  // namespace zermelo::strategy
