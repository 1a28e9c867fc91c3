#include "policy/reply_proof.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <vector>

#include "core/text.h"
#include "llm/reply.h"
#include "policy/reply_auxiliary.h"
#include "syntax/commands.h"
#include "syntax/lexer.h"
#include "syntax/proof_text.h"
#include "syntax/words.h"

namespace zermelo::policy {

using syntax::Declaration;
using syntax::Token;
using syntax::WordSet;

namespace {

constexpr WordSet kProved({"example", "lemma", "theorem"});
constexpr size_t kMaxCuts = 4;  // tactics dropped at the end of a reply

using Words = std::vector<std::string_view>;

tl::unexpected<RefusedReply> Refuse(Refusal refusal, std::string message) {
  return tl::unexpected(RefusedReply{refusal, std::move(message)});
}

std::string_view Slice(std::string_view text, syntax::TextRange range) {
  return text.substr(range.begin, range.end - range.begin);
}

/// Empty if the statements are the same; else the first difference, in words.
std::string Difference(const Words& wanted, const Words& given) {
  const auto [a, b] = std::mismatch(wanted.begin(), wanted.end(), given.begin(), given.end());
  if (a == wanted.end() && b == given.end()) return "";
  const auto name = [](auto at, const Words& words) {
    return at == words.end() ? std::string("its end") : fmt::format("`{}`", *at);
  };
  return fmt::format("{} instead of {}", name(b, given), name(a, wanted));
}

/// The tactics in code[begin, end) as a block at column 0. Lines to the left of the first tactic
/// (they continue one that follows `by` on its line) are indented by two; lines that begin inside a
/// string stay as they are.
std::string AsBlock(std::string_view code, size_t begin, size_t end) {
  const std::string_view part = code.substr(begin, end - begin);
  const auto tokens = syntax::Lex(part);
  const auto first = std::find_if(tokens.begin(), tokens.end(),
                                  [](const Token& token) { return !token.IsTrivia(); });
  if (first == tokens.end()) return "";
  std::set<size_t> in_string;  // offsets of lines that begin inside a string
  for (const Token& token : tokens) {
    if (token.kind != syntax::TokenKind::kString) continue;
    for (size_t at = part.find('\n', token.begin); at < token.end; at = part.find('\n', at + 1)) {
      in_string.insert(at + 1);
    }
  }
  // The column in `code`; a tab counts as one, as in Lean.
  const core::LineIndex index(code);
  const size_t column = index.ToCodePoints(begin + first->begin).column;
  const bool behind_by = first->line == 0 && begin > 0 && code[begin - 1] != '\n';
  std::string block;
  size_t at = behind_by ? first->begin : 0;
  bool is_first = behind_by;
  while (at < part.size()) {
    const size_t line_end = std::min(part.find('\n', at), part.size());
    std::string_view line = part.substr(at, line_end - at);
    if (!std::exchange(is_first, false) && !in_string.contains(at)) {
      const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
      if (blanks < column && blanks < line.size() && behind_by) block += "  ";
      line.remove_prefix(std::min(blanks, column));
    }
    block += line;
    block += '\n';
    at = line_end + 1;
  }
  const size_t text = block.find_first_not_of("\r\n");
  return block.substr(text, block.find_last_not_of(" \t\r\n") + 1 - text);
}

/// The proof with the reply's `open`s and options. Options go before the theorem, since some act on
/// whole commands only; `open`s go inside the proof, where they cannot change the statement.
std::optional<syntax::Proof> InContext(const ReplyProof& proof, const ReplyContext& context) {
  if (context.opens.empty() && context.options.empty()) return std::nullopt;
  syntax::Proof in_context;
  in_context.auxiliary = context.auxiliary_in_context;
  if (!in_context.auxiliary.empty() && !context.options.empty()) in_context.auxiliary += "\n";
  for (const std::string& option : context.options) in_context.auxiliary += option + " in\n";
  for (const std::string& open : context.opens) in_context.tactics += open + " in\n";
  in_context.tactics += proof.tactics;
  if (!syntax::IsSelfContained(in_context.tactics)) return std::nullopt;
  return in_context;
}

/// Drops the last tactics until the rest is self-contained.
tl::expected<ReplyProof, RefusedReply> Finish(std::string_view tactics,
                                              const ReplyContext& context) {
  ReplyProof proof;
  proof.tactics = context.renaming.Apply(tactics);
  proof.auxiliary = context.auxiliary;
  for (size_t cuts = 0; !proof.tactics.empty() && cuts <= kMaxCuts; ++cuts) {
    if (syntax::IsSelfContained(proof.tactics)) {
      proof.has_sorry = syntax::UsesSorry(proof.tactics) || syntax::UsesSorry(proof.auxiliary);
      proof.in_context = InContext(proof, context);
      return proof;
    }
    const auto segments = syntax::SplitTactics(proof.tactics);
    const size_t kept = segments.size() < 2 ? 0 : segments[segments.size() - 2].end;
    if (kept >= proof.tactics.size()) break;
    proof.tactics.resize(kept);
    proof.was_cut = true;
  }
  return Refuse(Refusal::kNotSelfContained,
                "the proof leaves something open or is not only a proof");
}

class Reader {
 public:
  Reader(const llm::Format& format, const llm::PromptInput& input, std::string_view code)
      : format_(format), input_(input), code_(code), declarations_(syntax::FindDeclarations(code)) {
    const std::string whole = input.statement + " sorry";
    const auto parsed = syntax::FindDeclarations(whole);
    if (parsed.empty()) return;
    const std::string_view signature = Slice(whole, parsed.front().signature);
    for (const std::string_view word : syntax::WordsOf(signature)) wanted_text_.emplace_back(word);
    wanted_.assign(wanted_text_.begin(), wanted_text_.end());
  }

