#include "syntax/proof/proof_text.h"

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "syntax/commands.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kWhitespace = " \t\r\n";

std::string Spaces(size_t n) { return std::string(n, ' '); }

// A block that can be laid out at any column.
class Block {
 public:
  explicit Block(std::string_view tactics) : source_(Trim(tactics)), tokens_(Lex(source_)) {
    if (std::all_of(tokens_.begin(), tokens_.end(), [](const Token& t) { return t.IsTrivia(); })) {
      source_ += source_.empty() ? "skip" : "\nskip";
      tokens_ = Lex(source_);
    }
    several_ = source_.find('\n') != source_.npos || SplitTactics(source_).size() > 1;
  }

  // Whether it has several lines or several tactics.
  bool several() const { return several_; }
  bool several_lines() const { return source_.find('\n') != source_.npos; }
  bool ends_in_line_comment() const { return tokens_.back().kind == TokenKind::kLineComment; }

  std::string At(size_t column, std::string_view newline) const {
    const size_t own = source_.find_first_not_of(kBlanks);
    std::string out;
    size_t token = 0;
    for (size_t begin = 0; begin <= source_.size();) {
      const size_t end = std::min(source_.find('\n', begin), source_.size());
      while (token < tokens_.size() && tokens_[token].end <= begin) ++token;
      const bool inside = token < tokens_.size() && tokens_[token].begin < begin;
      std::string_view line = std::string_view(source_).substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (begin > 0) out += newline;
      if (!inside) {
        const size_t indent = std::min(line.find_first_not_of(kBlanks), line.size());
        line.remove_prefix(indent);
        if (begin > 0 && !line.empty()) out += Spaces(column + (indent > own ? indent - own : 0));
      }
      out += line;
      begin = end + 1;
    }
    return out;
  }

 private:
  // Removes blank lines around the text; keeps the indentation of the first line.
  static std::string Trim(std::string_view text) {
    const size_t first = text.find_first_not_of(kWhitespace);
    if (first == text.npos) return {};
    const size_t line = text.rfind('\n', first);
    const size_t begin = line == text.npos ? 0 : line + 1;
    return std::string(text.substr(begin, text.find_last_not_of(kWhitespace) + 1 - begin));
  }

  std::string source_;
  std::vector<Token> tokens_;
  bool several_ = false;
};

bool Holds(When when, bool several) {
  return when == When::kAlways || (when == When::kSeveralLines && several);
}

// End of the code of `text` before `offset`, without blanks.
size_t BeforeBlanks(std::string_view text, size_t offset) {
  const size_t last = text.substr(0, offset).find_last_not_of(kBlanks);
  return last == text.npos ? 0 : last + 1;
}

bool LineGoesOn(std::string_view text, size_t offset) {
  const size_t next = text.find_first_not_of(" \t\r", offset);
  return next != text.npos && text[next] != '\n';
}

struct ParsedBlock {
  explicit ParsedBlock(std::string_view tactics)
      : tokens(LexCode(tactics)), structure(AnalyzeTactics(tactics, tokens)) {}

  size_t BeginOf(const TacticStep& step) const { return tokens[step.first].begin; }
  size_t EndOf(const TacticStep& step) const { return tokens[step.last].end; }

  std::vector<Token> tokens;
  TacticStructure structure;
};

// Follows an error down the blocks of a proof.
class Truncation {
 public:
  Truncation(std::string_view tactics, size_t error) : parsed_(tactics), error_(error) {
    const auto& [blocks, steps, holes] = parsed_.structure;
    steps_of_block_.resize(blocks.size());
    blocks_of_step_.resize(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) steps_of_block_[steps[i].block].push_back(i);
    last_of_group_.assign(parsed_.tokens.size(), kNowhere);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].parent_step != kNowhere) blocks_of_step_[blocks[i].parent_step].push_back(i);
      if (blocks[i].group != kNowhere) last_of_group_[blocks[i].group] = i;
    }
  }

  // Number of bytes to keep.
  size_t Run() const {
    size_t kept = 0;
    for (size_t block = 0;;) {
      const std::vector<size_t>& steps = steps_of_block_[block];
      const auto after = std::find_if(steps.begin(), steps.end(), [this](size_t s) {
        return parsed_.BeginOf(parsed_.structure.steps[s]) > error_;
      });
      if (after == steps.begin()) return kept;
      const auto step = std::prev(after);
      if (step != steps.begin()) kept = EndOfStep(*std::prev(step));
      if (EndOfStep(*step) <= error_) return EndOfStep(*step);
      const auto inner = BlockAtError(*step);
      if (!inner || !MayEndIn(*inner)) return kept;
      const std::vector<size_t>& inner_steps = steps_of_block_[*inner];
      const Token& intro = parsed_.tokens[parsed_.structure.blocks[*inner].intro];
      if (error_ < intro.end) return inner_steps.empty() ? kept : EndOfStep(inner_steps.back());
      block = *inner;
    }
  }

 private:
  size_t EndOfStep(size_t step) const { return parsed_.EndOf(parsed_.structure.steps[step]); }

  // The block of `step`, its `by` or `·` included, that contains the error.
  std::optional<size_t> BlockAtError(size_t step) const {
    for (const size_t block : blocks_of_step_[step]) {
      const size_t begin = parsed_.tokens[parsed_.structure.blocks[block].intro].begin;
      const std::vector<size_t>& steps = steps_of_block_[block];
      if (begin <= error_ && !steps.empty() && error_ < EndOfStep(steps.back())) return block;
    }
    return std::nullopt;
  }

  bool MayEndIn(size_t block) const {
    const TacticBlock& found = parsed_.structure.blocks[block];
    return found.may_end_here && (found.group == kNowhere || last_of_group_[found.group] == block);
  }

  ParsedBlock parsed_;
  size_t error_;
  std::vector<std::vector<size_t>> steps_of_block_;
  std::vector<std::vector<size_t>> blocks_of_step_;
  std::vector<size_t> last_of_group_;
};

}  // namespace

