#include "policy/arith/interval.h"

#include <algorithm>
#include <cmath>

namespace zermelo::policy {
namespace {

constexpr int kRounds = 40;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Interval Meet(const Interval& a, const Interval& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

// 0 * ∞ is 0 here: a factor of zero makes the product zero.
double Times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval Product(const Interval& a, const Interval& b) {
  const double p[] = {Times(a.low, b.low), Times(a.low, b.high), Times(a.high, b.low),
                      Times(a.high, b.high)};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

Interval PowerHull(const Interval& base, const Interval& exponent) {
  if (exponent.low == exponent.high && exponent.low >= 0) {
    const double n = exponent.low;
    const double a = std::pow(base.low, n);
    const double b = std::pow(base.high, n);
    if (base.low >= 0 || std::fmod(n, 2) == 1) return {a, b};
    if (base.low <= 0 && base.high >= 0) return {0, std::max(a, b)};
    return {std::min(a, b), std::max(a, b)};
  }
  if (base.low >= 1 && exponent.low >= 0) {
    return {std::pow(base.low, exponent.low), std::pow(base.high, exponent.high)};
  }
  return base.low >= 0 ? Interval{0, kInfinity} : Interval{};
}

// The interval of x with x * divisor in product, for a divisor of one sign.
Interval Quotient(const Interval& product, const Interval& divisor) {
  if (divisor.low < 1 && divisor.high > -1) return {};
  double low = kInfinity;
  double high = -kInfinity;
  for (const double p : {product.low, product.high}) {
    for (const double d : {divisor.low, divisor.high}) {
      const double q = std::isinf(d) ? 0 : p / d;
      low = std::min(low, q);
      high = std::max(high, q);
    }
  }
  return {std::ceil(low - 1e-9), std::floor(high + 1e-9)};
}

class Propagator {
 public:
  Propagator(const ArithmeticGoal& arith, Box* box, Domain domain = Domain::kOther)
      : goal_(arith), box_(*box), domain_(domain) {}

  void Assume(const Term& prop) {
    if (prop.Is("∧")) {
      Assume(*prop.args[0]);
      Assume(*prop.args[1]);
    } else if (prop.Is("¬")) {
      AssumeNot(*prop.args[0]);
    } else if (prop.Is("∨")) {
      AssumeOr(prop);
    } else if (IsRelation(prop)) {
      Relate(prop, prop.head);
    }
  }

  Interval Of(const Term& term) const {
    switch (term.kind) {
      case TermKind::kNumeral: {
        const auto value = NumeralValue(term);
        if (!value) return {0, kInfinity};
        return {static_cast<double>(*value), static_cast<double>(*value)};
      }
      case TermKind::kName: {
        const auto found = box_.find(term.head);
        return found == box_.end() ? Interval{} : found->second;
      }
      case TermKind::kCast:
        return Meet(Of(*term.args[0]), {0, kInfinity});
      case TermKind::kApply:
        return OfApply(term);
      case TermKind::kOperator:
        return OfOperator(term);
      default:
        return {};
    }
  }

  bool Refutes(const Term& prop) {
    if (prop.Is("∧")) return Refutes(*prop.args[0]) || Refutes(*prop.args[1]);
    if (!IsRelation(prop)) return false;
    domain_ = DomainOf(prop, goal_);
    if (domain_ == Domain::kRat) return false;
    const Interval a = Of(*prop.args[0]);
    const Interval b = Of(*prop.args[1]);
    if (prop.head == "=") return a.low > b.high || b.low > a.high;
    if (prop.head == "<") return a.low >= b.high;
    if (prop.head == "≤") return a.low > b.high;
    if (prop.head == ">") return b.low >= a.high;
    if (prop.head == "≥") return b.low > a.high;
    return prop.head == "∣" && b.low >= 1 && a.low > b.high;
  }

 private:
  void AssumeNot(const Term& prop) {
    if (!IsRelation(prop)) return;
    if (prop.head == "<") Relate(prop, "≥");
    if (prop.head == "≤") Relate(prop, ">");
    if (prop.head == ">") Relate(prop, "≤");
    if (prop.head == "≥") Relate(prop, "<");
    if (prop.head == "=") Relate(prop, "≠");
  }

  // The hull of the boxes that the two sides allow.
  void AssumeOr(const Term& prop) {
    Box left = box_;
    Box right = box_;
    Propagator(goal_, &left).Assume(*prop.args[0]);
    Propagator(goal_, &right).Assume(*prop.args[1]);
    for (auto& [name, interval] : box_) {
      interval = {std::min(left[name].low, right[name].low),
                  std::max(left[name].high, right[name].high)};
    }
  }

  void Relate(const Term& prop, const std::string& op) {
    domain_ = DomainOf(prop, goal_);
    if (domain_ == Domain::kRat) return;
    const Term& a = *prop.args[0];
    const Term& b = *prop.args[1];
    const Interval left = Of(a);
    const Interval right = Of(b);
    if (op == "=") {
      Narrow(a, right);
      Narrow(b, left);
    } else if (op == "<" || op == "≤") {
      const double gap = op == "<" ? 1 : 0;
      Narrow(a, {-kInfinity, right.high - gap});
      Narrow(b, {left.low + gap, kInfinity});
    } else if (op == ">" || op == "≥") {
      const double gap = op == ">" ? 1 : 0;
      Narrow(b, {-kInfinity, left.high - gap});
      Narrow(a, {right.low + gap, kInfinity});
    } else if (op == "≠") {
      if (right.low == right.high && left.low == right.low) Narrow(a, {left.low + 1, kInfinity});
    } else if (op == "∣" && right.low >= 1) {
      Narrow(a, {-kInfinity, right.high});
      if (left.low >= 0) Narrow(a, {1, kInfinity});
    }
  }

  Interval OfApply(const Term& term) const {
    if (term.args.size() == 2 && (term.head == "gcd" || term.head == "lcm")) {
      const Interval a = Of(*term.args[0]);
      const Interval b = Of(*term.args[1]);
      const bool positive = a.low >= 1 && b.low >= 1;
      if (term.head == "gcd") {
        double high = kInfinity;
        if (a.low >= 1) high = std::min(high, a.high);
        if (b.low >= 1) high = std::min(high, b.high);
        return {a.low >= 1 || b.low >= 1 ? 1.0 : 0.0, high};
      }
      return {positive ? std::max(a.low, b.low) : 0, Product(a, b).high};
    }
    return domain_ == Domain::kNat ? Interval{0, kInfinity} : Interval{};
  }

  Interval OfOperator(const Term& term) const {
    const Interval a = Of(*term.args[0]);
    if (term.args.size() == 1) return {-a.high, -a.low};
    const Interval b = Of(*term.args[1]);
    if (term.head == "+") return {a.low + b.low, a.high + b.high};
    if (term.head == "*") return Product(a, b);
    if (term.head == "^") return PowerHull(a, b);
    if (term.head == "-") {
      const Interval difference{a.low - b.high, a.high - b.low};
      if (domain_ != Domain::kNat) return difference;
      return {std::max(0.0, difference.low), std::max(0.0, difference.high)};
    }
    if (term.head == "%" && b.low >= 1)
      return {0, std::min(b.high - 1, a.low >= 0 ? a.high : kInfinity)};
    if (term.head == "/" && b.low >= 1 && a.low >= 0) return {0, a.high / b.low};
    return domain_ == Domain::kNat ? Interval{0, kInfinity} : Interval{};
  }

  void Narrow(const Term& term, const Interval& to) {
    if (term.kind == TermKind::kName) {
      const auto found = box_.find(term.head);
      if (found == box_.end()) return;
      const Interval met = Meet(found->second, {std::ceil(to.low), std::floor(to.high)});
      if (met.low <= met.high) found->second = met;
    } else if (term.kind == TermKind::kCast) {
      Narrow(*term.args[0], to);
    } else if (term.kind == TermKind::kApply) {
      NarrowApply(term, to);
    } else if (term.kind == TermKind::kOperator) {
      NarrowOperator(term, to);
    }
  }

  // Both arguments divide their lcm and are multiples of their gcd.
  void NarrowApply(const Term& term, const Interval& to) {
    if (term.args.size() != 2) return;
    for (int i = 0; i < 2; ++i) {
      if (term.head == "lcm" && to.low >= 1) Narrow(*term.args[i], {1, to.high});
      if (term.head == "gcd" && to.low >= 1 && Of(*term.args[i]).low >= 1) {
        Narrow(*term.args[i], {to.low, kInfinity});
      }
    }
  }

  void NarrowOperator(const Term& term, const Interval& to) {
    const Term& x = *term.args[0];
    if (term.args.size() == 1) {
      if (term.head == "-") Narrow(x, {-to.high, -to.low});
      return;
    }
    const Term& y = *term.args[1];
    const Interval a = Of(x);
    const Interval b = Of(y);
    if (term.head == "+") {
      Narrow(x, {to.low - b.high, to.high - b.low});
      Narrow(y, {to.low - a.high, to.high - a.low});
    } else if (term.head == "-") {
      if (domain_ == Domain::kNat && to.low < 1) {
        Narrow(x, {-kInfinity, to.high + b.high});
        return;
      }
      Narrow(x, {to.low + b.low, to.high + b.high});
      Narrow(y, {a.low - to.high, a.high - to.low});
    } else if (term.head == "*") {
      const bool nonzero = to.low >= 1 || to.high <= -1;
      const Interval left = nonzero ? Away(a) : a;
      const Interval right = nonzero ? Away(b) : b;
      Narrow(x, Quotient(to, right));
      Narrow(y, Quotient(to, left));
      if (nonzero) NarrowFactors(x, y, to);
    } else if (term.head == "^") {
      NarrowPower(x, y, a, b, to);
    } else if (term.head == "/" && b.low == b.high && b.low >= 1) {
      Narrow(x, {to.low * b.low, (to.high + 1) * b.low - 1});
    }
  }

  // Excludes 0 at the ends: the factors of a nonzero product are not zero.
  static Interval Away(const Interval& a) {
    return {a.low == 0 ? 1 : a.low, a.high == 0 ? -1 : a.high};
  }

  // Factors of a bounded nonzero product are bounded, whatever their signs.
  void NarrowFactors(const Term& x, const Term& y, const Interval& product) {
    const double size = std::max(std::abs(product.low), std::abs(product.high));
    if (std::isinf(size)) return;
    Narrow(x, {Of(x).low == 0 ? 1 : -size, size});
    Narrow(y, {Of(y).low == 0 ? 1 : -size, size});
  }

  void NarrowPower(const Term& x, const Term& y, const Interval& a, const Interval& b,
                   const Interval& to) {
    if (b.low == b.high && b.low >= 1 && to.high >= 0) {
      const double root = std::floor(std::pow(to.high, 1 / b.low) + 1e-9);
      Narrow(x, {std::fmod(b.low, 2) == 0 ? -root : -kInfinity, root});
      if (a.low >= 0 && to.low > 0) {
        Narrow(x, {std::ceil(std::pow(to.low, 1 / b.low) - 1e-9), kInfinity});
      }
    }
    if (a.low >= 2 && to.high >= 1) Narrow(y, {0, std::log(to.high) / std::log(a.low) + 1e-9});
  }

  const ArithmeticGoal& goal_;
  Box& box_;
  Domain domain_;
};

}  // namespace

Box FindBounds(const std::vector<TermPtr>& props, const ArithmeticGoal& arith) {
  Box box;
  for (const Variable& variable : arith.variables) {
    if (variable.domain == Domain::kNat) box[variable.name] = {0, kInfinity};
    if (variable.domain == Domain::kInt) box[variable.name] = {};
  }
  for (int round = 0; round < kRounds; ++round) {
    const Box before = box;
    for (const TermPtr& prop : props) Propagator(arith, &box).Assume(*prop);
    if (box == before) break;
  }
  return box;
}

Interval Evaluate(const Term& term, const Box& box, const ArithmeticGoal& arith, Domain domain) {
  Box copy = box;
  return Propagator(arith, &copy, domain).Of(term);
}

bool IsImpossible(const std::vector<TermPtr>& props, const Box& box, const ArithmeticGoal& arith) {
  Box copy = box;
  Propagator propagator(arith, &copy);
  return std::any_of(props.begin(), props.end(),
                     [&](const TermPtr& prop) { return propagator.Refutes(*prop); });
}

}  // namespace zermelo::policy
