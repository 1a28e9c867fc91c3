#include "policy/heuristics/hints.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include "policy/arith/polynomial.h"

namespace zermelo::policy {
namespace {

bool IsFinite(double bound) { return bound > -1e15 && bound < 1e15; }

// The term less a number: "x - 3", "x + 3", "x".
std::string Above(const Term& term, double low) {
  const auto value = static_cast<int64_t>(low);
  if (value == 0) return Parenthesized(term);
  return fmt::format("({} {} {})", Parenthesized(term), value > 0 ? '-' : '+',
                     value > 0 ? value : -value);
}

std::string Below(const Term& term, double high) {
  return fmt::format("({} - {})", static_cast<int64_t>(high), Parenthesized(term));
}

// Terms that are nonnegative because of the bounds of a variable.
std::vector<std::string> Nonnegative(const Term& term, const Box& box) {
  std::vector<std::string> forms;
  const auto found = box.find(term.head);
  if (term.kind != TermKind::kName || found == box.end()) return forms;
  if (IsFinite(found->second.low)) forms.push_back(Above(term, found->second.low));
  if (IsFinite(found->second.high)) forms.push_back(Below(term, found->second.high));
  return forms;
}

bool IsLinear(const Term& prop) {
  bool linear = true;
  Visit(prop, [&](const Term& part) {
    linear &= !part.Is("^") && part.kind != TermKind::kApply;
    linear &= !part.Is("*") || NumeralValue(*part.args[0]) || NumeralValue(*part.args[1]);
  });
  return linear;
}

// The context in which a bound is refuted: everything linear, and the negated bound.
std::vector<TermPtr> Assumptions(const std::vector<TermPtr>& linear,
                                 const std::vector<Bound>& proven, const Bound& refuted) {
  std::vector<TermPtr> props = linear;
  for (const Bound& bound : proven) props.push_back(ParseTerm(bound.Text()));
  props.push_back(ParseTerm("¬" + refuted.Text()));
  return props;
}

class HintWriter {
 public:
  HintWriter(const Box& box, const ArithmeticGoal& arith) : box_(box), goal_(arith) {}

  void Read(const Term& prop) {
    domain_ = DomainOf(prop, goal_);
    if (domain_ == Domain::kOther) domain_ = Domain::kNat;
    degree_ = 0;
    if (IsRelation(prop)) {
      for (const TermPtr& side : prop.args) {
        const auto polynomial = ReadPolynomial(*side);
        if (polynomial) degree_ = std::max(degree_, Degree(*polynomial));
      }
    }
    std::vector<const Term*> parts;
    Visit(prop, [&](const Term& part) { parts.push_back(&part); });
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {  // inner ones first
      if ((*part)->Is("*")) ReadProduct(*(*part)->args[0], *(*part)->args[1]);
      if ((*part)->Is("^")) ReadPower(**part);
    }
  }

  std::vector<std::string> lines;  // for the products and powers as they occur
  std::vector<std::string> pairs;  // for products of two variables

 private:
  static void AddTo(std::vector<std::string>* lines, const std::string& hint) {
    const std::string line = "try " + hint;
    if (std::find(lines->begin(), lines->end(), line) == lines->end()) lines->push_back(line);
  }
  void Add(const std::string& hint) { AddTo(&lines, hint); }
  void AddPair(const std::string& hint) { AddTo(&pairs, hint); }

  // "Nat.pow_le_pow_right … : b ^ low ≤ b ^ y", for a power with a variable exponent.
  std::optional<std::string> PowerBound(const Term& power) const {
    if (!power.Is("^") || domain_ != Domain::kNat) return std::nullopt;
    const Term& exponent = *power.args[1];
    const auto base = NumeralValue(*power.args[0]);
    const auto found = box_.find(exponent.head);
    if (!base || *base < 2 || exponent.kind != TermKind::kName || found == box_.end() ||
        !IsFinite(found->second.low)) {  // of an integer
      return std::nullopt;
    }
    return fmt::format("Nat.pow_le_pow_right (show 0 < {} by decide) (show {} ≤ {} by omega)",
                       *base, static_cast<int64_t>(found->second.low), exponent.text);
  }