Splice SpliceProof(std::string_view text, const Hole& hole, std::string_view tactics) {
  const Block block(tactics);
  const std::string_view newline = core::PreferredNewline(text);
  const bool term = hole.position == HolePosition::kTerm;
  const size_t hole_begin = std::min(hole.begin, text.size());
  const size_t hole_end = std::clamp(hole.end, hole_begin, text.size());
  const bool wrap = Holds(hole.wrap, block.several());
  const bool own_line = term || (!wrap && Holds(hole.own_line, block.several_lines()));
  const bool drops_blanks = own_line && !term;

  Splice splice;
  splice.text = text.substr(0, drops_blanks ? BeforeBlanks(text, hole_begin) : hole_begin);
  if (hole.bullet < hole_begin) splice.text.insert(hole.bullet, "· ");
  if (wrap) splice.text += "(";
  if (term) splice.text += "by";
  splice.indent = own_line ? hole.fresh_column : hole.column + (wrap ? 1 : 0);
  if (own_line) splice.text.append(newline).append(splice.indent, ' ');
  splice.begin = splice.text.size();
  splice.text += block.At(splice.indent, newline);
  splice.end = splice.text.size();
  // Nothing may follow a line comment on its line.
  if (block.ends_in_line_comment() && (wrap || LineGoesOn(text, hole_end))) {
    splice.text.append(newline).append(splice.indent, ' ');
  }
  if (wrap) splice.text += ")";
  splice.text += text.substr(hole_end);
  return splice;
}

std::string ValueOf(std::string_view tactics) { return " := by\n  " + Block(tactics).At(2, "\n"); }

bool UsesSorry(std::string_view code) {
  const std::vector<Token> tokens = LexCode(code);
  return std::any_of(tokens.begin(), tokens.end(), [code](const Token& token) {
    const std::string_view word = TextOf(code, token);
    return word == "sorry" || word == "admit" || word == "stop" || word.ends_with("sorryAx");
  });
}

bool IsBalanced(std::string_view code) {
  std::vector<BracketKind> open;
  for (const Token& token : Lex(code)) {
    if (token.unterminated) return false;
    if (token.kind != TokenKind::kSymbol) continue;
    const std::string_view word = TextOf(code, token);
    const BracketKind opens = OpeningBracket(word);
    if (opens != BracketKind::kNone) open.push_back(opens);
    const BracketKind closes = ClosingBracket(word);
    if (closes == BracketKind::kNone) continue;
    if (open.empty() || open.back() != closes) return false;
    open.pop_back();
  }
  return open.empty();
}

bool IsSelfContained(std::string_view tactics) {
  return IsBalanced(tactics) && !HasCommand(tactics);
}

std::vector<TacticSegment> SplitTactics(std::string_view tactics) {
  const std::vector<Token> all = Lex(tactics);
  const ParsedBlock parsed(tactics);
  std::vector<TacticSegment> segments;
  size_t next = 0;  // the first token not yet in a segment
  for (const TacticStep& step : parsed.structure.steps) {
    if (step.block != 0) continue;
    // The `;` between two steps belongs to neither.
    while (!all[next].IsTrivia() && all[next].begin < parsed.BeginOf(step)) ++next;
    TacticSegment segment{all[next].begin, parsed.BeginOf(step), parsed.EndOf(step)};
    while (next < all.size() && all[next].begin < segment.end) ++next;
    // Comments on the line where the step ends.
    for (; next < all.size() && all[next].IsTrivia() && !all[next].first_on_line; ++next) {
      segment.end = all[next].end;
    }
    segments.push_back(segment);
  }
  return segments;
}

std::string_view TruncateAtError(std::string_view tactics, size_t error_offset) {
  return tactics.substr(0, Truncation(tactics, error_offset).Run());
}

}  // namespace zermelo::syntax
