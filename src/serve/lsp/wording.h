// The texts about attempts that users of an editor read.
#pragma once

#include <string>

#include "core/error.h"
#include "engine/open_file.h"
#include "serve/lsp/sorries.h"

namespace zermelo::serve::lsp {

/// A Markdown code block, truncated if it is long.
std::string Fenced(const std::string& code);
/// Markdown as plain text, for editors that do not render it.
std::string WithoutMarkdown(const std::string& markdown);

/// "62 s, 340 candidates, 120 checks by Lean", and the spending on models.
std::string Effort(const engine::TheoremResult& theorem, const std::string& spent);
/// Why a theorem has no proof, and what was tried.
std::string FailureText(const engine::TheoremResult& theorem, const std::string& spent);
std::string FailureMarkdown(const engine::TheoremResult& theorem, const std::string& spent);
/// A proof was found but not inserted.
std::string DroppedText(const FoundProof& proof, const std::string& why);
std::string ErrorText(const std::string& title, const core::Error& error);

}  // namespace zermelo::serve::lsp
