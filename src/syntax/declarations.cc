#include "syntax/declarations.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "syntax/commands.h"
#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

constexpr WordSet kProvable({"example", "instance", "lemma", "theorem"});
constexpr WordSet kInductive({"class", "class inductive", "coinductive", "inductive", "structure"});

class DeclarationReader {
 public:
  DeclarationReader(std::string_view text, std::span<const Token> tokens)
      : text_(text), tokens_(tokens) {
    for (const Token& token : tokens_) {
      indents_.push_back(token.first_on_line ? token.column : indents_.back());
    }
  }

  std::vector<Declaration> Run(std::span<const Command> commands) {
    for (size_t i = 0; i < commands.size(); ++i) {
      const size_t end =
          i + 1 < commands.size() ? commands[i + 1].begin : EndOfCode(commands[i].begin);
      const std::string_view word = Word(commands[i].keyword);
      if (IsDeclarationKeyword(word)) {
        if (!IsDeriving(commands[i])) Read(commands[i], end);
      } else {
        FollowScope(commands[i].keyword, end);
      }
    }
    return std::move(declarations_);
  }

 private:
  std::string_view Word(size_t i) const { return WordAt(text_, tokens_, i); }

  // The last command ends at `#exit`.
  size_t EndOfCode(size_t i) const {
    while (i < tokens_.size() && Word(i) != "#exit") ++i;
    return i;
  }

  bool IsDeriving(const Command& command) const {
    return command.keyword > command.begin && Word(command.keyword - 1) == "deriving";
  }

  void FollowScope(size_t keyword, size_t end) {
    const std::string_view word = Word(keyword);
    const bool named = keyword + 1 < end && tokens_[keyword + 1].kind == TokenKind::kWord;
    const auto names = NameComponents(named ? Word(keyword + 1) : std::string_view());
    if (word == "namespace") {
      for (const std::string_view name : names) scopes_.push_back({true, name});
    } else if (word == "section") {
      scopes_.resize(scopes_.size() + std::max<size_t>(names.size(), 1));
    } else if (word == "mutual") {
      scopes_.emplace_back();
    } else if (word == "end") {
      const size_t closed = std::max<size_t>(names.size(), 1);
      scopes_.resize(scopes_.size() - std::min(closed, scopes_.size()));
    }
  }

  std::string FullName(std::string_view name) const {
    if (name.empty()) return {};
    const std::string_view from_root = WithoutRoot(name);
    if (from_root.size() < name.size()) return std::string(from_root);
    std::string full;
    for (const Scope& scope : scopes_) {
      if (scope.is_namespace) full.append(scope.name).append(".");
    }
    return full.append(name);
  }

  // Token after the keyword and, for an instance, its `(priority := …)`.
  size_t NameToken(size_t keyword, size_t end) const {
    size_t i = keyword + 1;
    if (Word(keyword) != "instance" || Word(i) != "(" || Word(i + 1) != "priority") return i;
    while (i < end && Word(i) != ")") ++i;
    return i + 1;
  }

  void Read(const Command& command, size_t end) {
    size_t keyword = command.keyword;
    Declaration declaration;
    declaration.keyword = Word(keyword);
    declaration.line = tokens_[keyword].line + 1;
    declaration.indent = indents_[keyword];
    if (IsTwoWordKeyword(Word(keyword), Word(keyword + 1)) && keyword + 1 < end) {
      declaration.keyword.append(" ").append(Word(++keyword));
    }
    size_t head = keyword;  // last token before the signature
    const size_t name = NameToken(keyword, end);
    const bool named = name < end && tokens_[name].kind == TokenKind::kWord &&
                       declaration.keyword != "example" && Word(name) != "where";
    if (named) {
      declaration.name = Word(name);
      declaration.full_name = FullName(declaration.name);
      head = name;
    }
    const size_t value = FindValue(head + 1, end, kInductive.Contains(declaration.keyword));
    const size_t last = tokens_[end - 1].end;
    declaration.range = {tokens_[command.begin].begin, last};
    declaration.value = {value < end ? tokens_[value].begin : last, last};
    declaration.signature = {tokens_[head].end, tokens_[value - 1].end};
    AddHoles(declaration, head + 1, value, end);
    declarations_.push_back(std::move(declaration));
  }

  // First token of the value in [begin, end), or end. A `|` begins the value only if its own `=>`
  // follows; otherwise it belongs to an absolute value or a divisibility.
  size_t FindValue(size_t begin, size_t end, bool inductive) const {
    size_t depth = 0;
    size_t assignments = 0;  // pending `:=` of a let or have
    size_t arrows = 0;       // pending `=>` of a fun
    size_t bar = kNowhere;
    bool in_match = false;
    for (size_t i = begin; i < end; ++i) {
      const std::string_view word = Word(i);
      if (OpeningBracket(word) != BracketKind::kNone) ++depth;
      if (ClosingBracket(word) != BracketKind::kNone && depth > 0) --depth;
      if (depth > 0) continue;
      if (word == "where") return i;
      if (word == "|" && inductive) return i;
      if (word == "|" && bar == kNowhere && !in_match) bar = i;
      if (word == "match") in_match = true;
      if (word == "let" || word == "have") ++assignments;
      if (word == "fun" || word == "λ") ++arrows;
      if (word == ":=") {
        if (assignments == 0) return i;
        --assignments;
      }
      if (word == "=>" && !in_match) {
        if (arrows == 0 && bar != kNowhere) return bar;
        if (arrows > 0) --arrows;
      }
    }
    return end;
  }

