#include "policy/rewriting.h"

#include <algorithm>

#include "core/text.h"
#include "syntax/goal/goal.h"
#include "syntax/signature.h"

namespace zermelo::policy {
namespace {

constexpr size_t kLeastWeight = 2;  // constants and operators that must match
constexpr size_t kMostFacts = 32;   // facts that are examined
constexpr size_t kLongest = 4000;   // bytes of a fact or of the target; longer ones are ignored

/// "(a b : Nat) {h : a < b} : T" as a goal with its binders as hypotheses. Instances are left out.
std::optional<syntax::Goal> AsGoal(std::string_view text) {
  auto signature = syntax::ParseSignature(text);
  if (!signature) return std::nullopt;
  syntax::Goal goal;
  goal.target = std::move(signature->type);
  for (syntax::Binder& binder : signature->binders) {
    if (binder.kind == syntax::BracketKind::kSquare) continue;
    syntax::Hypothesis& hypothesis = goal.hypotheses.emplace_back();
    hypothesis.names = std::move(binder.names);
    hypothesis.type = binder.type.empty() ? "_" : std::move(binder.type);
  }
  return goal;
}

/// Strips ∀ and premises from `prop` until an equation is left.
bool ReadEquation(TermPtr prop, Rule* rule) {
  for (;; prop = prop->args.back()) {
    if (prop->Is("=") || prop->Is("↔")) {
      rule->left = prop->args[0];
      rule->right = prop->args[1];
      return true;
    }
    if (prop->Is("→")) {
      ++rule->conditions;
    } else if (prop->kind == TermKind::kBinder && prop->head == "∀") {
      if (!prop->bound.starts_with(":")) ++rule->conditions;  // ∀ n > 0
      const std::string type(core::Trim(prop->bound.starts_with(":") ? prop->bound.substr(1) : ""));
      for (const std::string& name : prop->names) {
        rule->variables.push_back({name, type, DomainOfType(type)});
      }
    } else {
      return false;
    }
  }
}

const Variable* Find(const Rule& rule, std::string_view name) {
  const auto found = std::ranges::find(rule.variables, name, &Variable::name);
  return found == rule.variables.end() ? nullptr : &*found;
}

/// Whether a name is one letter, with primes and subscripts.
bool IsLetter(std::string_view name) {
  if (name.empty()) return false;
  const core::CodePoint first = core::DecodeUtf8(name, 0);
  const bool greek = first.value >= 0x3B1 && first.value <= 0x3C9;
  const bool latin = first.value >= 'a' && first.value <= 'z';
  if (!greek && !latin) return false;
  for (size_t i = first.length; i < name.size();) {
    const core::CodePoint next = core::DecodeUtf8(name, i);
    const bool subscript = next.value >= 0x2080 && next.value <= 0x2089;
    if (next.value != '\'' && !subscript) return false;
    i += next.length;
  }
  return true;
}

void AddUnboundLetters(Rule* rule) {
  for (const TermPtr& side : {rule->left, rule->right}) {
    Visit(*side, [&](const Term& part) {
      const bool unbound = part.kind == TermKind::kName && Find(*rule, part.head) == nullptr;
      if (unbound && IsLetter(part.head))
        rule->variables.push_back({part.head, "", Domain::kOther});
    });
  }
}

/// A match of a pattern with a term.
class Match {
 public:
  Match(const Rule& rule, const ArithmeticGoal& arith) : rule_(rule), goal_(arith) {}

  bool Fits(const Term& pattern, const Term& term) {
    if (pattern.kind == TermKind::kName) {
      if (const Variable* variable = Find(rule_, pattern.head)) return Bind(*variable, term);
    }
    if (pattern.kind == TermKind::kApply && Find(rule_, pattern.head) != nullptr) return false;
    if (pattern.kind == TermKind::kOpaque || pattern.kind == TermKind::kBinder) {
      const bool closed = std::ranges::none_of(
          rule_.variables, [&](const Variable& v) { return Mentions(pattern, v.name); });
      return closed && pattern.text == term.text;
    }
    const bool alike = pattern.kind == term.kind && pattern.head == term.head &&
                       pattern.args.size() == term.args.size();
    if (!alike) return false;
    ++weight_;
    says_more_ |= term.kind != TermKind::kNumeral && !IsRelation(term);
    for (size_t i = 0; i < pattern.args.size(); ++i) {
      if (!Fits(*pattern.args[i], *term.args[i])) return false;
    }
    return true;
  }

  bool Binds(const Term& side) const {
    return std::ranges::all_of(rule_.variables, [&](const Variable& variable) {
      return bound_.contains(variable.name) || !Mentions(side, variable.name);
    });
  }
  /// 0 if only relations and numerals match: 0 ≤ a.
  size_t weight() const { return says_more_ ? weight_ : 0; }

