// Reads a proof or a tactic from a model's reply. Nothing is verified here: the proof still goes
// through Lean and trust.
//
// Pure functions; any bytes are accepted; linear in their input.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "llm/prompt/format.h"
#include "syntax/proof/extraction.h"

namespace zermelo::policy {

/// Reads a reply to a prompt with this theorem and, for a continuation, this prefix
/// (syntax::ExtractProof).
tl::expected<syntax::ExtractedProof, syntax::NoProof> ReadProof(llm::ReplyKind kind,
                                                                const syntax::Theorem& theorem,
                                                                std::string_view reply,
                                                                std::string_view prefix = {},
                                                                bool keeps_auxiliary = true);

/// Reads a reply that is one tactic.
tl::expected<std::string, syntax::NoProof> ReadTactic(std::string_view reply);

}  // namespace zermelo::policy
