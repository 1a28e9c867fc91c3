#include "policy/arith/term.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "syntax/file_constants.h"
#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::policy {
namespace {

constexpr int kMaxDepth = 200;
constexpr size_t kMaxLength = 20'000;

struct TermToken {
  enum class Kind { kNumber, kWord, kSymbol, kEnd } kind = Kind::kEnd;
  std::string_view text;
  size_t begin = 0;
};

// Characters that Lean's lexer takes for symbols and that end a word here, too. All others that are
// not ASCII (`√`, `∑`, `⁻¹`) are read as letters.
constexpr syntax::WordSet kSymbols({"∧", "∨", "¬", "→", "↔", "∀", "∃", "≤", "≥", "≠", "∣",
                                    "↑", "⟨", "⟩", "∈", "∉", "λ", "Σ", "×", "∘", "⋯", "⊢",
                                    "←", "⇑", "∅", "⊆", "∪", "∩", "‖", "⦃", "⦄"});

TermToken::Kind KindOf(const syntax::Token& token, std::string_view text) {
  if (token.kind == syntax::TokenKind::kNumber) return TermToken::Kind::kNumber;
  const bool letter = static_cast<unsigned char>(text[0]) >= 0x80 && !kSymbols.Contains(text);
  const bool word = token.kind == syntax::TokenKind::kWord && text[0] != '#';
  return word || letter ? TermToken::Kind::kWord : TermToken::Kind::kSymbol;
}

std::vector<TermToken> Tokenize(std::string_view text) {
  std::vector<TermToken> tokens;
  const std::vector<syntax::Token> read = syntax::LexPrinted(text);
  for (size_t i = 0; i < read.size(); ++i) {
    const TermToken token{KindOf(read[i], syntax::TextOf(text, read[i])),
                          syntax::TextOf(text, read[i]), read[i].begin};
    TermToken* before = tokens.empty() ? nullptr : &tokens.back();
    const bool glued = before != nullptr && before->kind == TermToken::Kind::kWord &&
                       before->begin + before->text.size() == token.begin;
    const bool dot =
        token.text == "." && i + 1 < read.size() && read[i + 1].begin == read[i].end &&
        KindOf(read[i + 1], syntax::TextOf(text, read[i + 1])) == TermToken::Kind::kWord;
    if (glued && (dot || token.kind != TermToken::Kind::kSymbol)) {  // x⁻¹.den
      before->text = text.substr(before->begin, read[i].end - before->begin);
    } else {
      tokens.push_back(token);
    }
  }
  tokens.push_back({TermToken::Kind::kEnd, {}, text.size()});
  return tokens;
}

struct Binary {
  int left;   // the least precedence of the left side
  int right;  // and of the right
};

// Not all of retrieve::FindSymbol's: an operator that is missing here makes its term opaque.
std::optional<Binary> BinaryOperator(std::string_view op) {
  if (op == "↔") return Binary{21, 21};
  if (op == "→") return Binary{26, 25};
  if (op == "∨") return Binary{31, 30};
  if (op == "∧") return Binary{36, 35};
  if (op == "=" || op == "≠" || op == "<" || op == "≤" || op == ">" || op == "≥" || op == "∣" ||
      op == "∈" || op == "∉" || op == "==") {
    return Binary{51, 51};
  }
  if (op == "||") return Binary{30, 31};
  if (op == "&&") return Binary{35, 36};
  if (op == "+" || op == "-" || op == "++") return Binary{65, 66};
  if (op == "::") return Binary{68, 67};
  if (op == "*" || op == "/" || op == "%") return Binary{70, 71};
  if (op == "^") return Binary{76, 75};
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(Tokenize(text)) {}

  // Null if the text cannot be parsed.
  TermPtr ParseAll() {
    TermPtr term = Parse(0, 0);
    return term && Peek().kind == TermToken::Kind::kEnd ? term : nullptr;
  }

 private:
  const TermToken& Peek() const { return tokens_[position_]; }
  bool PeekIs(std::string_view symbol) const { return Peek().text == symbol; }
  const TermToken& Next() { return tokens_[std::min(position_++, tokens_.size() - 1)]; }
  bool Accept(std::string_view symbol) {
    if (!PeekIs(symbol)) return false;
    ++position_;
    return true;
  }

  // The text that was read since the token at index `from`.
  std::string TextSince(size_t from) const {
    const TermToken& last = tokens_[position_ - 1];
    const size_t begin = tokens_[from].begin;
    return std::string(text_.substr(begin, last.begin + last.text.size() - begin));
  }

  TermPtr Make(TermKind kind, std::string_view head, std::vector<TermPtr> args, size_t from) {
    auto term = std::make_shared<Term>();
    term->kind = kind;
    term->head = head;
    term->args = std::move(args);
    term->text = TextSince(from);
    return term;
  }

  TermPtr Parse(int precedence, int depth) {
    if (depth > kMaxDepth) return nullptr;
    const size_t from = position_;
    TermPtr left = ParsePrefix(depth + 1);
    while (left && Peek().kind == TermToken::Kind::kSymbol) {
      const std::string_view op = Peek().text;
      const auto binary = BinaryOperator(op);
      if (!binary || binary->left <= precedence) break;
      ++position_;
      TermPtr right = Parse(binary->right - 1, depth + 1);
      if (!right) return nullptr;
      left = Make(TermKind::kOperator, op, {left, right}, from);
    }
    return left;
  }

  TermPtr ParsePrefix(int depth) {
    const size_t from = position_;
    if (Accept("¬")) {
      TermPtr body = Parse(39, depth);
      return body ? Make(TermKind::kOperator, "¬", {body}, from) : nullptr;
    }
    if (Accept("-")) {
      TermPtr body = Parse(74, depth);
      return body ? Make(TermKind::kOperator, "-", {body}, from) : nullptr;
    }
    if (PeekIs("∀") || PeekIs("∃")) return ParseBinder(depth);
    return ParseApplication(depth);
  }

  bool BeginsGroup() const { return PeekIs("(") || PeekIs("{") || PeekIs("⦃") || PeekIs("["); }

  TermPtr ParseBinder(int depth) {
    const size_t from = position_;
    const std::string head(Next().text);
    auto term = std::make_shared<Term>();
    term->kind = TermKind::kBinder;
    term->head = head;
    const bool parenthesized = BeginsGroup();
    if (parenthesized) ++position_;
    while (Peek().kind == TermToken::Kind::kWord) term->names.emplace_back(Next().text);
    const size_t bound_from = position_;
    for (int open = 0; Peek().kind != TermToken::Kind::kEnd; ++position_) {
      const int nesting = syntax::Nesting(Peek().text);
      if (open == 0 && (PeekIs(",") || (parenthesized && nesting < 0))) break;
      open += nesting;
    }
    if (position_ > bound_from) term->bound = TextSince(bound_from);
    if (parenthesized) ++position_;
    if (position_ >= tokens_.size()) return nullptr;
    TermPtr body;
    if (Accept(",")) {
      body = Parse(0, depth + 1);
    } else if (BeginsGroup()) {  // ∀ (a : A) (b : B), …
      body = ParseMoreBinders(head, depth + 1);
    }
    if (!body) return nullptr;
    term->args = {body};
    term->text = TextSince(from);
    return term;
  }

  // The rest of `∀ (a : A) (b : B), …` after its first group, as a separate binder.
  TermPtr ParseMoreBinders(const std::string& head, int depth) {
    if (depth > kMaxDepth || position_ == 0) return nullptr;
    --position_;  // ParseBinder reads its head from the token here
    TermPtr rest = ParseBinder(depth);
    if (!rest) return nullptr;
    auto copy = std::make_shared<Term>(*rest);
    copy->head = head;
    return copy;
  }

  TermPtr ParseApplication(int depth) {
    const size_t from = position_;
    TermPtr function = ParseAtom(depth);
    if (!function) return nullptr;
    std::vector<TermPtr> args;
    while (StartsAtom()) {
      TermPtr arg = ParseAtom(depth);
      if (!arg) return nullptr;
      args.push_back(arg);
    }
    if (args.empty()) return function;
    if (function->kind == TermKind::kApply) {  // m.gcd n
      args.insert(args.begin(), function->args.begin(), function->args.end());
      return Make(TermKind::kApply, function->head, std::move(args), from);
    }
    if (function->kind != TermKind::kName)
      return Make(TermKind::kOpaque, "", std::move(args), from);
    std::string_view head = function->head;
    if (head.starts_with("Nat.") || head.starts_with("Int.")) head.remove_prefix(4);
    return Make(TermKind::kApply, head, std::move(args), from);
  }

  bool StartsAtom() const {
    const TermToken& token = Peek();
    if (token.kind == TermToken::Kind::kNumber) return true;
    if (token.kind == TermToken::Kind::kWord) {
      return token.text != "then" && token.text != "else" && token.text != "with";
    }
    return token.text == "(" || token.text == "↑" || token.text == "[" || token.text == "⟨" ||
           token.text == "?";
  }

  TermPtr ParseAtom(int depth) {
    if (depth > kMaxDepth) return nullptr;
    const size_t from = position_;
    const TermToken token = Peek();
    if (token.kind == TermToken::Kind::kNumber) {
      ++position_;
      return Make(TermKind::kNumeral, token.text, {}, from);
    }
    if (token.kind == TermToken::Kind::kWord) {
      if (token.text == "if" || token.text == "match" || token.text == "let") return nullptr;
      if (token.text == "fun") return SkipFunction();
      ++position_;
      return SplitProjection(Make(TermKind::kName, token.text, {}, from));
    }
    if (Accept("↑")) {
      TermPtr body = ParseAtom(depth + 1);
      return body ? Make(TermKind::kCast, "↑", {body}, from) : nullptr;
    }
    if (PeekIs("(")) return ParseParenthesized(depth);
    return SkipBrackets(from);
  }

  // `x.den` of a variable x is `den` applied to x, and `x.num.abs` is `abs` applied to that;
  // `Nat.le` stays a name.
  static TermPtr SplitProjection(TermPtr name) {
    const std::string_view variable = syntax::NamespaceOf(name->head);
    if (!syntax::BeginsWithVariable(variable)) return name;
    auto object = std::make_shared<Term>();
    object->kind = TermKind::kName;
    object->head = object->text = variable;
    auto apply = std::make_shared<Term>(*name);
    apply->kind = TermKind::kApply;
    apply->head = syntax::LastComponent(name->head);
    apply->args = {SplitProjection(std::move(object))};
    return apply;
  }

  TermPtr ParseParenthesized(int depth) {
    const size_t from = position_;
    ++position_;
    TermPtr body = Parse(0, depth + 1);
    if (body && PeekIs(":")) {  // (x : T)
      while (!PeekIs(")") && Peek().kind != TermToken::Kind::kEnd) ++position_;
    }
    if (!body || !Accept(")")) {
      position_ = from;
      body = SkipBrackets(from);
    }
    while (body && PeekIs(".") && tokens_[position_ + 1].kind == TermToken::Kind::kWord) {
      ++position_;
      const std::string_view field = Next().text;
      body = Make(TermKind::kApply, field, {body}, from);
    }
    if (body && Accept("⁻¹")) body = Make(TermKind::kOperator, "⁻¹", {body}, from);
    return body;
  }

  // `fun x => …`: opaque, to the end of what it is in.
  TermPtr SkipFunction() {
    const size_t from = position_;
    for (int open = 0; Peek().kind != TermToken::Kind::kEnd; ++position_) {
      const int nesting = syntax::Nesting(Peek().text);
      if (open == 0 && (PeekIs(",") || nesting < 0)) break;
      open += nesting;
    }
    return Make(TermKind::kOpaque, "", {}, from);
  }

  // [1, 2], ⟨a, b⟩, {x | p}: opaque, but balanced.
  TermPtr SkipBrackets(size_t from) {
    int depth = 0;
    do {
      depth += syntax::Nesting(Next().text);
      if (position_ >= tokens_.size()) return nullptr;
    } while (depth > 0);
    return depth < 0 || position_ == from ? nullptr : Make(TermKind::kOpaque, "", {}, from);
  }

  std::string_view text_;
  std::vector<TermToken> tokens_;
  size_t position_ = 0;
};

}  // namespace