  tl::expected<ReplyProof, RefusedReply> Run() const {
    if (syntax::FindCommands(code_, syntax::LexCode(code_)).empty()) return OnlyProof();
    const auto theorem = FindTheorem();
    if (!theorem) return tl::unexpected(theorem.error());
    auto context = ReadContext(code_, **theorem, input_);
    if (!context) return Refuse(Refusal::kForbidden, context.error());
    const auto tactics = ProofOf(**theorem);
    if (!tactics) return tl::unexpected(tactics.error());
    if (!format_.keeps_auxiliary) {
      context->auxiliary.clear();
      context->auxiliary_in_context.clear();
    }
    return Finish(*tactics, *context);
  }

 private:
  std::string DifferenceOf(const Declaration& declaration) const {
    return Difference(wanted_, syntax::WordsOf(Slice(code_, declaration.signature)));
  }

  /// The last declaration with the theorem's name; otherwise the last one with its statement.
  tl::expected<const Declaration*, RefusedReply> FindTheorem() const {
    const std::string_view wanted = syntax::LastComponent(input_.name);
    const Declaration* renamed = nullptr;
    for (auto it = declarations_.rbegin(); it != declarations_.rend(); ++it) {
      if (!kProved.Contains(it->keyword)) continue;
      if (!wanted.empty() && syntax::LastComponent(it->name) == wanted) {
        const std::string difference = DifferenceOf(*it);
        if (difference.empty()) return &*it;
        return Refuse(Refusal::kStatementChanged, "the statement was changed: " + difference);
      }
      if (renamed == nullptr && DifferenceOf(*it).empty()) renamed = &*it;
    }
    if (renamed != nullptr) return renamed;
    return Refuse(Refusal::kNoTheorem, fmt::format("there is no `{}` in the reply", input_.name));
  }

  tl::expected<std::string, RefusedReply> ProofOf(const Declaration& theorem) const {
    const std::string_view value = Slice(code_, theorem.value);
    const auto tokens = syntax::LexCode(value);
    if (syntax::WordAt(value, tokens, 0) != ":=" || tokens.size() < 2) {
      return Refuse(Refusal::kNoTacticProof, "the theorem is not proved by tactics or a term");
    }
    if (syntax::WordAt(value, tokens, 1) == "by") {
      return AsBlock(code_, theorem.value.begin + tokens[1].end, theorem.value.end);
    }
    const std::string term = AsBlock(code_, theorem.value.begin + tokens[0].end, theorem.value.end);
    return term.find('\n') == std::string::npos ? "exact " + term
                                                : "exact (\n  " + Indented(term) + ")";
  }

  static std::string Indented(const std::string& text) {
    std::string out;
    for (const char c : text) {
      out += c;
      if (c == '\n') out += "  ";
    }
    return out;
  }

