#include "eval/statement.h"

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"

namespace zermelo::eval {

using core::ErrorCode;
using core::Fail;
using syntax::Declaration;

namespace {

const Declaration* FindClaim(const std::vector<Declaration>& declarations,
                             const std::string& wanted) {
  const Declaration* found = nullptr;
  for (const Declaration& declaration : declarations) {
    if (!declaration.IsTheoremOrExample()) continue;
    if (!wanted.empty() && declaration.IsNamed(wanted)) return &declaration;
    found = &declaration;
  }
  return found;
}

/// The consecutive line comments directly below a hole: the end of the last one, and their text.
struct CommentBelow {
  size_t end = 0;
  std::string text;
};
std::optional<CommentBelow> FindCommentBelow(std::string_view text,
                                             const std::vector<syntax::Token>& tokens,
                                             const syntax::DeclarationHole& hole) {
  std::optional<CommentBelow> found;
  size_t line = 0;
  for (const syntax::Token& token : tokens) {
    if (token.begin < hole.end) {
      line = token.line;
      continue;
    }
    const bool next = token.kind == syntax::TokenKind::kLineComment && token.line <= line + 1;
    if (!next) break;
    const std::string words = std::string(core::Trim(TextOf(text, token).substr(2)));
    if (!found) found.emplace();
    found->text += (found->text.empty() ? "" : "\n  ") + words;
    found->end = token.end;
    line = token.line;
  }
  return found;
}

}  // namespace

core::Status CutStatement(std::string_view text, const std::string& wanted, Problem& problem) {
  const auto declarations = syntax::FindDeclarations(text);
  const Declaration* claim = FindClaim(declarations, wanted);
  if (claim == nullptr) return Fail(ErrorCode::kInput, "there is no theorem");
  problem.header = text.substr(0, claim->range.begin);
  problem.statement = text.substr(claim->range.begin, claim->range.end - claim->range.begin);
  problem.trailer = text.substr(claim->range.end);
  if (!claim->HasProvableHole()) {
    problem.statement = claim->value.empty() ? problem.statement + " := by\n  sorry"
                                             : syntax::StatementOnly(text, *claim);
  }
  problem.theorem = claim->DisplayName();
  if (problem.trailer.empty()) problem.trailer = "\n";
  return {};
}

std::string EndWithSorry(std::string statement) {
  statement.erase(statement.find_last_not_of(" \t\r\n") + 1);
  const auto tokens = syntax::LexCode(statement);
  const size_t n = tokens.size();
  const auto word = [&](size_t back) { return syntax::WordAt(statement, tokens, n - back); };
  if (n >= 2 && word(1) == "by" && word(2) == ":=") return statement + "\n  sorry";
  if (n >= 1 && word(1) == ":=") return statement + " by\n  sorry";
  return statement;  // CutStatement adds `:= by sorry` if there is no value
}

bool HasDocComment(std::string_view statement) {
  return std::ranges::any_of(syntax::Lex(statement), [](const syntax::Token& token) {
    return token.kind == syntax::TokenKind::kDocComment;
  });
}

std::string AsDocComment(const std::string& text) {
  const std::string trimmed(core::Trim(text));
  if (trimmed.empty()) return "";
  const auto tokens = syntax::Lex(trimmed);
  const bool is_one = tokens.size() == 1 && !tokens[0].unterminated &&
                      (tokens[0].kind == syntax::TokenKind::kDocComment || tokens[0].IsTrivia());
  if (is_one) return trimmed + "\n";
  std::string words(core::Trim(core::WithoutCommentMarks(trimmed)));
  for (const std::string_view mark : {"-/", "/-"}) {
    for (size_t at = words.find(mark); at != std::string::npos; at = words.find(mark, at + 2)) {
      words.insert(at + 1, " ");
    }
  }
  return "/-- " + words + " -/\n";
}

size_t GiveAnswers(std::string& text, const std::string& known) {
  const std::string original = text;
  const auto declarations = syntax::FindDeclarations(original);
  const auto tokens = syntax::Lex(original);
  size_t open = 0;
  size_t holes = 0;
  for (const Declaration& declaration : declarations) {
    for (const auto& hole : declaration.holes) {
      if (!hole.provable && hole.in_definition) ++holes;
    }
  }
  // From the last to the first, so that the remaining offsets stay valid.
  for (auto declaration = declarations.rbegin(); declaration != declarations.rend();
       ++declaration) {
    for (auto hole = declaration->holes.rbegin(); hole != declaration->holes.rend(); ++hole) {
      if (hole->provable || !hole->in_definition) continue;
      if (!known.empty() && holes == 1) {
        text.replace(hole->begin, hole->end - hole->begin, known);
      } else if (const auto comment = FindCommentBelow(original, tokens, *hole);
                 comment && !comment->text.empty()) {
        text.replace(hole->begin, comment->end - hole->begin, comment->text);
      } else {
        ++open;
      }
    }
  }
  return open;
}

}  // namespace zermelo::eval