  void AddHoles(Declaration& declaration, size_t begin, size_t value, size_t end) const {
    const bool provable = kProvable.Contains(declaration.keyword);
    const auto add = [&](size_t from, size_t to, bool signature) {
      auto found = AnalyzeValue(text_, tokens_.subspan(from, to - from), declaration.indent);
      for (Hole& hole : found.holes) {
        DeclarationHole added{std::move(hole)};
        added.in_definition = !provable;
        added.in_signature = signature;
        added.in_default =
            kInductive.Contains(declaration.keyword) && FollowsAssignmentBy(added.begin);
        added.provable = !signature && !added.in_default && (provable || added.in_proof);
        declaration.holes.push_back(std::move(added));
      }
    };
    if (begin < value) add(begin, value, true);
    if (value < end) add(value, end, false);
  }

  /// Whether `:= by` stands before the token that begins here.
  bool FollowsAssignmentBy(size_t begin) const {
    const auto at = std::ranges::lower_bound(tokens_, begin, {}, &Token::begin) - tokens_.begin();
    return at >= 2 && Word(static_cast<size_t>(at) - 1) == "by" &&
           Word(static_cast<size_t>(at) - 2) == ":=";
  }

  struct Scope {
    bool is_namespace = false;
    std::string_view name;
  };

  std::string_view text_;
  std::span<const Token> tokens_;
  std::vector<size_t> indents_;  // of each token's line
  std::vector<Scope> scopes_;
  std::vector<Declaration> declarations_;
};

// Last token of `module`, `prelude` and the imports, or kNowhere; adds the modules to `imports`.
size_t ReadHeader(std::string_view text, std::span<const Token> tokens,
                  std::vector<std::string>* imports) {
  size_t last = kNowhere;
  for (size_t i = 0; i < tokens.size();) {
    size_t j = i;
    std::string_view word = TextOf(text, tokens[j]);
    if (word == "module" || word == "prelude") {
      last = i++;
      continue;
    }
    while ((word == "public" || word == "meta") && j + 1 < tokens.size())
      word = TextOf(text, tokens[++j]);
    if (word != "import" || j + 1 >= tokens.size()) return last;
    word = TextOf(text, tokens[++j]);
    const bool all = word == "all" && j + 1 < tokens.size() && tokens[j + 1].line == tokens[j].line;
    if (all) word = TextOf(text, tokens[++j]);
    if (tokens[j].kind != TokenKind::kWord) return last;
    imports->emplace_back(word);
    last = j;
    i = j + 1;
  }
  return last;
}

}  // namespace

bool Declaration::IsInductive() const { return kInductive.Contains(keyword); }

bool Declaration::HasProvableHole() const {
  return std::ranges::any_of(holes, &DeclarationHole::provable);
}

std::string Declaration::DisplayName() const {
  return full_name.empty() ? fmt::format("{} (line {})", keyword, line) : full_name;
}

bool Declaration::MatchesName(std::string_view wanted) const {
  return IsNamed(wanted) || full_name.ends_with(fmt::format(".{}", wanted));
}

const Declaration* DeclarationAt(std::span<const Declaration> declarations, size_t offset) {
  const auto last = std::find_if(declarations.rbegin(), declarations.rend(),
                                 [&](const Declaration& d) { return d.range.Touches(offset); });
  return last == declarations.rend() ? nullptr : &*last;
}

std::vector<Declaration> FindDeclarations(std::string_view text, std::span<const Token> tokens,
                                          std::span<const Command> commands) {
  return DeclarationReader(text, tokens).Run(commands);
}

std::vector<Declaration> FindDeclarations(std::string_view text) {
  const std::vector<Token> tokens = LexCode(text);
  return FindDeclarations(text, tokens, FindCommands(text, tokens));
}

size_t HeaderEnd(std::string_view text) {
  const std::vector<Token> all = Lex(text);
  std::vector<Token> code = all;
  std::erase_if(code, [](const Token& token) { return token.IsTrivia(); });
  std::vector<std::string> imports;
  const size_t last = ReadHeader(text, code, &imports);
  size_t end = 0;
  if (last != kNowhere) {
    end = code[last].end;
  } else {
    const auto first_code =
        std::find_if(all.begin(), all.end(), [](const Token& t) { return !t.IsTrivia(); });
    if (first_code == all.begin()) return 0;
    end = std::prev(first_code)->end;
  }
  // Skip to the next line unless code follows on this one.
  const size_t next = text.find_first_not_of(" \t\r", end);
  if (next == text.npos) return text.size();
  return text[next] == '\n' ? next + 1 : end;
}

std::vector<std::string> ImportedModules(std::string_view text) {
  std::vector<std::string> imports;
  ReadHeader(text, LexCode(text), &imports);
  return imports;
}

bool IsPrelude(std::string_view text) {
  const auto tokens = LexCode(text);
  const size_t first = WordAt(text, tokens, 0) == "module" ? 1 : 0;
  return WordAt(text, tokens, first) == "prelude";
}

std::vector<std::string> ModulesToSearch(std::string_view text) {
  std::vector<std::string> modules = ImportedModules(text);
  if (modules.empty() && !IsPrelude(text)) modules.emplace_back("Init");
  return modules;
}

std::string StatementOnly(std::string_view text, const Declaration& declaration) {
  const auto [begin, end] = declaration.range;
  if (declaration.value.empty()) return std::string(text.substr(begin, end - begin));
  return std::string(text.substr(begin, declaration.signature.end - begin)) + " := by sorry";
}

}  // namespace zermelo::syntax
