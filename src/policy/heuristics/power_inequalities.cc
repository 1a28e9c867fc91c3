// Inequalities between terms with powers, by induction on the exponent: 1 + n x ≤ (1 + x) ^ n.
//
// The induction hypothesis times a base gives the next power. What else the step needs is linear in
// products of what is not negative: powers, differences of hypotheses, n, squares. They are stated
// as facts, each if it can be proved, and the powers become variables. A function with a
// recurrence, such as a factorial, may stand on the other side: it is unfolded, and n times its
// value is a product.
#include <algorithm>
#include <fmt/format.h>

#include "core/text.h"
#include "policy/arith/recurrence.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMaxBases = 3;
constexpr size_t kMaxBounds = 3;

/// left ≤ right or left < right
struct Inequality {
  TermPtr left, right;
  bool strict = false;
  std::string proof;
};

std::optional<Inequality> ReadInequality(const Term& term, std::string proof) {
  const bool turned = term.Is("≥") || term.Is(">");
  if (!turned && !term.Is("≤") && !term.Is("<")) return std::nullopt;
  return Inequality{.left = term.args[turned ? 1 : 0],
                    .right = term.args[turned ? 0 : 1],
                    .strict = term.Is("<") || term.Is(">"),
                    .proof = std::move(proof)};
}

bool IsExponent(const Term& term, const std::string& n) {
  return term.head == n ||
         (term.Is("+") && term.args[0]->head == n && NumeralValue(*term.args[1]).has_value());
}

/// The bases of the powers with exponent n or n + k; none if n occurs in another power.
std::vector<TermPtr> BasesOf(const Term& target, const std::string& n) {
  std::vector<TermPtr> bases;
  bool other = false;
  Visit(target, [&](const Term& part) {
    if (!part.Is("^") || !Mentions(*part.args[1], n)) return;
    const TermPtr& base = part.args[0];
    other |= Mentions(*base, n) || !IsExponent(*part.args[1], n);
    const bool known =
        std::ranges::any_of(bases, [&](const TermPtr& each) { return each->text == base->text; });
    if (!known) bases.push_back(base);
  });
  return other || bases.size() > kMaxBases ? std::vector<TermPtr>() : bases;
}

/// Whether n is in the target outside of exponents.
bool IsCounted(const Term& term, const std::string& n) {
  if (term.kind == TermKind::kName) return term.head == n;
  if (term.Is("^") && IsExponent(*term.args[1], n)) return IsCounted(*term.args[0], n);
  return std::ranges::any_of(term.args, [&](const TermPtr& part) { return IsCounted(*part, n); });
}

class PowerInequality {
 public:
  PowerInequality(const ArithmeticGoal& arith, std::string n, std::string_view type)
      : arith_(arith), n_(std::move(n)), type_(type), bases_(BasesOf(*arith.target, n_)) {}

  void Propose(Candidates* out) {
    if (bases_.empty() || !ReadBounds()) return;
    std::string text;
    for (const std::string& product : ProductsOfBounds()) AddFact(product, &text);
    const std::string zero = "first | grind | simp_all | (simp_all; grind) | decide";
    const std::string step = core::Indented(Step(), 2);
    if (start_) {
      text += fmt::format(
          "replace {0} : {1} ≤ {2} := by omega\ninduction {0} with\n| refl => {3}\n"
          "| @step {2} {4} {5} =>\n{6}",
          start_hypothesis_, *start_, n_, zero, bound_, ih_, step);
    } else {
      text += fmt::format("induction {0} with\n| zero => {1}\n| succ {0} {2} =>\n{3}", n_, zero,
                          ih_, step);
    }
    out->push_back({text, 0.4, true, "power_inequalities"});
  }

 private:
  /// Reads the inequalities among the hypotheses. False if one about n is no lower bound, so that
  /// the induction hypothesis would have a condition.
  bool ReadBounds() {
    for (const Fact& fact : arith_.facts) {
      const auto bound = ReadInequality(*fact.prop, fact.proof);
      if (!Mentions(*fact.prop, n_)) {
        const bool here = bound && DomainOf(*fact.prop, arith_) == DomainOfType(type_);
        if (here && bounds_.size() < kMaxBounds) bounds_.push_back(*bound);
        continue;
      }
      const auto value = bound ? NumeralValue(*bound->left) : std::nullopt;
      if (start_ || !value || bound->right->text != n_ || fact.proof != fact.hypothesis) {
        return false;
      }
      start_ = *value + (bound->strict ? 1 : 0);
      start_hypothesis_ = fact.hypothesis;
    }
    return true;
  }

  std::string Step() {
    std::string text;
    const bool strict = std::ranges::any_of(bounds_, &Inequality::strict);
    for (size_t i = 0; i < bases_.size(); ++i) AddPower(i, strict, &text);
    if (IsCounted(*arith_.target, n_)) AddMultiplesOfN(&text);
    if (IsNat()) AddRecurrences(&text);
    text += fmt::format("simp only [{}.pow_succ] at *\n", type_);
    for (size_t i = 0; i < bases_.size(); ++i) {
      text += fmt::format("try generalize {} = {} at *\n", Power(i, n_),
                          arith_.Fresh(fmt::format("y{}", i)));
    }
    return text + "grind";
  }