TermPtr ParseTerm(std::string_view text) {
  if (text.size() <= kMaxLength) {
    if (TermPtr term = Parser(text).ParseAll()) return term;
  }
  auto opaque = std::make_shared<Term>();
  opaque->text = text;
  return opaque;
}

std::optional<int64_t> NumeralValue(const Term& term) {
  if (term.Is("-") && term.args.size() == 1) {
    const auto value = NumeralValue(*term.args[0]);
    return value ? std::optional(-*value) : std::nullopt;
  }
  if (term.kind == TermKind::kCast) return NumeralValue(*term.args[0]);
  if (term.kind != TermKind::kNumeral) return std::nullopt;
  int64_t value = 0;
  const char* end = term.head.data() + term.head.size();
  const auto [stop, error] = std::from_chars(term.head.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

void Visit(const Term& term, const std::function<void(const Term&)>& visit) {
  visit(term);
  for (const TermPtr& arg : term.args) Visit(*arg, visit);
}

bool Mentions(const Term& term, std::string_view name) {
  bool found = false;
  Visit(term, [&](const Term& part) {
    if (part.kind == TermKind::kName || part.kind == TermKind::kApply) found |= part.head == name;
    if (part.kind != TermKind::kOpaque && part.kind != TermKind::kBinder) return;
    // Unparsed text: look for the word.
    const std::string& text = part.kind == TermKind::kBinder ? part.bound : part.text;
    for (const TermToken& token : Tokenize(text)) {
      found |=
          token.kind == TermToken::Kind::kWord &&
          (token.text == name || (token.text.starts_with(name) && token.text[name.size()] == '.'));
    }
  });
  return found;
}

bool Subtracts(const Term& term) {
  bool found = false;
  Visit(term, [&](const Term& part) { found |= part.Is("-"); });
  return found;
}

std::string Parenthesized(const Term& term) {
  const bool word = term.kind == TermKind::kNumeral || term.kind == TermKind::kName;
  return word ? term.text : "(" + term.text + ")";
}

std::vector<TermPtr> Conjuncts(const TermPtr& term) {
  if (!term->Is("∧")) return {term};
  std::vector<TermPtr> parts = {term->args[0]};
  for (const TermPtr& part : Conjuncts(term->args[1])) parts.push_back(part);
  return parts;
}

bool IsRelation(const Term& term) {
  if (term.kind != TermKind::kOperator || term.args.size() != 2) return false;
  const std::string& op = term.head;
  return op == "=" || op == "≠" || op == "<" || op == "≤" || op == ">" || op == "≥" || op == "∣";
}

bool IsOperation(const Term& term) {
  static constexpr std::string_view kConnectives[] = {"¬", "∧", "∨", "→", "↔"};
  return term.kind == TermKind::kOperator && !IsRelation(term) &&
         std::ranges::find(kConnectives, term.head) == std::ranges::end(kConnectives);
}

}  // namespace zermelo::policy
