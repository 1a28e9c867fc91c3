#include "retrieve/ranking/goal_symbols.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>
#include <utility>

#include "core/text.h"
#include "retrieve/statements/notation.h"

namespace zermelo::retrieve {

namespace {

constexpr size_t kMaxText = 20'000;
constexpr size_t kMaxTokens = 2000;
constexpr size_t kFewNames = 3;

// Words and symbols that stand for a constant but are not operators with arguments.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"ℕ", "Nat"},        {"ℤ", "Int"},
    {"ℚ", "Rat"},        {"ℝ", "Real"},
    {"ℂ", "Complex"},    {"∃", "Exists"},
    {"∑", "Finset.sum"}, {"∏", "Finset.prod"},
    {"√", "Real.sqrt"},  {"∅", "EmptyCollection.emptyCollection"},
    {"if", "ite"},       {"max", "Max.max"},
    {"min", "Min.min"},  {"∉", "Membership.mem"},
};
constexpr std::string_view kKeywords[] = {"fun",  "let",  "match", "with", "then", "else", "in",
                                          "have", "show", "from",  "do",   "case", "by",   "end",
                                          "∀",    "λ",    "→",     "⊢",    "_"};

struct Token {
  std::string text;
  enum class Kind { kName, kNumber, kSymbol } kind = Kind::kSymbol;
  bool glued = false;  // not preceded by whitespace
};

bool IsNameStart(char32_t c) {
  if (c < 0x80) return std::isalpha(static_cast<int>(c)) != 0 || c == U'_';
  const bool greek = c >= 0x3B1 && c <= 0x3C9 && c != 0x3BB;
  const bool upper_greek = c >= 0x391 && c <= 0x3A9 && c != 0x3A0 && c != 0x3A3;
  const bool letterlike = c >= 0x2100 && c <= 0x214F;
  const bool latin = c >= 0xC0 && c <= 0x24F && c != 0xD7 && c != 0xF7;
  return greek || upper_greek || letterlike || latin || c >= 0x1D400;
}

bool IsNamePart(char32_t c) {
  if (c < 0x80) return std::isalnum(static_cast<int>(c)) != 0 || c == U'_' || c == U'\'';
  return IsNameStart(c) || (c >= 0x2080 && c <= 0x209C) || c == 0x271D;
}

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text.substr(0, kMaxText)) {
    bool glued = false;
    while (at_ < text_.size() && tokens_.size() < kMaxTokens) {
      const auto c = core::DecodeUtf8(text_, at_);
      if (c.value < 0x80 && std::isspace(static_cast<int>(c.value)) != 0) {
        ++at_;
        glued = false;
        continue;
      }
      Token token = Next(c.value);
      token.glued = glued;
      glued = true;
      tokens_.push_back(std::move(token));
    }
  }
  const std::vector<Token>& all() const { return tokens_; }

 private:
  char32_t At(size_t at) const { return core::DecodeUtf8(text_, at).value; }

  Token Next(char32_t first) {
    const size_t begin = at_;
    if (first < 0x80 && std::isdigit(static_cast<int>(first)) != 0) {
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      return {std::string(text_.substr(begin, at_ - begin)), Token::Kind::kNumber};
    }
    if (IsNameStart(first)) {
      SkipName();
      return {std::string(text_.substr(begin, at_ - begin)), Token::Kind::kName};
    }
    if (first >= 0x80) {
      at_ += core::DecodeUtf8(text_, at_).length;
      if (first == 0x207B && At(at_) == 0xB9) at_ += core::DecodeUtf8(text_, at_).length;  // ⁻¹
    } else {
      // The longest run of punctuation that is a notation, else one character.
      constexpr size_t kLongest = 4;
      size_t length = 1;
      for (size_t n = std::min(kLongest, text_.size() - at_); n > 1; --n) {
        const std::string_view run = text_.substr(at_, n);
        if (FindSymbol(run, false) == nullptr && FindSymbol(run, true) == nullptr) continue;
        length = n;
        break;
      }
      at_ += length;
    }
    return {std::string(text_.substr(begin, at_ - begin)), Token::Kind::kSymbol};
  }

  void SkipName() {
    for (;;) {
      while (at_ < text_.size() && IsNamePart(At(at_))) at_ += core::DecodeUtf8(text_, at_).length;
      if (at_ < text_.size() && (text_[at_] == '!' || text_[at_] == '?')) {
        const bool operation = at_ + 1 < text_.size() && text_[at_ + 1] == '=';
        if (!operation) ++at_;
      }
      const bool continues =
          at_ + 1 < text_.size() && text_[at_] == '.' && IsNameStart(At(at_ + 1));
      if (!continues) return;
      ++at_;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

class Resolver {
 public:
  explicit Resolver(SymbolTable& table) : table_(table) {}

  std::vector<uint32_t> Resolve(const std::vector<Token>& tokens) {
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
    for (const std::string& name : open_) AddByLast(name);
    return std::move(found_);
  }

 private:
  static const std::string_view* Alias(std::string_view text) {
    for (const auto& [written, meant] : kAliases) {
      if (written == text) return &meant;
    }
    return nullptr;
  }

  void AddSymbol(const std::vector<Token>& tokens, size_t i, const Token* before) {
    const Token& token = tokens[i];
    if (const auto* const meant = Alias(token.text); meant != nullptr) AddNamed(*meant);
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
    const Notation* notation = FindSymbol(token.text, !operand);
    if (notation == nullptr) notation = FindSymbol(token.text, operand);
    if (notation != nullptr) AddNamed(notation->constant);
  }

  void AddName(const std::string& text) {
    if (std::find(std::begin(kKeywords), std::end(kKeywords), text) != std::end(kKeywords)) return;
    if (!seen_.insert(text).second) return;
    if (const auto* const meant = Alias(text); meant != nullptr) {
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

  /// Resolves `gcd` of an open namespace and `l.length` of a variable.
  void AddByLast(const std::string& text) {
    const std::string last = text.substr(text.rfind('.') + 1);
    const bool may_be_variable = last.size() == text.size();
    if (may_be_variable && last.size() < 3) return;
    const auto candidates = table_.EndingIn(last);
    bool any = false;
    for (const auto& candidate : candidates) {
      const std::string space = candidate.name.substr(0, candidate.name.size() - last.size());
      const bool occurs = !space.empty() &&
                          std::any_of(namespaces_.begin(), namespaces_.end(),
                                      [&](const std::string& name) { return name + "." == space; });
      if (!occurs) continue;
      Add(candidate);
      any = true;
    }
    if (any || candidates.size() > kFewNames) return;
    for (const auto& candidate : candidates) Add(candidate);
  }

  void Add(const SymbolTable::Symbol& symbol) {
    if (!ids_.insert(symbol.id).second) return;
    found_.push_back(symbol.id);
    namespaces_.push_back(symbol.name);
    const size_t dot = symbol.name.rfind('.');
    if (dot != std::string::npos) namespaces_.push_back(symbol.name.substr(0, dot));
  }

  SymbolTable& table_;
  std::unordered_set<std::string> seen_;
  std::unordered_set<uint32_t> ids_;
  std::vector<uint32_t> found_;
  std::vector<std::string> namespaces_;  // constants that occur, and their namespaces
  std::vector<std::string> open_;        // names that are not full names of constants
};

}  // namespace

std::vector<uint32_t> GoalSymbols(std::string_view text, SymbolTable& table) {
  return Resolver(table).Resolve(Tokens(text).all());
}

}  // namespace zermelo::retrieve
