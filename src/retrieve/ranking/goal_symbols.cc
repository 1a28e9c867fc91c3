#include "retrieve/ranking/goal_symbols.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "retrieve/statements/notation.h"
#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::retrieve {

namespace {

constexpr size_t kMaxText = 20'000;
constexpr size_t kMaxTokens = 2000;
constexpr size_t kFewNames = 3;

// Words and symbols that stand for a constant but are not operators with arguments.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"ℂ", "Complex"},        {"∃", "Exists"},    {"∑", "Finset.sum"},
    {"∏", "Finset.prod"},    {"√", "Real.sqrt"}, {"∅", "EmptyCollection.emptyCollection"},
    {"if", "ite"},           {"max", "Max.max"}, {"min", "Min.min"},
    {"∉", "Membership.mem"},
};
constexpr std::string_view kKeywords[] = {"fun",  "let",  "match", "with", "then", "else", "in",
                                          "have", "show", "from",  "do",   "case", "by",   "end",
                                          "∀",    "λ",    "→",     "⊢",    "_"};

struct Token {
  std::string text;
  enum class Kind { kName, kNumber, kSymbol } kind = Kind::kSymbol;
  bool glued = false;  // not preceded by whitespace
};

/// Symbols that are joined to one, such as `<+:`, have a notation.
bool HasNotation(std::string_view symbol) { return FindSymbol(symbol) != nullptr; }

/// The end, as an index of a token, of the longest notation that begins with the symbol at `i` and
/// consists of adjacent symbols, such as `⁻¹`; else i + 1.
size_t EndOfSymbol(std::string_view text, const std::vector<syntax::Token>& tokens, size_t i) {
  constexpr size_t kLongest = 4;
  size_t end = i + 1;
  for (size_t j = i + 1; j < std::min(tokens.size(), i + kLongest); ++j) {
    if (tokens[j].kind != syntax::TokenKind::kSymbol || tokens[j].begin != tokens[j - 1].end) break;
    if (HasNotation(text.substr(tokens[i].begin, tokens[j].end - tokens[i].begin))) end = j + 1;
  }
  return end;
}

std::vector<Token> Tokenize(std::string_view text) {
  text = text.substr(0, kMaxText);
  const std::vector<syntax::Token> read = syntax::LexPrinted(text);
  std::vector<Token> tokens;
  for (size_t i = 0; i < read.size() && tokens.size() < kMaxTokens;) {
    const bool symbol = read[i].kind == syntax::TokenKind::kSymbol;
    Token token;
    token.glued = i > 0 && read[i - 1].end == read[i].begin;
    const size_t end = symbol ? EndOfSymbol(text, read, i) : i + 1;
    token.text = text.substr(read[i].begin, read[end - 1].end - read[i].begin);
    if (read[i].kind == syntax::TokenKind::kWord) token.kind = Token::Kind::kName;
    if (read[i].kind == syntax::TokenKind::kNumber) token.kind = Token::Kind::kNumber;
    i = end;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

class Resolver {
 public:
  explicit Resolver(SymbolTable& table) : table_(table) {}

  std::vector<SymbolTable::Symbol> Resolve(const std::vector<Token>& tokens) {
    const Token* before = nullptr;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      switch (token.kind) {
        case Token::Kind::kNumber:
          AddNamed("OfNat.ofNat");
          break;
        case Token::Kind::kName:
          AddName(token.text);
          break;
        case Token::Kind::kSymbol:
          AddSymbol(tokens, i, before);
          break;
      }
      before = &token;
    }
    for (const std::string& name : open_) AddOpen(name);
    return std::move(found_);
  }

 private:
  static std::optional<std::string_view> Alias(std::string_view text) {
    for (const auto& [written, meant] : kAliases) {
      if (written == text) return meant;
    }
    const std::string_view type = syntax::NumberTypeName(text);
    return type == text ? std::nullopt : std::optional(type);
  }

  void AddSymbol(const std::vector<Token>& tokens, size_t i, const Token* before) {
    const Token& token = tokens[i];
    if (const auto meant = Alias(token.text)) AddNamed(*meant);
    if (token.text == "∉") AddNamed("Not");
    if (token.text == "[") {
      const bool indexing = token.glued && before != nullptr &&
                            (before->kind == Token::Kind::kName || before->text == ")");
      if (indexing) AddNamed("GetElem.getElem");
      if (!indexing && i + 1 < tokens.size() && tokens[i + 1].text == "]") AddNamed("List.nil");
      return;
    }
    const bool operand = before != nullptr && (before->kind != Token::Kind::kSymbol ||
                                               before->text == ")" || before->text == "]");
    const Notation* const notation =
        FindSymbol(token.text, operand ? SymbolPlace::kOther : SymbolPlace::kPrefix);
    if (notation != nullptr) AddNamed(notation->constant);
  }

  void AddName(const std::string& text) {
    if (std::find(std::begin(kKeywords), std::end(kKeywords), text) != std::end(kKeywords)) return;
    if (!seen_.insert(text).second) return;
    if (const auto meant = Alias(text)) {
      AddNamed(*meant);
      return;
    }
    const auto named = table_.FindByName(text);
    if (!named.empty()) {
      Add(named.front());
      return;
    }
    open_.push_back(text);
  }

  void AddNamed(std::string_view name) {
    if (!seen_.insert(std::string(name)).second) return;
    for (const auto& symbol : table_.FindByName(std::string(name))) Add(symbol);
  }

  /// Resolves `gcd` and `Nat.gcd` of open namespaces, and both functions in `l.reverse.length`.
  void AddOpen(const std::string& text) {
    constexpr size_t kShortest = 3;  // shorter names are variables
    const std::vector<std::string_view> components = syntax::NameComponents(text);
    const bool in_namespace = text[0] >= 'A' && text[0] <= 'Z';
    if (components.size() == 1) {
      if (text.size() >= kShortest) AddByLast(text);
      return;
    }
    for (size_t i = in_namespace ? components.size() - 1 : 1; i < components.size(); ++i) {
      const bool is_part = components[i][0] >= '0' && components[i][0] <= '9';  // h.1
      if (!is_part) AddByLast(std::string(components[i]));
    }
  }

  void AddByLast(const std::string& last) {
    const auto candidates = table_.EndingIn(last);
    bool any = false;
    for (const auto& candidate : candidates) {
      const std::string_view space = syntax::NamespaceOf(candidate.name);
      if (space.empty() || std::ranges::find(namespaces_, space) == namespaces_.end()) continue;
      Add(candidate);
      any = true;
    }
    if (any || candidates.size() > kFewNames) return;
    for (const auto& candidate : candidates) Add(candidate);
  }

  void Add(const SymbolTable::Symbol& symbol) {
    if (!ids_.insert(symbol.id).second) return;
    found_.push_back(symbol);
    namespaces_.push_back(symbol.name);
    const std::string_view space = syntax::NamespaceOf(symbol.name);
    if (!space.empty()) namespaces_.emplace_back(space);
  }

  SymbolTable& table_;
  std::unordered_set<std::string> seen_;
  std::unordered_set<uint32_t> ids_;
  std::vector<SymbolTable::Symbol> found_;
  std::vector<std::string> namespaces_;  // constants that occur, and their namespaces
  std::vector<std::string> open_;        // names that are not full names of constants
};

}  // namespace

std::vector<SymbolTable::Symbol> GoalSymbols(std::string_view text, SymbolTable& table) {
  return Resolver(table).Resolve(Tokenize(text));
}

}  // namespace zermelo::retrieve
