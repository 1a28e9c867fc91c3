#include "serve/snippet_text.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"
#include "syntax/words.h"
#include "trust/source/source_tokens.h"

namespace zermelo::serve {

namespace {

using syntax::Declaration;
using trust::ReasonCode;

constexpr std::string_view kFence = "```";

constexpr syntax::WordSet kSyntaxWords({"notation", "notation3", "infix", "infixl", "infixr",
                                        "prefix", "postfix", "syntax", "macro", "macro_rules",
                                        "declare_syntax_cat", "binder_predicate"});

// Special tokens that end a generation or begin a turn, as they appear in decoded text.
// Others are `<|WORD|>` (Lean has `<|`, too).
constexpr std::array<std::string_view, 5> kSpecialTokens = {"<｜", "</s>", "<eos>", "<end_of_turn>",
                                                            "[/INST]"};

/// Whether `text` begins with `<|WORD|>`.
bool BeginsWithSpecialToken(std::string_view text) {
  const size_t end = text.find_first_of(" \t\r\n|", 2);
  return end > 2 && end != text.npos && text.substr(end).starts_with("|>");
}

std::string_view WithoutSpecialTokens(std::string_view text) {
  for (const std::string_view token : kSpecialTokens) text = text.substr(0, text.find(token));
  for (size_t at = text.find("<|"); at != text.npos; at = text.find("<|", at + 2)) {
    if (BeginsWithSpecialToken(text.substr(at))) return text.substr(0, at);
  }
  return text;
}

struct Block {
  std::string_view language;
  std::string_view code;
};

/// Fenced code blocks; the last one may lack its closing fence. Other rules than
/// llm::FindCode's: a fence may stand anywhere in a line, and blocks of other languages count, too.
std::vector<Block> FencedBlocks(std::string_view text) {
  std::vector<Block> blocks;
  size_t at = text.find(kFence);
  while (at != text.npos) {
    const size_t line_end = std::min(text.find('\n', at), text.size());
    const size_t begin = std::min(line_end + 1, text.size());
    const size_t end = text.find(kFence, begin);
    const std::string_view language =
        text.substr(at + kFence.size(), line_end - at - kFence.size());
    blocks.push_back(
        {core::Trim(language), text.substr(begin, end == text.npos ? end : end - begin)});
    at = end == text.npos ? end : text.find(kFence, end + kFence.size());
  }
  return blocks;
}

bool IsLean(const Block& block) {
  return block.language.starts_with("lean") || block.language.starts_with("Lean");
}

}  // namespace

SnippetAudit Audit(std::string_view text) {
  const trust::SourceTokens source(text);
  const auto tokens = source.tokens();
  SnippetAudit audit;
  for (auto& finding : trust::CheckSource({}, tokens)) {
    if (finding.reason.code == ReasonCode::kImportAdded) continue;
    if (finding.reason.code == ReasonCode::kSorryAdded) {
      audit.unfinished.push_back(finding.line - 1);
    } else {
      audit.findings.push_back(std::move(finding));
    }
  }
  for (const trust::SourceToken& token : tokens) {
    audit.defines_syntax |= kSyntaxWords.Contains(token.text);
    if (syntax::Unquoted(token.text) == "warn.sorry") {
      audit.findings.push_back(
          {.reason =
               {ReasonCode::kForbiddenOption,
                "The option `warn.sorry` is not allowed in a proof: it hides unproved parts."},
           .line = token.line + 1});
    }
  }
  return audit;
}

std::string WithoutProofs(std::string_view text) {
  std::string claims(text);
  const auto declarations = syntax::FindDeclarations(text);
  for (auto d = declarations.rbegin(); d != declarations.rend(); ++d) {
    if (!d->IsTheoremOrExample() || d->value.empty()) continue;
    claims.replace(d->value.begin, d->value.end - d->value.begin, ":= by sorry");
  }
  return claims;
}

std::string ExtractLean(std::string_view output) {
  const auto blocks = FencedBlocks(output);
  auto chosen = std::find_if(blocks.rbegin(), blocks.rend(), IsLean);
  if (chosen == blocks.rend()) chosen = blocks.rbegin();
  const std::string_view code = chosen == blocks.rend() ? output : chosen->code;
  return std::string(core::Trim(WithoutSpecialTokens(code))) + "\n";
}

bool OpensFence(std::string_view prompt) {
  bool opens = false;
  for (size_t at = prompt.find(kFence); at != prompt.npos;
       at = prompt.find(kFence, at + kFence.size())) {
    opens = !opens;
  }
  return opens;
}

std::string CodeOfAnswer(const std::string& query, const std::string& prompt) {
  if (!query.starts_with(prompt)) return ExtractLean(query);
  return ExtractLean(OpensFence(prompt) ? query : query.substr(prompt.size()));
}

std::string WithoutBy(const std::string& proof) {
  const size_t begin = proof.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  const bool by = proof.compare(begin, 2, "by") == 0 && begin + 2 < proof.size() &&
                  std::isspace(static_cast<unsigned char>(proof[begin + 2])) != 0;
  if (!by) return proof;
  // If the block has further lines, indent its first line as if `by` were still there.
  std::string rest = proof.substr(begin + 2);
  if (const size_t line = rest.find_first_not_of(" \t"); line != std::string::npos) {
    if (rest[line] == '\n' || rest[line] == '\r') return rest.substr(rest.find('\n') + 1);
    return rest.find('\n') == std::string::npos ? rest.substr(line)
                                                : std::string(begin + 2, ' ') + rest;
  }
  return "";
}

std::string Assemble(const std::string& statement, const std::string& code) {
  if (!syntax::FindDeclarations(code).empty()) {
    const bool lacks_imports =
        syntax::ImportedModules(code).empty() && !syntax::ImportedModules(statement).empty();
    return lacks_imports ? statement.substr(0, syntax::HeaderEnd(statement)) + code : code;
  }
  std::vector<syntax::Hole> holes;
  for (const auto& declaration : syntax::FindDeclarations(statement)) {
    holes.insert(holes.end(), declaration.holes.begin(), declaration.holes.end());
  }
  const std::string tactics = WithoutBy(code);
  if (holes.size() != 1 || !syntax::IsSelfContained(tactics)) return code;
  return syntax::SpliceProof(statement, holes.front(), tactics).text;
}

}  // namespace zermelo::serve
