#include "syntax/commands.h"

#include <array>
#include <utility>

#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

constexpr WordSet kDeclarationWords({"abbrev", "axiom", "class", "coinductive", "def", "example",
                                     "inductive", "instance", "lemma", "opaque", "structure",
                                     "theorem"});
// Reserved words of Lean, which begin a command wherever they occur.
constexpr WordSet kCommandWords({"abbrev",
                                 "add_decl_doc",
                                 "attribute",
                                 "axiom",
                                 "builtin_initialize",
                                 "class",
                                 "coinductive",
                                 "declare_syntax_cat",
                                 "def",
                                 "elab",
                                 "elab_rules",
                                 "end",
                                 "example",
                                 "export",
                                 "import",
                                 "include",
                                 "inductive",
                                 "infix",
                                 "infixl",
                                 "infixr",
                                 "init_quot",
                                 "initialize",
                                 "instance",
                                 "macro",
                                 "macro_rules",
                                 "mutual",
                                 "namespace",
                                 "notation",
                                 "omit",
                                 "opaque",
                                 "open",
                                 "postfix",
                                 "prefix",
                                 "register_builtin_option",
                                 "register_option",
                                 "run_cmd",
                                 "run_elab",
                                 "run_meta",
                                 "section",
                                 "set_option",
                                 "structure",
                                 "syntax",
                                 "theorem",
                                 "universe",
                                 "unif_hint",
                                 "variable"});
// Command words of libraries. They are ordinary names elsewhere, so they count only where a command
// can begin.
constexpr WordSet kSoftCommandWords({"alias", "assert_exists", "assert_not_exists",
                                     "compile_inductive", "declare_simp_like_tactic", "dsimproc",
                                     "grind_pattern", "irreducible_def", "lemma", "library_note",
                                     "proof_wanted", "recall", "register_simp_attr", "seal",
                                     "simproc", "simproc_decl", "suppress_compilation", "unseal"});
// Other `#` words, and Mathlib's cardinality `#s`, count as commands only at the beginning of a
// line.
constexpr WordSet kHashCommands({"#check_failure", "#eval!", "#exit", "#guard", "#guard_msgs"});
constexpr WordSet kQueries({"#check", "#eval", "#print", "#reduce", "#synth"});
constexpr WordSet kContextWords({"end", "export", "include", "namespace", "omit", "open", "section",
                                 "set_option", "universe", "variable"});
constexpr WordSet kModifiers({"deriving", "local", "meta", "noncomputable", "nonrec", "partial",
                              "private", "protected", "public", "scoped", "unsafe"});

constexpr bool IsOpenLike(std::string_view word) { return word == "open" || word == "set_option"; }

// Splits a file into commands.
class CommandScanner {
 public:
  CommandScanner(std::string_view text, std::span<const Token> tokens)
      : text_(text), tokens_(tokens) {}

