#include "policy/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace zermelo::policy {
namespace {

bool IsFinite(double bound) { return bound > -1e15 && bound < 1e15; }

// "x - 3", "x + 3", "x": x minus a number.
std::string Above(const Term& term, double low) {
  const auto value = static_cast<int64_t>(low);
  if (value == 0) return Parenthesized(term);
  return fmt::format("({} {} {})", Parenthesized(term), value > 0 ? '-' : '+',
                     value > 0 ? value : -value);
}

std::string Below(const Term& term, double high) {
  return fmt::format("({} - {})", static_cast<int64_t>(high), Parenthesized(term));
}

// Things that are not negative because of the bounds of a variable.
std::vector<std::string> Nonnegative(const Term& term, const Box& box) {
  std::vector<std::string> forms;
  const auto found = box.find(term.head);
  if (term.kind != TermKind::kName || found == box.end()) return forms;
  if (IsFinite(found->second.low)) forms.push_back(Above(term, found->second.low));
  if (IsFinite(found->second.high)) forms.push_back(Below(term, found->second.high));
  return forms;
}

class HintWriter {
 public:
  HintWriter(const Box& box, const View& view) : box_(box), view_(view) {}

  void Read(const Term& prop) {
    domain_ = DomainOf(prop, view_);
    Visit(prop, [this](const Term& part) {
      if (part.Is("*")) ReadProduct(*part.args[0], *part.args[1]);
      if (part.Is("^")) ReadPower(part);
    });
  }

  std::vector<std::string> lines;

 private:
  void Add(const std::string& line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }

  // "Nat.pow_le_pow_right … : b ^ low ≤ b ^ y" for a power with a variable exponent.
  std::optional<std::string> PowerBound(const Term& power) const {
    if (!power.Is("^") || domain_ != Domain::kNat) return std::nullopt;
    const Term& exponent = *power.args[1];
    const auto base = NumeralValue(*power.args[0]);
    const auto found = box_.find(exponent.head);
    if (!base || *base < 2 || exponent.kind != TermKind::kName || found == box_.end()) {
      return std::nullopt;
    }
    return fmt::format("Nat.pow_le_pow_right (show 0 < {} by decide) (show {} ≤ {} by omega)", *base,
                       static_cast<int64_t>(found->second.low), exponent.text);
  }

  void ReadProduct(const Term& a, const Term& b) {
    const auto left = PowerBound(a);
    const auto right = PowerBound(b);
    if (left && right) Add(fmt::format("have := Nat.mul_le_mul ({}) ({})", *left, *right));
    const std::vector<std::string> names = NamesIn(a);
    for (const std::string& x : names) {
      for (const std::string& y : NamesIn(b)) Pair(x, y);
    }
  }

  std::vector<std::string> NamesIn(const Term& term) const { return IntegerVariables(term, view_); }

  void Pair(const std::string& x, const std::string& y) {
    const Term left = Name(x);
    const Term right = Name(y);
    if (domain_ == Domain::kNat) {
      const auto a = static_cast<int64_t>(box_.at(x).low);
      const auto b = static_cast<int64_t>(box_.at(y).low);
      if (a > 0 || b > 0) {
        Add(fmt::format("have := Nat.mul_le_mul (show {} ≤ {} by omega) (show {} ≤ {} by omega)", a,
                        x, b, y));
        Add(fmt::format("have := Nat.mul_le_mul (show {} ≤ {} by omega) (Nat.le_refl {})", a, x, y));
        Add(fmt::format("have := Nat.mul_le_mul (Nat.le_refl {}) (show {} ≤ {} by omega)", x, b, y));
      }
      return;
    }
    for (const std::string& p : Nonnegative(left, box_)) {
      for (const std::string& q : Nonnegative(right, box_)) {
        Add(fmt::format(
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
      if (domain_ == Domain::kNat && found != box_.end() && *k > 2) {
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
  const View& view_;
  Domain domain_ = Domain::kOther;
};

}  // namespace

std::vector<std::string> ProductHints(const std::vector<TermPtr>& props, const Box& box,
                                      const View& view, size_t limit) {
  HintWriter writer(box, view);
  for (const TermPtr& prop : props) writer.Read(*prop);
  if (writer.lines.size() > limit) writer.lines.resize(limit);
  return std::move(writer.lines);
}

std::string ProveBound(const std::string& name, const std::string& bound,
                       const std::vector<TermPtr>& props, const Box& negated_box,
                       const View& view) {
  std::string text = fmt::format("have {} : {} := by\n  first\n  | omega\n  | grind\n", name, bound);
  const std::vector<std::string> hints = ProductHints(props, negated_box, view, 12);
  if (!hints.empty()) {
    text += "  | refine Decidable.byContradiction fun hn => ?_\n";
    for (const std::string& hint : hints) text += "    " + hint + "\n";
    text += "    first\n    | omega\n    | grind\n";
  }
  return text;
}

}  // namespace zermelo::policy
