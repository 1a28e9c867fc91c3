#include "syntax/proof/extraction.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <vector>

#include "core/text.h"
#include "syntax/lexer.h"
#include "syntax/proof/auxiliary.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::syntax {

namespace {

constexpr size_t kMaxCuts = 4;  // tactics dropped at the end of a reply

using Words = std::vector<std::string_view>;

tl::unexpected<NoProof> Refuse(Refusal refusal, std::string message) {
  return tl::unexpected(NoProof{refusal, std::move(message)});
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

/// The proof with the reply's `open`s and options. Options go before the theorem, since some act on
/// whole commands only; `open`s go inside the proof, where they cannot change the statement.
std::optional<Proof> InContext(const ExtractedProof& proof, const CommandsBefore& context) {
  if (context.opens.empty() && context.options.empty()) return std::nullopt;
  Proof in_context;
  in_context.auxiliary = context.auxiliary_in_context;
  if (!in_context.auxiliary.empty() && !context.options.empty()) in_context.auxiliary += "\n";
  for (const std::string& option : context.options) in_context.auxiliary += option + " in\n";
  for (const std::string& open : context.opens) in_context.tactics += open + " in\n";
  in_context.tactics += proof.tactics;
  if (!IsSelfContained(in_context.tactics)) return std::nullopt;
  return in_context;
}

/// Drops the last tactics until the rest is self-contained.
tl::expected<ExtractedProof, NoProof> Finish(std::string_view tactics,
                                             const CommandsBefore& context) {
  ExtractedProof proof;
  proof.tactics = context.renaming.Apply(tactics);
  proof.auxiliary = context.auxiliary;
  for (size_t cuts = 0; !proof.tactics.empty() && cuts <= kMaxCuts; ++cuts) {
    if (IsSelfContained(proof.tactics)) {
      proof.has_sorry = UsesSorry(proof.tactics) || UsesSorry(proof.auxiliary);
      proof.in_context = InContext(proof, context);
      return proof;
    }
    const auto segments = SplitTactics(proof.tactics);
    const size_t kept = segments.size() < 2 ? 0 : segments[segments.size() - 2].end;
    if (kept >= proof.tactics.size()) break;
    proof.tactics.resize(kept);
    proof.was_cut = true;
  }
  return Refuse(Refusal::kNotSelfContained,
                "the proof leaves something open or is not only a proof");
}

/// The tactics of a value (`:= by simp`, `:= rfl`) of `code`, at column 0.
tl::expected<std::string, NoProof> TacticsOf(std::string_view code, TextRange range) {
  const std::string_view value = code.substr(range.begin, range.end - range.begin);
  const auto tokens = LexCode(value);
  if (WordAt(value, tokens, 0) != ":=" || tokens.size() < 2) {
    return Refuse(Refusal::kNoTacticProof, "the theorem is not proved by tactics or a term");
  }
  if (WordAt(value, tokens, 1) == "by") {
    return AsBlock(code, range.begin + tokens[1].end, range.end);
  }
  const std::string term = AsBlock(code, range.begin + tokens[0].end, range.end);
  return term.find('\n') == std::string::npos ? "exact " + term
                                              : "exact (\n" + core::Indented(term, 2) + ")";
}

class Reader {
 public:
  Reader(const Theorem& theorem, std::string_view prefix, bool keeps_auxiliary,
         std::string_view code)
      : theorem_(theorem),
        prefix_(prefix),
        keeps_auxiliary_(keeps_auxiliary),
        file_(std::string(code)),
        signature_(theorem.signature),
        wanted_(WordsOf(signature_)) {}

  tl::expected<ExtractedProof, NoProof> Run() const {
    if (file_.commands().empty()) return OnlyProof();
    const auto theorem = FindTheorem();
    if (!theorem) return tl::unexpected(theorem.error());
    auto context = ReadCommandsBefore(file_, **theorem, theorem_);
    if (!context) return Refuse(Refusal::kForbidden, context.error());
    const auto tactics = TacticsOf(file_.text(), (*theorem)->value);
    if (!tactics) return tl::unexpected(tactics.error());
    if (!keeps_auxiliary_) {
      context->auxiliary.clear();
      context->auxiliary_in_context.clear();
    }
    return Finish(*tactics, *context);
  }

 private:
  std::string DifferenceOf(const Declaration& declaration) const {
    return Difference(wanted_, WordsOf(file_.Slice(declaration.signature)));
  }

  /// The last declaration with the theorem's name; otherwise the last one with its statement.
  tl::expected<const Declaration*, NoProof> FindTheorem() const {
    const std::string_view wanted = LastComponent(theorem_.name);
    const Declaration* renamed = nullptr;
    for (auto it = file_.declarations().rbegin(); it != file_.declarations().rend(); ++it) {
      if (!it->IsTheoremOrExample()) continue;
      if (!wanted.empty() && LastComponent(it->name) == wanted) {
        const std::string difference = DifferenceOf(*it);
        if (difference.empty()) return &*it;
        return Refuse(Refusal::kStatementChanged, "the statement was changed: " + difference);
      }
      if (renamed == nullptr && DifferenceOf(*it).empty()) renamed = &*it;
    }
    if (renamed != nullptr) return renamed;
    return Refuse(Refusal::kNoTheorem, fmt::format("there is no `{}` in the reply", theorem_.name));
  }

  /// Reads code that is only the proof, or only its part after the prefix.
  tl::expected<ExtractedProof, NoProof> OnlyProof() const {
    size_t first = 0;
    if (file_.Word(first) == ":=") ++first;
    if (file_.Word(first) == "by") ++first;
    const std::string& code = file_.text();
    std::string tactics =
        AsBlock(code, first == 0 ? 0 : file_.tokens()[first - 1].end, code.size());
    if (tactics.empty()) return Refuse(Refusal::kNoTacticProof, "the reply has no tactic");
    if (!prefix_.empty()) {
      const Words prefix = WordsOf(prefix_), given = WordsOf(tactics);
      const auto end = std::mismatch(prefix.begin(), prefix.end(), given.begin(), given.end());
      if (end.first != prefix.end()) {
        tactics = AsBlock(prefix_, 0, prefix_.size()) + "\n" + tactics;
      }
    }
    return Finish(tactics, CommandsBefore());
  }

  const Theorem& theorem_;
  const std::string_view prefix_;
  const bool keeps_auxiliary_;
  const File file_;
  const std::string signature_;
  const Words wanted_;  // the tokens of the statement
};

}  // namespace

std::vector<Proof> ExtractedProof::Variants() const {
  std::vector<Proof> variants(1);
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

tl::expected<ExtractedProof, NoProof> ExtractProof(const Theorem& theorem, std::string_view code,
                                                   std::string_view prefix, bool keeps_auxiliary) {
  return Reader(theorem, prefix, keeps_auxiliary, code).Run();
}

tl::expected<Proof, NoProof> ProofFromParts(const Theorem& theorem,
                                            std::span<const AuxiliaryDeclaration> declarations,
                                            std::string_view value) {
  const std::string code = theorem.head + std::string(value);
  const auto tactics = TacticsOf(code, {theorem.head.size(), code.size()});
  if (!tactics) return tl::unexpected(tactics.error());
  const AuxiliaryText auxiliary = AuxiliaryFor(theorem, declarations);
  Proof proof{.tactics = auxiliary.renaming.Apply(*tactics), .auxiliary = auxiliary.text};
  if (!proof.tactics.empty() && IsSelfContained(proof.tactics)) return proof;
  return Refuse(Refusal::kNotSelfContained,
                "the proof leaves something open or is not only a proof");
}

/// The tactics in code[begin, end) as a block at column 0. Lines to the left of the first tactic
/// (they continue one that follows `by` on its line) are indented by two; lines that begin inside a
/// string stay as they are.
std::string AsBlock(std::string_view code, size_t begin, size_t end) {
  const std::string_view part = code.substr(begin, end - begin);
  const auto tokens = Lex(part);
  const auto first = std::find_if(tokens.begin(), tokens.end(),
                                  [](const Token& token) { return !token.IsTrivia(); });
  if (first == tokens.end()) return "";
  std::set<size_t> in_string;  // offsets of lines that begin inside a string
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kString) continue;
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

}  // namespace zermelo::syntax