  /// Reads code that is only the proof, or only its part after the prefix.
  tl::expected<ReplyProof, RefusedReply> OnlyProof() const {
    const auto tokens = syntax::LexCode(code_);
    size_t first = 0;
    if (syntax::WordAt(code_, tokens, first) == ":=") ++first;
    if (syntax::WordAt(code_, tokens, first) == "by") ++first;
    std::string tactics = AsBlock(code_, first == 0 ? 0 : tokens[first - 1].end, code_.size());
    if (tactics.empty()) return Refuse(Refusal::kNoTacticProof, "the reply has no tactic");
    if (!input_.prefix.empty()) {
      const Words prefix = syntax::WordsOf(input_.prefix), given = syntax::WordsOf(tactics);
      const auto end = std::mismatch(prefix.begin(), prefix.end(), given.begin(), given.end());
      if (end.first != prefix.end()) {
        tactics = AsBlock(input_.prefix, 0, input_.prefix.size()) + "\n" + tactics;
      }
    }
    return Finish(tactics, ReplyContext());
  }

  const llm::Format& format_;
  const llm::PromptInput& input_;
  std::string_view code_;
  std::vector<Declaration> declarations_;
  std::vector<std::string> wanted_text_;
  Words wanted_;  // the tokens of the statement
};

}  // namespace

llm::PromptInput DescribeTheorem(std::string_view text, const Declaration& theorem) {
  llm::PromptInput input;
  input.header = text.substr(0, theorem.range.begin);
  input.name = theorem.full_name;
  for (const Declaration& other : syntax::FindDeclarations(text)) {
    if (other.range.begin != theorem.range.begin && !other.name.empty()) {
      input.taken.emplace_back(syntax::LastComponent(other.name));
    }
  }
  std::string_view statement = Slice(text, {theorem.range.begin, theorem.signature.end});
  const auto tokens = syntax::Lex(statement);
  if (!tokens.empty() && tokens.front().kind == syntax::TokenKind::kDocComment) {
    input.informal = fmt::format("{}\n", syntax::TextOf(statement, tokens.front()));
    const size_t code = statement.find_first_not_of(" \t\r\n", tokens.front().end);
    statement.remove_prefix(std::min(code, statement.size()));
  }
  statement = statement.substr(0, statement.find_last_not_of(" \t\r\n") + 1);
  input.statement = fmt::format("{} := by", statement);
  return input;
}

std::vector<syntax::Proof> ReplyProof::Variants() const {
  std::vector<syntax::Proof> variants(1);
  variants[0].tactics = tactics;
  variants[0].auxiliary = auxiliary;
  if (in_context) variants.push_back(*in_context);
  return variants;
}

const char* Name(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNoCode:
      return "no_code";
    case Refusal::kNoTheorem:
      return "no_theorem";
    case Refusal::kStatementChanged:
      return "statement_changed";
    case Refusal::kNoTacticProof:
      return "no_tactic_proof";
    case Refusal::kForbidden:
      return "forbidden";
    case Refusal::kNotSelfContained:
      return "not_self_contained";
  }
  return "";
}

tl::expected<ReplyProof, RefusedReply> ReadProof(const llm::Format& format,
                                                 const llm::PromptInput& input,
                                                 std::string_view reply) {
  auto code = llm::FindCode(format.reply, reply);
  if (!code) return Refuse(Refusal::kNoCode, llm::Explain(code.error()));
  if (format.reply == llm::ReplyKind::kContinuation) {
    code = fmt::format("{}\n{}{}", input.statement, input.prefix, *code);
  }
  return Reader(format, input, *code).Run();
}

tl::expected<std::string, RefusedReply> ReadTactic(const llm::Format& format,
                                                   std::string_view reply) {
  const auto code = llm::FindCode(format.reply, reply);
  if (!code) return Refuse(Refusal::kNoCode, llm::Explain(code.error()));
  const std::string tactic = AsBlock(*code, 0, code->size());
  if (tactic.empty()) return Refuse(Refusal::kNoTacticProof, "the reply has no tactic");
  if (!syntax::IsSelfContained(tactic)) {
    return Refuse(Refusal::kNotSelfContained, "the tactic leaves something open");
  }
  return tactic;
}

}  // namespace zermelo::policy
