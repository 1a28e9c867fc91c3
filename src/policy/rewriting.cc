#include "policy/rewriting.h"

#include <algorithm>
#include <map>
#include <set>

#include "lean/goal.h"

namespace zermelo::policy {
namespace {

constexpr size_t kLeastWeight = 2;  // constants and operators that must match

struct Bracket {
  std::string_view open;
  std::string_view close;
};
constexpr Bracket kBrackets[] = {{"(", ")"}, {"{", "}"}, {"[", "]"}, {"⦃", "⦄"}};

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \n") - begin + 1);
}

/// Where the bracket that `text` begins with is closed; npos if it is not.
size_t Closing(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    for (const auto& [open, close] : kBrackets) {
      if (text.substr(i).starts_with(open)) ++depth;
      if (text.substr(i).starts_with(close) && --depth == 0) return i;
    }
  }
  return std::string_view::npos;
}

/// "(a b : Nat) {h : a < b} : T" as a goal: binders are its hypotheses. Instances are left out.
std::optional<lean::Goal> AsGoal(std::string_view signature) {
  lean::Goal goal;
  for (std::string_view rest = Trimmed(signature);; rest = Trimmed(rest)) {
    if (rest.starts_with(":")) {
      goal.target = Trimmed(rest.substr(1));
      return goal;
    }
    const auto bracket = std::ranges::find_if(
        kBrackets, [&](const Bracket& each) { return rest.starts_with(each.open); });
    const size_t close = Closing(rest);
    if (bracket == std::end(kBrackets) || close == std::string_view::npos) return std::nullopt;
    const size_t inside = bracket->open.size();
    const std::string_view binder = rest.substr(inside, close - inside);
    rest.remove_prefix(close + bracket->close.size());
    const size_t colon = binder.find(" : ");
    if (bracket->open == "[" || colon == std::string_view::npos) continue;
    lean::Hypothesis hypothesis;
    for (std::string_view names = binder.substr(0, colon); !names.empty();) {
      const size_t space = names.find(' ');
      hypothesis.names.emplace_back(names.substr(0, space));
      names = space == std::string_view::npos ? "" : names.substr(space + 1);
    }
    hypothesis.type = Trimmed(binder.substr(colon + 3));
    goal.hypotheses.push_back(std::move(hypothesis));
  }
}

/// Takes ∀ and premises off `prop` until there is an equation.
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
      const std::string type(Trimmed(prop->bound.starts_with(":") ? prop->bound.substr(1) : ""));
      for (const std::string& name : prop->names) {
        rule->variables.push_back({name, type, DomainOfType(type)});
      }
    } else {
      return false;
    }
  }
}

/// How a pattern lies on a term.
class Match {
 public:
  Match(const Rule& rule, const View& view) : rule_(rule), view_(view) {}

  bool Fits(const Term& pattern, const Term& term) {
    if (pattern.kind == TermKind::kName) {
      if (const Variable* variable = Find(pattern.head)) return Bind(*variable, term);
    }
    if (pattern.kind == TermKind::kApply && Find(pattern.head) != nullptr) return false;
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
  /// 0 of relations and numerals alone: 0 ≤ a.
  size_t weight() const { return says_more_ ? weight_ : 0; }

 private:
  const Variable* Find(std::string_view name) const {
    const auto found = std::ranges::find(rule_.variables, name, &Variable::name);
    return found == rule_.variables.end() ? nullptr : &*found;
  }

  bool Bind(const Variable& variable, const Term& term) {
    const Domain domain = DomainOf(term, view_);
    const bool numbers = variable.domain != Domain::kOther;
    if (numbers && domain != Domain::kOther && domain != variable.domain) return false;
    const auto [place, is_new] = bound_.emplace(variable.name, term.text);
    return is_new || place->second == term.text;
  }

  const Rule& rule_;
  const View& view_;
  std::map<std::string, std::string, std::less<>> bound_;
  size_t weight_ = 0;
  bool says_more_ = false;
};

/// The weight of the heaviest match in a part of `term` outside of its binders; 0: there is none.
size_t HeaviestMatch(const Rule& rule, const Term& pattern, const Term& other, const Term& term,
                     const View& view) {
  size_t heaviest = 0;
  Match match(rule, view);
  if (match.Fits(pattern, term) && match.Binds(other)) heaviest = match.weight();
  if (term.kind == TermKind::kBinder) return heaviest;
  for (const TermPtr& part : term.args) {
    heaviest = std::max(heaviest, HeaviestMatch(rule, pattern, other, *part, view));
  }
  return heaviest;
}

/// Operators, functions and constants, sorted.
std::vector<std::string> Heads(const Term& term) {
  std::vector<std::string> heads;
  Visit(term, [&](const Term& part) { heads.push_back(part.head); });
  std::ranges::sort(heads);
  return heads;
}

double Merit(size_t weight, const Rule& rule, const Term& to, const View& view) {
  std::set<std::string> unknown;
  Visit(to, [&](const Term& part) {
    const bool bound =
        std::ranges::find(rule.variables, part.head, &Variable::name) != rule.variables.end();
    if (!bound && part.kind != TermKind::kNumeral) unknown.insert(part.head);
  });
  const auto meet = [&](const Term& part) { unknown.erase(part.head); };
  Visit(*view.target, meet);
  for (const Fact& fact : view.facts) Visit(*fact.prop, meet);
  const size_t against = unknown.size() + rule.conditions;
  return static_cast<double>(weight) - static_cast<double>(against) / 2;
}

}  // namespace

std::optional<Rule> ReadRule(std::string_view name, std::string_view signature) {
  const auto goal = AsGoal(signature);
  if (!goal) return std::nullopt;
  const View view = ReadGoal(*goal);
  Rule rule;
  rule.proof = name;
  rule.variables = view.variables;
  rule.conditions = view.facts.size();
  if (!ReadEquation(view.target, &rule)) return std::nullopt;
  return rule;
}

std::optional<Rule> RuleOf(const Fact& fact) {
  Rule rule;
  rule.proof = fact.proof;
  if (!ReadEquation(fact.prop, &rule)) return std::nullopt;
  return rule;
}

std::vector<Rewriting> RewritingsBy(const Rule& rule, const View& view) {
  std::vector<Rewriting> rewritings;
  if (Heads(*rule.left) == Heads(*rule.right)) return rewritings;
  const auto look = [&](const Term& prop, const std::string& place) {
    for (const bool backwards : {false, true}) {
      const Term& from = backwards ? *rule.right : *rule.left;
      const Term& to = backwards ? *rule.left : *rule.right;
      const size_t weight = HeaviestMatch(rule, from, to, prop, view);
      if (weight < kLeastWeight) continue;
      rewritings.push_back({.rule = (backwards ? "← " : "") + rule.proof,
                            .place = place,
                            .merit = Merit(weight, rule, to, view)});
    }
  };
  for (const Fact& fact : view.facts) {
    const bool itself =
        fact.hypothesis == rule.proof || rule.proof.starts_with(fact.hypothesis + ".");
    if (!itself) look(*fact.prop, fact.hypothesis);
  }
  look(*view.target, "");
  return rewritings;
}

}  // namespace zermelo::policy
