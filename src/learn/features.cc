#include "learn/features.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/hash/hash.h"
#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::learn {
namespace {

using syntax::Token;
using syntax::TokenKind;

constexpr size_t kMostOfGoal = 96;
constexpr size_t kMostOfTarget = 64;
constexpr size_t kMostOfType = 16;
constexpr int kMaxDepth = 200;  // of nested terms

using Symbol = uint64_t;
constexpr Symbol kNoSymbol = 0;
constexpr Symbol kBound = core::Hash64("bound variable");

Symbol SymbolOf(std::string_view text) { return core::Hash64(text); }

enum class Role : uint64_t { kTarget = 1, kSymbol, kPair, kHypothesis, kBelowHypothesis };

Feature Mix(Role role, Symbol a, Symbol b = 0) {
  uint64_t hash = static_cast<uint64_t>(role) * 0x9E3779B97F4A7C15U;
  for (const uint64_t part : {a, b}) {
    hash = (hash ^ part) * 0xBF58476D1CE4E5B9U;
    hash ^= hash >> 29U;
  }
  return static_cast<Feature>(hash >> 32U);
}

/// The symbol that stands for a variable, by its name.
using Variables = std::map<std::string_view, Symbol>;

struct Parts {
  Symbol head = kNoSymbol;
  std::vector<Symbol> symbols;
  std::vector<std::pair<Symbol, Symbol>> pairs;  // a symbol and one below it
};

constexpr syntax::WordSet kBinders({"∀", "∃", "∃!", "fun", "λ", "∑", "∏", "⨆", "⨅", "Σ"});
constexpr syntax::WordSet kSeparators({",", ":", "|", "=>", "↦", ":=", "then", "else", "with", ";",
                                       "do", "in", "//"});
constexpr syntax::WordSet kPrefixes({"¬", "-", "↑", "!", "√", "⇑"});

/// Left and right precedence of an infix operator; unknown symbols bind like relations. A table of
/// its own, since features are kept in files: a change makes those of old examples differ.
std::pair<int, int> PrecedenceOf(std::string_view op) {
  struct Row {
    std::string_view op;
    int left, right;
  };
  static constexpr Row kRows[] = {{"↔", 21, 21},  {"→", 26, 25},  {"∨", 31, 30},  {"||", 31, 31},
                                  {"∧", 36, 35},  {"&&", 36, 36}, {"+", 65, 66},  {"-", 65, 66},
                                  {"++", 65, 66}, {"::", 68, 67}, {"*", 70, 71},  {"/", 70, 71},
                                  {"%", 70, 71},  {"^", 76, 75},  {"∘", 91, 90},  {"∪", 65, 66},
                                  {"∩", 70, 71},  {"$", 11, 10},  {"<|", 11, 10}, {"∣", 51, 51}};
  for (const Row& row : kRows) {
    if (row.op == op) return {row.left, row.right};
  }
  return {51, 51};
}

/// Reads a printed term as far as its brackets, applications and operators go. What it does not
/// know becomes an operator; nothing is an error.
class TermReader {
 public:
  TermReader(std::string_view text, const Variables& variables)
      : text_(text), words_(syntax::LexPrinted(text)), variables_(variables) {}

  Parts Read() {
    parts_.head = Sequence(0);
    return std::move(parts_);
  }

 private:
  std::string_view Peek() const { return at_ < words_.size() ? TextOf(text_, words_[at_]) : ""; }
  std::string_view Next() { return TextOf(text_, words_[at_++]); }
  bool AtEnd() const { return at_ >= words_.size(); }
  bool AtOpening() const { return syntax::OpeningBracket(Peek()) != syntax::BracketKind::kNone; }
  bool AtClosing() const { return syntax::ClosingBracket(Peek()) != syntax::BracketKind::kNone; }
  bool AtSeparator() const { return kSeparators.Contains(Peek()); }

  void Pair(Symbol above, Symbol below) {
    if (above != kNoSymbol && below != kNoSymbol) parts_.pairs.emplace_back(above, below);
  }
  Symbol Note(Symbol symbol) {
    parts_.symbols.push_back(symbol);
    return symbol;
  }