  void ReadProduct(const Term& a, const Term& b) {
    const auto left = PowerBound(a);
    const auto right = PowerBound(b);
    if (left && right) Add(fmt::format("have := Nat.mul_le_mul ({}) ({})", *left, *right));
    if (!NumeralValue(a) && !NumeralValue(b)) Factors(a, b);
    const std::vector<std::string> names = NamesIn(a);
    for (const std::string& x : names) {
      for (const std::string& y : NamesIn(b)) Pair(x, y);
    }
  }

  // A product is at least the product of the lower bounds of its factors.
  void Factors(const Term& a, const Term& b) {
    const double left = Evaluate(a, box_, goal_, domain_).low;
    const double right = Evaluate(b, box_, goal_, domain_).low;
    if (!IsFinite(left) || !IsFinite(right) || left < 0 || right < 0 || left + right == 0) return;
    const auto x = static_cast<int64_t>(left);
    const auto y = static_cast<int64_t>(right);
    if (domain_ == Domain::kNat) {
      Add(fmt::format("have := Nat.mul_le_mul (show {} ≤ {} by omega) (show {} ≤ {} by omega)", x,
                      a.text, y, b.text));
    } else {
      Add(
          fmt::format("have := Int.mul_nonneg (show (0 : Int) ≤ {} by first | omega | grind) "
                      "(show (0 : Int) ≤ {} by first | omega | grind)",
                      Above(a, left), Above(b, right)));
    }
  }

  std::vector<std::string> NamesIn(const Term& term) const { return IntegerVariables(term, goal_); }

  void Pair(const std::string& x, const std::string& y) {
    if (!box_.contains(x) || !box_.contains(y)) return;  // bound by a quantifier
    const Term left = Name(x);
    const Term right = Name(y);
    if (x == y && degree_ > 2 && domain_ == Domain::kInt) {
      for (const std::string& p : Nonnegative(left, box_)) {
        const std::string fact = fmt::format("(show (0 : Int) ≤ {} by omega)", p);
        AddPair(fmt::format("have := Int.mul_nonneg (Int.mul_nonneg {0} {0}) {0}", fact));
      }
    }
    if (domain_ == Domain::kNat) {
      if (!IsFinite(box_.at(x).low) || !IsFinite(box_.at(y).low)) return;  // an integer
      const auto a = static_cast<int64_t>(box_.at(x).low);
      const auto b = static_cast<int64_t>(box_.at(y).low);
      if (a > 0 || b > 0) {
        AddPair(fmt::format(
            "have := Nat.mul_le_mul (show {} ≤ {} by omega) (show {} ≤ {} by omega)", a, x, b, y));
        AddPair(fmt::format("have := Nat.mul_le_mul (show {} ≤ {} by omega) (Nat.le_refl {})", a, x,
                            y));
        AddPair(fmt::format("have := Nat.mul_le_mul (Nat.le_refl {}) (show {} ≤ {} by omega)", x, b,
                            y));
      }
      return;
    }
    for (const std::string& p : Nonnegative(left, box_)) {
      for (const std::string& q : Nonnegative(right, box_)) {
        AddPair(fmt::format(
            "have := Int.mul_nonneg (show (0 : Int) ≤ {} by omega) (show (0 : Int) ≤ {} by omega)",
            p, q));
      }
    }
  }

  void ReadPower(const Term& power) {
    const Term& base = *power.args[0];
    const Term& exponent = *power.args[1];
    const auto k = NumeralValue(exponent);
    if (const auto bound = PowerBound(power)) {
      Add("have := " + *bound);
    } else if (k && *k >= 2 && *k <= 4 && base.kind == TermKind::kName) {
      Pair(base.head, base.head);
      const auto found = box_.find(base.head);
      if (domain_ == Domain::kNat && found != box_.end() && IsFinite(found->second.low)) {
        Add(fmt::format("have := Nat.pow_le_pow_left (show {} ≤ {} by omega) {}",
                        static_cast<int64_t>(found->second.low), base.head, *k));
      }
    }
  }

  static Term Name(const std::string& name) {
    Term term;
    term.kind = TermKind::kName;
    term.head = term.text = name;
    return term;
  }