  static void AddFact(std::string_view proof, std::string* text) {
    *text += fmt::format("try have := {}\n", proof);
  }

  static void AddFact(std::string_view name, std::string_view claim, std::string_view proof,
                      std::string* text) {
    *text += fmt::format("try have {} : {} := {}\n", name, claim, proof);
  }

  bool IsNat() const { return type_ == "Nat"; }

  std::string Power(size_t base, std::string_view exponent) const {
    return fmt::format("({} : {}) ^ {}", bases_[base]->text, type_, exponent);
  }

  /// A bound, of the form ≤, times what `not_negative` says is not negative.
  std::string Times(const Inequality& bound, std::string_view not_negative) const {
    return fmt::format("{}.mul_le_mul_of_nonneg_right {} {}", type_, Weak(bound), not_negative);
  }

  std::string Weak(const Inequality& bound) const {
    return bound.strict ? fmt::format("({}.le_of_lt {})", type_, bound.proof) : bound.proof;
  }

  std::vector<std::string> ProductsOfBounds() const {
    std::vector<std::string> products;
    if (IsNat()) return products;
    for (size_t i = 0; i < bounds_.size(); ++i) {
      for (size_t j = 0; j <= i; ++j) {
        const std::string gap =
            type_ == "Rat" ? "(Rat.le_iff_sub_nonneg _ _).1" : "Int.sub_nonneg_of_le";
        products.push_back(Times(bounds_[i], fmt::format("({} {})", gap, Weak(bounds_[j]))));
      }
    }
    return products;
  }

  /// The induction hypothesis times a base; that its power is not negative, at least 1 if the base
  /// is, at most 1 if that is; the power times what hypotheses say.
  void AddPower(size_t i, bool strict, std::string* text) const {
    const std::string base = Parenthesized(*bases_[i]);
    const Inequality hypothesis = {.strict = arith_.target->Is("<") || arith_.target->Is(">"),
                                   .proof = ih_};
    if (IsNat()) {
      AddFact(fmt::format("Nat.mul_le_mul_right {} {}", base, ih_), text);
      AddFact(fmt::format("(Nat.pow_pos (by grind) : 0 < {})", Power(i, n_)), text);
      for (const Inequality& bound : bounds_) {
        AddFact(fmt::format("Nat.mul_le_mul_right ({}) {}", Power(i, n_), bound.proof), text);
      }
      return;
    }
    const std::string base_fact = arith_.Fresh(fmt::format("hbase{}", i));
    const std::string power_fact = arith_.Fresh(fmt::format("hpower{}", i));
    AddFact(base_fact, fmt::format("(0 : {}) ≤ {}", type_, base), AboveZero(*bases_[i], false),
            text);
    AddFact(Times(hypothesis, base_fact), text);
    AddFact(power_fact, fmt::format("0 ≤ {}", Power(i, n_)),
            fmt::format("{}.pow_nonneg {}", type_, base_fact), text);
    if (hypothesis.strict || strict) {
      const std::string positive = arith_.Fresh(fmt::format("hpos{}", i));
      AddFact(positive, fmt::format("(0 : {}) < {}", type_, base), AboveZero(*bases_[i], true),
              text);
      if (hypothesis.strict) {  // else Lean unfolds the order of Rat to see that the types differ
        AddFact(fmt::format("{}.mul_lt_mul_of_pos_right {} {}", type_, ih_, positive), text);
      }
      for (const Inequality& bound : bounds_) {
        if (!bound.strict) continue;
        AddFact(fmt::format("{0}.mul_lt_mul_of_pos_right {1} (show 0 < {2} from {0}.pow_pos {3})",
                            type_, bound.proof, Power(i, n_), positive),
                text);
      }
    }
    for (const Inequality& bound : bounds_) AddFact(Times(bound, power_fact), text);
    const std::string any = Power(i, "m");
    if (Is(Than1::kAtLeast, *bases_[i]))
      AddForEveryPower(i, "1 ≤ " + any, any + " - 1", base_fact, text);
    if (Is(Than1::kAtMost, *bases_[i]))
      AddForEveryPower(i, any + " ≤ 1", "1 - " + any, base_fact, text);
  }

  /// A proof of 0 ≤ base, or of 0 < base. (`assumption` would unfold the order of Rat.)
  std::string AboveZero(const Term& base, bool strict) const {
    if (Evaluate(base, {}, DomainOfType(type_))) return "by first | decide | grind";
    for (const Inequality& bound : bounds_) {
      if (bound.left->text != "0" || bound.right->text != base.text) continue;
      if (!strict) return Weak(bound);
      if (bound.strict) return bound.proof;
    }
    return "by grind";
  }

