// libFuzzer target: every reply yields a self-contained proof, or a reason.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "policy/reply_proof.h"
#include "syntax/proof/proof_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace syntax = zermelo::syntax;
  namespace llm = zermelo::llm;
  namespace policy = zermelo::policy;
  if (size == 0) return 0;
  const std::string_view reply(reinterpret_cast<const char*>(data) + 1, size - 1);
  syntax::Theorem theorem = syntax::TheoremOf("theorem two (n : Nat) (h : n = 1) : n + 1 = 2");
  theorem.header = "def double (n : Nat) := 2 * n\n\n";
  const std::string_view prefix = (data[0] & 1) != 0 ? "  have h' := h\n" : "";
  for (const auto kind :
       {llm::ReplyKind::kContinuation, llm::ReplyKind::kBlock, llm::ReplyKind::kTactic}) {
    if (kind == llm::ReplyKind::kTactic) {
      const auto tactic = policy::ReadTactic(reply);
      if (tactic && !syntax::IsSelfContained(*tactic)) std::abort();
      continue;
    }
    const auto proof = policy::ReadProof(kind, theorem, reply, prefix);
    if (!proof) continue;
    for (const syntax::Proof& variant : proof->Variants()) {
      if (!syntax::IsSelfContained(variant.tactics)) std::abort();
      // What follows the commands is still there.
      const auto alone = syntax::FindDeclarations(variant.auxiliary);
      const auto found =
          syntax::FindDeclarations(variant.auxiliary + "\ntheorem two : 2 = 2 := rfl\n");
      if (found.size() != alone.size() + 1 || found.back().name != "two") std::abort();
    }
  }
  return 0;
}
