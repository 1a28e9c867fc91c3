#include "strategy/delivery.h"

#include <fmt/format.h>
#include <vector>

#include "policy/reply_proof.h"

namespace zermelo::strategy {

namespace {

/// The candidates to check: with the lemmas that the proof mentions, then with all of them, since a
/// proof may use a lemma without mentioning it.
std::vector<syntax::Proof> ProofsOf(const llm::PromptInput& theorem, const LemmaMemory& known,
                                    const std::string& text) {
  llm::Format format;
  format.reply = llm::ReplyKind::kBlock;
  std::vector<syntax::Proof> proofs;
  for (const std::string& lemmas : {known.TextFor(text), known.Text()}) {
    const std::string reply = fmt::format("```lean4\n{}{}\n```\n", lemmas, text);
    const auto read = policy::ReadProof(format, theorem, reply);
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