 private:
  bool Bind(const Variable& variable, const Term& term) {
    if (variable.domain != Domain::kOther) {
      const Domain domain = DomainOf(term, goal_);
      if (domain != Domain::kOther && domain != variable.domain) return false;
    }
    const auto [place, is_new] = bound_.emplace(variable.name, &term);
    return is_new || place->second->text == term.text;
  }

  const Rule& rule_;
  const ArithmeticGoal& goal_;
  std::map<std::string_view, const Term*> bound_;
  size_t weight_ = 0;
  bool says_more_ = false;
};

/// Operators, functions and constants, sorted.
std::vector<std::string> Heads(const Term& term) {
  std::vector<std::string> heads;
  Visit(term, [&](const Term& part) { heads.push_back(part.head); });
  std::ranges::sort(heads);
  return heads;
}

}  // namespace

std::optional<Rule> ReadRule(std::string_view name, std::string_view signature) {
  const auto goal = AsGoal(signature);
  if (!goal) return std::nullopt;
  const ArithmeticGoal arith = ReadGoal(*goal);
  Rule rule;
  rule.proof = name;
  rule.variables = arith.variables;
  rule.conditions = arith.facts.size();
  if (!ReadEquation(arith.target, &rule)) return std::nullopt;
  AddUnboundLetters(&rule);
  return rule;
}

std::optional<Rule> RuleOf(const Fact& fact) {
  Rule rule;
  rule.proof = fact.proof;
  if (!ReadEquation(fact.prop, &rule)) return std::nullopt;
  return rule;
}

RewritingPlaces::RewritingPlaces(const ArithmeticGoal& arith) : goal_(arith) {
  Add("", arith.target);
  for (size_t i = 0; i < std::min(arith.facts.size(), kMostFacts); ++i) {
    Add(arith.facts[i].hypothesis, arith.facts[i].prop);
  }
}

void RewritingPlaces::Add(const std::string& hypothesis, const TermPtr& prop) {
  if (prop->text.size() > kLongest) return;
  Visit(*prop, [&](const Term& part) { heads_.insert(part.head); });
  if (places_.empty() || places_.back().hypothesis != hypothesis)
    places_.push_back({hypothesis, {}});
  AddParts(*prop, &places_.back());
}

void RewritingPlaces::AddParts(const Term& term, Place* place) {
  place->parts[term.head].push_back(&term);
  if (term.kind == TermKind::kBinder) return;
  for (const TermPtr& part : term.args) AddParts(*part, place);
}

std::vector<Rewriting> RewritingPlaces::By(const Rule& rule) const {
  std::vector<Rewriting> rewritings;
  if (Heads(*rule.left) == Heads(*rule.right)) return rewritings;
  for (const Place& place : places_) {
    const bool itself =
        !place.hypothesis.empty() &&
        (place.hypothesis == rule.proof || rule.proof.starts_with(place.hypothesis + "."));
    if (itself) continue;
    for (const bool backwards : {false, true}) {
      const Term& from = backwards ? *rule.right : *rule.left;
      const Term& to = backwards ? *rule.left : *rule.right;
      const size_t weight = HeaviestMatch(rule, from, to, place);
      if (weight < kLeastWeight) continue;
      rewritings.push_back({.rule = (backwards ? "← " : "") + rule.proof,
                            .place = place.hypothesis,
                            .merit = Merit(weight, rule, to)});
    }
  }
  return rewritings;
}

/// The weight of the heaviest match; 0: there is none.
size_t RewritingPlaces::HeaviestMatch(const Rule& rule, const Term& from, const Term& to,
                                      const Place& place) const {
  const auto parts = place.parts.find(from.head);
  if (parts == place.parts.end() || Find(rule, from.head) != nullptr) return 0;
  size_t heaviest = 0;
  for (const Term* part : parts->second) {
    Match match(rule, goal_);
    if (match.Fits(from, *part) && match.Binds(to)) heaviest = std::max(heaviest, match.weight());
  }
  return heaviest;
}

double RewritingPlaces::Merit(size_t weight, const Rule& rule, const Term& to) const {
  std::set<std::string_view> unknown;
  Visit(to, [&](const Term& part) {
    const bool counts = part.kind != TermKind::kNumeral && !heads_.contains(part.head) &&
                        Find(rule, part.head) == nullptr;
    if (counts) unknown.insert(part.head);
  });
  return static_cast<double>(weight) - static_cast<double>(unknown.size() + rule.conditions) / 2;
}

}  // namespace zermelo::policy