  enum class Than1 { kAtLeast, kAtMost };
  /// Whether its value or a hypothesis shows that the base is at least, or at most, 1.
  bool Is(Than1 relation, const Term& base) const {
    const bool at_least = relation == Than1::kAtLeast;
    const auto shows = [&](const Term& term) {
      const auto value = Evaluate(term, {}, DomainOfType(type_));
      return value && (at_least ? *value >= 1 : *value <= 1);
    };
    return shows(base) || std::ranges::any_of(bounds_, [&](const Inequality& bound) {
             const Term& bounded = at_least ? *bound.right : *bound.left;
             return bounded.text == base.text && shows(at_least ? *bound.left : *bound.right);
           });
  }

  /// A claim about the powers of a base by induction; `gap` is not negative if it holds. (Where
  /// `first` has another alternative, an error in a case of the induction is one of the whole.)
  void AddForEveryPower(size_t base, std::string_view claim, std::string_view gap,
                        std::string_view base_fact, std::string* text) const {
    AddFact(fmt::format("(show ∀ m : Nat, {1} by\n"
                        "  first\n"
                        "  | intro m\n"
                        "    induction m with\n"
                        "    | zero => grind\n"
                        "    | succ m hm =>\n"
                        "      have := {0}.mul_nonneg (show 0 ≤ {2} by grind) {3}\n"
                        "      simp only [{0}.pow_succ]\n"
                        "      generalize {4} = y at *\n"
                        "      grind\n"
                        "  | fail) {5}",
                        type_, claim, gap, base_fact, Power(base, "m"), n_),
            text);
  }

  /// What recurrences say of the functions of n in the target, and n times their values.
  void AddRecurrences(std::string* text) const {
    for (const Fact& fact : arith_.facts) {
      const auto recurrence = ReadRecurrence(fact);
      if (!recurrence || recurrence->guarded) continue;
      Visit(*arith_.target, [&](const Term& part) {
        if (!part.IsApply(recurrence->function) || !IsExponent(*part.args[0], n_)) return;
        AddFact(fmt::format("Nat.mul_le_mul_right ({}) {}", part.text,
                            start_ ? bound_ : fmt::format("(Nat.zero_le {})", n_)),
                text);
        AddFact(fmt::format("{} {}", fact.proof, n_), text);
        if (part.args[0]->head != n_)
          AddFact(fmt::format("{} {}", fact.proof, Parenthesized(*part.args[0])), text);
      });
    }
  }

  void AddMultiplesOfN(std::string* text) const {
    if (IsNat()) {
      if (!start_) return;
      AddFact(fmt::format("Nat.mul_le_mul_right {} {}", n_, bound_), text);
      AddFact(fmt::format("Nat.mul_le_mul_right ({0} * {0}) {1}", n_, bound_), text);
      return;
    }
    const std::string natural = arith_.Fresh("hnatural");
    AddFact(natural, fmt::format("(0 : {0}) ≤ ({1} : {0})", type_, n_),
            fmt::format("by exact_mod_cast Nat.zero_le {}", n_), text);
    if (start_) {
      const std::string above = arith_.Fresh("habove");
      AddFact(above, fmt::format("({1} : {0}) ≤ ({2} : {0})", type_, *start_, n_),
              fmt::format("by exact_mod_cast {}", bound_), text);
      const std::string square =
          fmt::format("{}.mul_le_mul_of_nonneg_right {} {}", type_, above, natural);
      AddFact(square, text);
      AddFact(fmt::format("{}.mul_le_mul_of_nonneg_right ({}) {}", type_, square, natural), text);
    }
    for (const Inequality& bound : bounds_) AddFact(Times(bound, natural), text);
    for (const Variable& variable : arith_.variables) {
      if (variable.domain != DomainOfType(type_) || !Mentions(*arith_.target, variable.name)) {
        continue;
      }
      AddFact(
          fmt::format("{0}.mul_nonneg {1} (Lean.Grind.OrderedRing.sq_nonneg (a := ({2} : {0})))",
                      type_, natural, variable.name),
          text);
    }
  }

  const ArithmeticGoal& arith_;
  const std::string n_;
  const std::string type_;
  const std::vector<TermPtr> bases_;
  std::vector<Inequality> bounds_;  // hypotheses of the type that are not about n
  std::optional<int64_t> start_;    // from a hypothesis start ≤ n: the induction begins there
  std::string start_hypothesis_;
  const std::string ih_ = arith_.Fresh("ih");
  const std::string bound_ = arith_.Fresh("hbound");
};

}  // namespace

void ProposePowerInequalities(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Domain domain = DomainOf(*arith.target, arith);
  if (domain == Domain::kOther || !ReadInequality(*arith.target, "")) return;
  // The type of numerals and casts of natural numbers alone is not known.
  const bool known =
      domain != Domain::kInt || std::ranges::any_of(arith.variables, [&](const Variable& each) {
        return each.domain == Domain::kInt && Mentions(*arith.target, each.name);
      });
  for (const Variable& variable : arith.variables) {
    if (variable.domain != Domain::kNat || !Mentions(*arith.target, variable.name)) continue;
    PowerInequality(arith, variable.name, TypeName(domain)).Propose(out);
    if (!known) PowerInequality(arith, variable.name, "Rat").Propose(out);
  }
}

}  // namespace zermelo::policy
