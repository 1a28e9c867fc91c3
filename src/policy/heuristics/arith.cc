// Hints for linear arithmetic, and claims about natural numbers that are proved over the rationals.
#include <algorithm>
#include <fmt/format.h>

#include "policy/arith/polynomial.h"
#include "policy/heuristics/heuristics.h"
#include "policy/heuristics/hints.h"

namespace zermelo::policy {
namespace {

void Close(std::string tactic, double cost, Candidates* out) {
  out->push_back({std::move(tactic), cost, true, "arith"});
}

// Proves `a = 42` for a : ℕ from equations over ℚ.
void ProposeRational(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  const Domain domain = DomainOf(target, arith);
  const bool rational_facts =
      std::any_of(arith.facts.begin(), arith.facts.end(),
                  [&](const Fact& fact) { return DomainOf(*fact.prop, arith) == Domain::kRat; });
  if (!rational_facts || domain == Domain::kRat || !IsRelation(target) || target.Is("∣")) return;
  const Term& left = *target.args[0];
  if (left.kind == TermKind::kName) {
    Close(fmt::format("have hq : ({} : Rat) {} {} := by grind\nexact_mod_cast hq", left.head,
                      target.head, target.args[1]->text),
          0.5, out);
  }
  Close("refine Decidable.byContradiction fun hn => ?_\nnorm_cast at *\nfirst | omega | grind", 0.9,
        out);
}

// Roots of those monomials that are squares and of degree 4 or more: x * y for x²y².
std::vector<std::string> SquareRoots(const Term& target) {
  std::vector<std::string> roots;
  if (!IsRelation(target)) return roots;
  for (const TermPtr& side : target.args) {
    const auto polynomial = ReadPolynomial(*side);
    if (!polynomial) continue;
    for (const auto& [monomial, coefficient] : *polynomial) {
      Monomial root;
      int degree = 0;
      for (const auto& [variable, exponent] : monomial) {
        if (exponent % 2 == 0) root[variable] = exponent / 2;
        degree += exponent;
      }
      if (root.size() != monomial.size() || degree < 4) continue;
      const std::string text = ToString(Polynomial{{root, 1}});
      if (std::ranges::find(roots, text) == roots.end() && roots.size() < 4) roots.push_back(text);
    }
  }
  return roots;
}

// Like nlinarith: adds squares and products of hypotheses, then calls grind's linear arithmetic.
void ProposeProducts(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  if (!IsRelation(target) && target.head != "False") return;
  std::vector<std::string> names;
  Domain domain = Domain::kOther;
  for (const Variable& variable : arith.variables) {
    if (variable.domain == Domain::kOther) continue;
    const bool used = Mentions(target, variable.name) || target.head == "False";
    if (used && names.size() < 4) names.push_back(variable.name);
    if (used) domain = std::max(domain, variable.domain);
  }
  if (names.empty()) return;
  std::vector<TermPtr> props = {arith.target};
  for (const Fact& fact : arith.facts) props.push_back(fact.prop);
  bool nonlinear = false;
  for (const TermPtr& prop : props) {
    Visit(*prop, [&](const Term& part) {
      nonlinear |= part.Is("^") ||
                   (part.Is("*") && !NumeralValue(*part.args[0]) && !NumeralValue(*part.args[1]));
    });
  }
  if (!nonlinear) return;
  std::vector<std::string> lines;
  if (domain == Domain::kNat || domain == Domain::kInt) {
    for (const std::string& hint : ProductHints(props, FindBounds(props, arith), arith, 12))
      lines.push_back(hint);
  }
  const std::string_view type = domain == Domain::kRat ? "Rat" : "Int";
  auto square = [&](const std::string& term) {
    lines.push_back(
        fmt::format("have := Lean.Grind.OrderedRing.sq_nonneg (a := ({} : {}))", term, type));
  };
  for (size_t i = 0; i < names.size(); ++i) {
    square(names[i]);
    for (size_t j = i + 1; j < names.size(); ++j) {
      square(fmt::format("({0} : {2}) - {1}", names[i], names[j], type));
      square(fmt::format("({0} : {2}) + {1}", names[i], names[j], type));
    }
  }
  for (const std::string& root : SquareRoots(target)) square(root);
  Close(fmt::format("{}\ngrind", fmt::join(lines, "\n")), 1.3, out);
  if (domain == Domain::kRat) {
    std::string products;
    for (const Fact& first : arith.facts) {
      if (!first.prop->Is("<") && !first.prop->Is("≤")) continue;
      for (const Fact& second : arith.facts) {
        if (!second.prop->Is("<") && !second.prop->Is("≤")) continue;
        if (&second < &first || products.size() > 1200) continue;
        products += fmt::format(
            "have := Rat.mul_nonneg (show 0 ≤ {} - {} by grind) (show 0 ≤ {} - {} by grind)\n",
            Parenthesized(*first.prop->args[1]), Parenthesized(*first.prop->args[0]),
            Parenthesized(*second.prop->args[1]), Parenthesized(*second.prop->args[0]));
      }
    }
    if (!products.empty()) Close(products + "grind", 1.4, out);
  }
}

}  // namespace

void ProposeArithmetic(const HeuristicInput& input, Candidates* out) {
  ProposeRational(input, out);
  ProposeProducts(input, out);
}

}  // namespace zermelo::policy
