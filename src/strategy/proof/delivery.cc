#include "strategy/proof/delivery.h"

#include <vector>

#include "syntax/proof/extraction.h"

namespace zermelo::strategy {

namespace {

std::optional<syntax::Proof> ProofAfter(const std::vector<const ProvedLemma*>& lemmas,
                                        const syntax::Theorem& theorem, std::string_view value) {
  std::vector<std::string> texts(lemmas.size());
  std::vector<syntax::AuxiliaryDeclaration> declarations;
  for (size_t i = 0; i < lemmas.size(); ++i) {
    texts[i] = lemmas[i]->Text();
    declarations.push_back({.name = lemmas[i]->name,
                            .signature = lemmas[i]->signature,
                            .text = texts[i],
                            .is_lemma = !lemmas[i]->IsDefinition()});
  }
  auto proof = syntax::ProofFromParts(theorem, declarations, value);
  if (!proof) return std::nullopt;
  return *std::move(proof);
}

/// The candidates to check: with the lemmas that the proof mentions, then with all of them, since a
/// proof may use a lemma without mentioning it.
std::vector<syntax::Proof> ProofsOf(const syntax::Theorem& theorem, const LemmaStore& known,
                                    const std::string& value) {
  std::vector<const ProvedLemma*> all;
  for (const ProvedLemma& lemma : known.all()) all.push_back(&lemma);
  std::vector<syntax::Proof> proofs;
  for (const auto& lemmas : {known.MentionedIn(value), all}) {
    auto proof = ProofAfter(lemmas, theorem, value);
    if (!proof || (!proofs.empty() && proofs.front() == *proof)) continue;
    proofs.push_back(*std::move(proof));
  }
  return proofs;
}

}  // namespace

core::Task<bool> Deliver(Session& session, std::string_view role, const Problem& problem,
                         const LemmaStore& known, std::string value, core::Duration limit) {
  Session::CheckOptions options;
  options.limit = limit;
  options.stops_at_first_error = true;
  const auto proofs = ProofsOf(problem.context.theorem, known, value);
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
