#include "policy/reply_proof.h"

#include <fmt/format.h>

#include "llm/reply.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::policy {

using syntax::NoProof;
using syntax::Refusal;

namespace {

tl::unexpected<NoProof> Refuse(Refusal refusal, std::string message) {
  return tl::unexpected(NoProof{refusal, std::move(message)});
}

}  // namespace

tl::expected<syntax::ExtractedProof, NoProof> ReadProof(llm::ReplyKind kind,
                                                        const syntax::Theorem& theorem,
                                                        std::string_view reply,
                                                        std::string_view prefix,
                                                        bool keeps_auxiliary) {
  auto code = llm::FindCode(kind, reply);
  if (!code) return Refuse(Refusal::kNoCode, llm::Explain(code.error()));
  if (kind == llm::ReplyKind::kContinuation) {
    code = fmt::format("{}\n{}{}", theorem.Opening(), prefix, *code);
  }
  return syntax::ExtractProof(theorem, *code, prefix, keeps_auxiliary);
}

tl::expected<std::string, NoProof> ReadTactic(std::string_view reply) {
  const auto code = llm::FindCode(llm::ReplyKind::kTactic, reply);
  if (!code) return Refuse(Refusal::kNoCode, llm::Explain(code.error()));
  const std::string tactic = syntax::AsBlock(*code, 0, code->size());
  if (tactic.empty()) return Refuse(Refusal::kNoTacticProof, "the reply has no tactic");
  if (!syntax::IsSelfContained(tactic)) {
    return Refuse(Refusal::kNotSelfContained, "the tactic leaves something open");
  }
  return tactic;
}

}  // namespace zermelo::policy