  /// Terms up to a closing bracket or the end; returns the head of the first.
  Symbol Sequence(int depth) {
    Symbol head = kNoSymbol;
    while (!AtEnd() && !(depth > 0 && AtClosing())) {
      const size_t before = at_;
      const Symbol next = Term(0, depth);
      if (head == kNoSymbol) head = next;
      if (at_ == before) ++at_;  // a separator, or a bracket too many
    }
    return head;
  }

  Symbol Term(int least, int depth) {
    Symbol left = Prefix(depth);
    while (!AtEnd() && words_[at_].kind == TokenKind::kSymbol && !AtSeparator() && !AtOpening() &&
           !AtClosing() && depth < kMaxDepth) {
      const auto [of_left, of_right] = PrecedenceOf(Peek());
      if (of_left <= least) break;
      const Symbol op = Note(SymbolOf(Next()));
      const Symbol right = Term(of_right - 1, depth + 1);
      Pair(op, left);
      Pair(op, right);
      left = op;
    }
    return left;
  }

  Symbol Prefix(int depth) {
    if (depth >= kMaxDepth) {
      if (!AtEnd()) ++at_;
      return kNoSymbol;
    }
    if (kBinders.Contains(Peek())) return Binder(depth);
    if (Peek() == "if") return Condition(depth);
    if (kPrefixes.Contains(Peek())) {
      const Symbol op = Note(SymbolOf(Next()));
      Pair(op, Term(74, depth + 1));
      return op;
    }
    return Application(depth);
  }

  Symbol Binder(int depth) {
    const Symbol head = Note(SymbolOf(Next()));
    bool names = true;
    while (!AtEnd() && Peek() != "," && Peek() != "=>" && Peek() != "↦") {
      const size_t before = at_;
      if (names && words_[at_].kind == TokenKind::kWord) {
        bound_.insert(Next());
      } else if (AtOpening() || AtClosing()) {
        names = true;
        ++at_;
      } else {
        names = false;
        if (!AtSeparator()) Note(SymbolOf(Peek()));
        ++at_;
        Pair(head, Term(0, depth + 1));
      }
      if (at_ == before) ++at_;
    }
    if (!AtEnd()) ++at_;
    Pair(head, Term(0, depth + 1));
    return head;
  }

  Symbol Condition(int depth) {
    const Symbol head = Note(SymbolOf(Next()));
    Pair(head, Term(0, depth + 1));
    for (const std::string_view word : {"then", "else"}) {
      if (Peek() != word) break;
      ++at_;
      Pair(head, Term(0, depth + 1));
    }
    return head;
  }

  Symbol Application(int depth) {
    const Symbol function = Atom(depth);
    while (!AtEnd() && !AtSeparator() && !kBinders.Contains(Peek()) && Peek() != "if" &&
           (AtOpening() || words_[at_].kind != TokenKind::kSymbol)) {
      Pair(function, Atom(depth));
    }
    return function;
  }

  Symbol Atom(int depth) {
    if (AtEnd() || AtClosing() || AtSeparator()) return kNoSymbol;
    const TokenKind kind = words_[at_].kind;
    const std::string_view word = Next();
    if (syntax::OpeningBracket(word) != syntax::BracketKind::kNone) {
      const bool shown = word != "(" && word != "{";
      const Symbol bracket = shown ? Note(SymbolOf(word)) : kNoSymbol;
      const Symbol inside = Sequence(depth + 1);
      if (AtClosing()) ++at_;
      Pair(bracket, inside);
      return shown ? bracket : inside;
    }
    if (kind == TokenKind::kNumber) return Note(Number(word));
    if (kind == TokenKind::kWord) return Name(word);
    return Note(SymbolOf(word));
  }

  static Symbol Number(std::string_view digits) {
    return SymbolOf(digits.size() <= 1 ? digits : std::string_view("a number"));
  }