  const Box& box_;
  const ArithmeticGoal& goal_;
  Domain domain_ = Domain::kOther;
  int degree_ = 0;
};

}  // namespace

std::vector<std::string> ProductHints(const std::vector<TermPtr>& props, const Box& box,
                                      const ArithmeticGoal& arith, size_t limit) {
  HintWriter writer(box, arith);
  for (const TermPtr& prop : props) writer.Read(*prop);
  std::vector<std::string> lines = std::move(writer.lines);
  lines.insert(lines.end(), writer.pairs.begin(), writer.pairs.end());
  if (lines.size() > limit) lines.resize(limit);
  return lines;
}

std::string Bound::Text() const {
  return upper ? fmt::format("{} ≤ {}", variable, value) : fmt::format("{} ≤ {}", value, variable);
}

namespace {

// The tightest value for which one step of interval arithmetic refutes the negated bound, by
// bisection between the propagated bound and a generous one.
std::optional<int64_t> Tightest(const std::vector<TermPtr>& props,
                                const std::vector<TermPtr>& linear,
                                const std::vector<Bound>& proven, Bound bound,
                                const Interval& found, const ArithmeticGoal& arith) {
  auto refuted = [&](int64_t value) {
    bound.value = value;
    return IsImpossible(props, FindBounds(Assumptions(linear, proven, bound), arith), arith);
  };
  const double span = 8000;
  const int64_t sign = bound.upper ? 1 : -1;
  const double edge = bound.upper ? found.high : found.low;
  const double inner =
      bound.upper ? std::max(found.low, edge - span) : std::min(found.high, edge + span);
  auto good = static_cast<int64_t>(edge) + sign * 4000;
  int64_t bad = static_cast<int64_t>(inner) - sign;
  if (!refuted(good)) return std::nullopt;
  while (sign * (good - bad) > 1) {
    const int64_t middle = bad + (good - bad) / 2;
    (refuted(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

std::vector<Bound> ProvableBounds(const std::vector<TermPtr>& props, const ArithmeticGoal& arith) {
  std::vector<TermPtr> linear;
  std::copy_if(props.begin(), props.end(), std::back_inserter(linear),
               [](const TermPtr& prop) { return IsLinear(*prop); });
  const Box easy = FindBounds(linear, arith);
  const Box tight = FindBounds(props, arith);
  std::vector<Bound> bounds;
  for (const auto& [name, interval] : easy) {
    if (IsFinite(interval.low)) bounds.push_back({name, false, static_cast<int64_t>(interval.low)});
    if (IsFinite(interval.high))
      bounds.push_back({name, true, static_cast<int64_t>(interval.high)});
  }
  for (const auto& [name, interval] : tight) {
    for (const bool upper : {false, true}) {
      if (IsFinite(upper ? easy.at(name).high : easy.at(name).low)) continue;
      if (!IsFinite(upper ? interval.high : interval.low)) continue;
      if (const auto value = Tightest(props, linear, bounds, {name, upper, 0}, interval, arith)) {
        bounds.push_back({name, upper, *value});
      }
    }
  }
  return bounds;
}

Box BoxOf(const std::vector<Bound>& bounds) {
  Box box;
  for (const Bound& bound : bounds) {
    Interval& interval = box[bound.variable];
    (bound.upper ? interval.high : interval.low) = static_cast<double>(bound.value);
  }
  return box;
}

std::string ProveBound(const std::string& name, const Bound& bound,
                       const std::vector<TermPtr>& props, const std::vector<Bound>& proven,
                       const ArithmeticGoal& arith) {
  std::vector<TermPtr> linear;
  std::copy_if(props.begin(), props.end(), std::back_inserter(linear),
               [](const TermPtr& prop) { return IsLinear(*prop); });
  const std::string head = fmt::format("have {} : {} := by", name, bound.Text());
  const Box easy = FindBounds(linear, arith);
  const Interval& range = easy.at(bound.variable);
  const auto value = static_cast<double>(bound.value);
  if (bound.upper ? range.high <= value : range.low >= value) return head + " omega\n";
  const Box box = FindBounds(Assumptions(linear, proven, bound), arith);
  const std::vector<std::string> hints = ProductHints(props, box, arith, 12);
  std::string text = head + "\n  first\n  | omega\n";
  if (!hints.empty()) {
    text += "  | refine Decidable.byContradiction fun hn => ?_\n";
    for (const std::string& hint : hints) text += "    " + hint + "\n";
    text += "    first\n    | omega\n    | grind\n";
  }
  text += "  | grind\n";
  return text;
}

}  // namespace zermelo::policy