  std::vector<Command> Run() {
    MatchBrackets();
    size_t run = kNowhere;  // start of the current doc comment, attributes and modifiers
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (Word(i) == "#exit") break;
      if (IsCommandStart(i, run)) {
        Begin(run == kNowhere ? i : run, i);
        run = kNowhere;
        if (IsTwoWordKeyword(Word(i), Word(i + 1))) ++i;
        continue;
      }
      const bool attribute = Word(i) == "@[" && match_[i] != kNowhere;
      if (attribute || IsModifier(i)) {
        if (run == kNowhere) run = i;
        if (AtMargin(i) && run == i) Begin(i, i);
      } else {
        run = kNowhere;
      }
      if (match_[i] != kNowhere) i = match_[i];
    }
    return std::move(commands_);
  }

  bool HasCommand() {
    MatchBrackets();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (IsCommandStart(i, kNowhere)) return true;
    }
    return false;
  }

 private:
  std::string_view Word(size_t i) const { return WordAt(text_, tokens_, i); }

  bool AtMargin(size_t i) const { return tokens_[i].first_on_line && tokens_[i].column == 0; }

  bool IsModifier(size_t i) const {
    const std::string_view word = Word(i);
    if (word == "deriving") return Word(i + 1) == "instance" || Word(i + 1) == "noncomputable";
    return tokens_[i].kind == TokenKind::kDocComment || kModifiers.Contains(word);
  }

  // Fills match_ with the closing token of each bracket that has one. An unclosed bracket ends at
  // the next command at the left margin, so that one mistake affects one declaration.
  void MatchBrackets() {
    match_.assign(tokens_.size(), kNowhere);
    std::vector<std::pair<size_t, BracketKind>> open;
    std::array<size_t, 7> count{};
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = Word(i);
      if (AtMargin(i) && kCommandWords.Contains(word) && !IsOpenLike(word)) {
        open.clear();
        count.fill(0);
      }
      if (const BracketKind kind = OpeningBracket(word); kind != BracketKind::kNone) {
        open.emplace_back(i, kind);
        ++count[static_cast<size_t>(kind)];
      }
      const BracketKind closes = ClosingBracket(word);
      if (closes == BracketKind::kNone || count[static_cast<size_t>(closes)] == 0) continue;
      for (bool found = false; !found; open.pop_back()) {
        const auto [token, kind] = open.back();
        found = kind == closes;
        if (found) match_[token] = i;
        --count[static_cast<size_t>(kind)];
      }
    }
  }

  bool IsCommandStart(size_t i, size_t run) {
    if (tokens_[i].kind == TokenKind::kModuleDoc) return true;
    if (tokens_[i].kind != TokenKind::kWord) return false;
    const std::string_view word = Word(i);
    if (word[0] == '#') {  // or a term: `#s`, the size of s
      return IsQuery(word) || kHashCommands.Contains(word) || BeginsLineOfCommands(i);
    }
    if (kSoftCommandWords.Contains(word)) {
      return run != kNowhere || FollowsIn(i) || BeginsLineOfCommands(i);
    }
    if (!kCommandWords.Contains(word)) return false;
    // x.end, `end
    const bool quoted = i > 0 && tokens_[i - 1].end == tokens_[i].begin &&
                        (Word(i - 1) == "." || Word(i - 1) == "`");
    if (quoted) return false;
    return !IsOpenLike(word) || OpenIsCommand(i);
  }

  bool FollowsIn(size_t i) const {
    return i > 0 && Word(i - 1) == "in" && !commands_.empty() && TakesIn(commands_.back());
  }

  // Whether the token begins a line at the left margin, or one indented no further than the
  // previous command.
  bool BeginsLineOfCommands(size_t i) const {
    if (!tokens_[i].first_on_line) return false;
    if (tokens_[i].column == 0 || commands_.empty()) return true;
    const Token& before = tokens_[commands_.back().begin];
    return before.first_on_line && tokens_[i].column <= before.column;
  }

  bool TakesIn(const Command& command) const {
    return !kDeclarationWords.Contains(Word(command.keyword));
  }

  // `open … in` and `set_option … in` also begin terms and tactics. They begin a command if a
  // command follows the last of a chain of them or if there is no `in`.
  bool OpenIsCommand(size_t i) {
    if (i < chain_end_) return chain_is_command_;
    size_t j = i;
    bool has_in = true;
    while (has_in && IsOpenLike(Word(j))) {
      j = AfterOpen(j);
      has_in = Word(j) == "in";
      if (has_in) ++j;
    }
    chain_end_ = j;
    chain_is_command_ = !has_in || StartsCommandAfterIn(j);
    return chain_is_command_;
  }

  // The token after the arguments of the `open` or `set_option` at i.
  size_t AfterOpen(size_t i) const {
    if (Word(i) == "set_option") return i + 3;
    for (++i; i < tokens_.size(); ++i) {
      const std::string_view word = Word(i);
      const bool bracket = match_[i] != kNowhere;
      if (bracket) i = match_[i];
      const bool name = tokens_[i].kind == TokenKind::kWord && word != "in" &&
                        !kCommandWords.Contains(word) && !tokens_[i].first_on_line;
      const bool symbol = word == "→" || word == "->" || word == ",";
      if (!bracket && !name && !symbol && !IsOpenedOnNextLine(i)) return i;
    }
    return i;
  }

  // `open` lists may continue on indented lines.
  bool IsOpenedOnNextLine(size_t i) const {
    const std::string_view word = Word(i);
    return tokens_[i].kind == TokenKind::kWord && tokens_[i].first_on_line &&
           tokens_[i].column > 0 && word != "in" && !kCommandWords.Contains(word) &&
           !kModifiers.Contains(word);
  }

  bool StartsCommandAfterIn(size_t i) const {
    if (i >= tokens_.size()) return true;
    const std::string_view word = Word(i);
    return IsModifier(i) || word == "@[" || kCommandWords.Contains(word) ||
           kSoftCommandWords.Contains(word) || (!word.empty() && word[0] == '#') ||
           tokens_[i].kind == TokenKind::kModuleDoc;
  }

  void Begin(size_t begin, size_t keyword) {
    if (!commands_.empty()) {
      Command& last = commands_.back();
      const bool same = last.begin == begin;
      const bool after_in = begin > 0 && Word(begin - 1) == "in" && TakesIn(last);
      if (same || after_in) {
        last.keyword = keyword;
        return;
      }
    }
    commands_.push_back({begin, keyword});
  }

  std::string_view text_;
  std::span<const Token> tokens_;
  std::vector<size_t> match_;
  std::vector<Command> commands_;
  size_t chain_end_ = 0;  // tokens before it belong to the last chain examined
  bool chain_is_command_ = false;
};

}  // namespace

bool IsDeclarationKeyword(std::string_view word) { return kDeclarationWords.Contains(word); }

bool IsQuery(std::string_view word) { return kQueries.Contains(word); }

bool GivesContext(std::string_view word) { return kContextWords.Contains(word); }

bool IsTwoWordKeyword(std::string_view first, std::string_view second) {
  return first == "class" && (second == "inductive" || second == "abbrev");
}

std::vector<Command> FindCommands(std::string_view text, std::span<const Token> tokens) {
  return CommandScanner(text, tokens).Run();
}

bool HasCommand(std::string_view text) {
  const std::vector<Token> tokens = LexCode(text);
  return CommandScanner(text, tokens).HasCommand();
}

}  // namespace zermelo::syntax