  /// A variable, `x.f` of a variable (then `f` is above it), or a constant.
  Symbol Name(std::string_view name) {
    const std::string_view first = syntax::NameComponents(name).front();
    Symbol variable = kNoSymbol;
    if (bound_.contains(first)) variable = kBound;
    if (const auto known = variables_.find(first); known != variables_.end())
      variable = known->second;
    if (variable == kNoSymbol) return Note(SymbolOf(syntax::LastComponent(name)));
    Note(variable);
    if (first.size() == name.size()) return variable;
    const Symbol field = Note(SymbolOf(syntax::LastComponent(name)));
    Pair(field, variable);
    return field;
  }

  const std::string_view text_;
  const std::vector<Token> words_;
  const Variables& variables_;
  std::set<std::string_view> bound_;  // never forgotten: the same name is rarely free, too
  size_t at_ = 0;
  Parts parts_;
};

/// The first word of a type, or its arrow.
Symbol HeadOfType(std::string_view type) {
  if (type.find("→") != std::string_view::npos) return SymbolOf("→");
  for (const Token& token : syntax::LexCode(type)) {
    const std::string_view word = TextOf(type, token);
    if (token.kind == TokenKind::kWord) return SymbolOf(syntax::LastComponent(word));
  }
  return SymbolOf(type);
}

Variables VariablesOf(const syntax::Goal& goal) {
  std::set<std::string_view> names;
  for (const auto& hypothesis : goal.hypotheses) {
    names.insert(hypothesis.names.begin(), hypothesis.names.end());
  }
  Variables variables;
  for (const auto& hypothesis : goal.hypotheses) {
    const bool of_variable_type = names.contains(hypothesis.type);
    const Symbol head = of_variable_type ? SymbolOf("a type") : HeadOfType(hypothesis.type);
    for (const std::string& name : hypothesis.names) variables[name] = head;
  }
  return variables;
}

std::vector<Feature> Distinct(std::vector<Feature> features) {
  std::ranges::sort(features);
  const auto repeated = std::ranges::unique(features);
  features.erase(repeated.begin(), repeated.end());
  return features;
}

/// Adds a feature unless it is there or there are `most`.
void Add(Feature feature, size_t most, std::vector<Feature>* features) {
  if (features->size() >= most) return;
  if (std::ranges::find(*features, feature) == features->end()) features->push_back(feature);
}

void AddType(std::string_view type, const Variables& variables, size_t most,
             std::vector<Feature>* features) {
  const Parts parts = TermReader(type, variables).Read();
  Add(Mix(Role::kHypothesis, parts.head), most, features);
  for (const Symbol symbol : parts.symbols)
    Add(Mix(Role::kBelowHypothesis, symbol), most, features);
}

}  // namespace

std::vector<Feature> FeaturesOf(const syntax::Goal& goal) {
  const Variables variables = VariablesOf(goal);
  std::vector<Feature> features;
  const Parts target = TermReader(goal.target, variables).Read();
  Add(Mix(Role::kTarget, target.head), kMostOfTarget, &features);
  for (const Symbol symbol : target.symbols)
    Add(Mix(Role::kSymbol, symbol), kMostOfTarget, &features);
  for (const auto& [above, below] : target.pairs)
    Add(Mix(Role::kPair, above, below), kMostOfTarget, &features);
  // The last hypotheses are the nearest to what is going on.
  for (auto each = goal.hypotheses.rbegin(); each != goal.hypotheses.rend(); ++each) {
    if (features.size() >= kMostOfGoal) break;
    AddType(each->type, variables, std::min(features.size() + kMostOfType, kMostOfGoal), &features);
  }
  return Distinct(std::move(features));
}

std::vector<std::vector<Feature>> FeaturesOfTypes(const syntax::Goal& goal) {
  const Variables variables = VariablesOf(goal);
  std::vector<std::vector<Feature>> types;
  for (const auto& hypothesis : goal.hypotheses) {
    std::vector<Feature> features;
    AddType(hypothesis.type, variables, kMostOfType, &features);
    types.push_back(Distinct(std::move(features)));
  }
  return types;
}

}  // namespace zermelo::learn
