// Sequences given by initial values and a recurrence. The values are computed here, and proved one
// by one from the recurrence; distant values are proved from the period of the sequence (or of its
// residues).
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/text.h"
#include "policy/arith/recurrence.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr int64_t kTable = 90;   // values computed
constexpr int64_t kUnroll = 40;  // values proved one by one
constexpr int64_t kMaxSequencePeriod = 24;

class Prover {
 public:
  explicit Prover(const HeuristicInput& input) : goal_(input.arith) {
    for (const Fact& fact : goal_.facts) {
      if (auto recurrence = ReadRecurrence(fact)) recurrences_.push_back(std::move(*recurrence));
    }
  }

  void Run(Candidates* out) {
    if (recurrences_.empty() || recurrences_.size() > 3) return;
    std::set<int64_t> moduli = {0};
    Visit(*goal_.target, [&](const Term& part) {
      const auto m = part.Is("%") ? NumeralValue(*part.args[1]) : std::nullopt;
      if (m && *m >= 2 && *m <= 1000) moduli.insert(*m);
    });
    for (const int64_t m : moduli) {
      modulus_ = m;
      if (m != 0 && !RespectResidues(recurrences_, goal_)) continue;
      table_ = ComputeValues(recurrences_, goal_, m, kTable);
      if (auto text = Unrolled()) Emit(*text, 0.6, out);
      if (auto text = Periodic()) Emit(*text, 0.8, out);
    }
  }

 private:
  using Index = std::pair<std::string, int64_t>;

  static void Emit(std::string text, double cost, Candidates* out) {
    out->push_back({std::move(text), cost, true, "sequences"});
  }

  const Rational* Value(const std::string& function, int64_t index) const {
    const auto found = table_.applications.find({function, index});
    return found == table_.applications.end() ? nullptr : &found->second;
  }

  const Recurrence* RecurrenceOf(const std::string& function) const {
    for (const Recurrence& recurrence : recurrences_) {
      if (recurrence.function == function) return &recurrence;
    }
    return nullptr;
  }

  std::string Equation(const std::string& function, const std::string& index,
                       const Rational& value) const {
    if (modulus_ != 0)
      return fmt::format("{} ({}) % {} = {}", function, index, modulus_, ToString(value));
    return fmt::format("{} ({}) = {}", function, index, ToString(value));
  }

  // An index `length * k + offset`; just `offset` if length is 0.
  struct Place {
    int64_t length = 0;
    int64_t offset = 0;

    std::string Text() const {
      return length == 0 ? std::to_string(offset) : fmt::format("{} * k + {}", length, offset);
    }
  };

  // The right side at n = `place`, with computed indices, so that its terms are those of the facts
  // about earlier values; the names of these facts are added to `used`. Empty if it has other
  // parts.
  std::string Instance(const Term& term, const Recurrence& recurrence, const Place& place,
                       std::vector<std::string>* used) const {
    if (term.kind == TermKind::kNumeral) return term.head;
    if (term.kind == TermKind::kName && term.head == recurrence.variable)
      return "(" + place.Text() + ")";
    if (term.kind == TermKind::kCast) {
      const std::string inner = Instance(*term.args[0], recurrence, place, used);
      return inner.empty() ? ""
                           : fmt::format("(({} : Nat) : {})", inner,
                                         TypeName(RangeOf(recurrence.function, goal_)));
    }
    if (term.kind == TermKind::kApply && term.args.size() == 1 &&
        RecurrenceOf(term.head) != nullptr) {
      Assignment at;
      at.values[recurrence.variable] = place.offset;
      const auto index = Evaluate(*term.args[0], at, Domain::kNat);
      if (!index || IntegerVariableCount(*term.args[0]) != 1) return "";
      const Place part{place.length, static_cast<int64_t>(numerator(*index))};
      used->push_back(FactName(term.head, part));
      return fmt::format("{} ({})", term.head, part.Text());
    }
    if (term.kind != TermKind::kOperator) return "";
    std::string text = "(";
    for (size_t i = 0; i < term.args.size(); ++i) {
      const std::string part = Instance(*term.args[i], recurrence, place, used);
      if (part.empty()) return "";
      if (i > 0 || term.args.size() == 1)
        text += term.args.size() == 1 ? term.head : " " + term.head + " ";
      text += part;
    }
    return text + ")";
  }

  // The number of names in an index: n - 1 has one, n * n two.
  static int IntegerVariableCount(const Term& term) {
    int count = 0;
    Visit(term, [&](const Term& part) { count += part.kind == TermKind::kName ? 1 : 0; });
    return count;
  }

  static std::string FactName(const std::string& function, const Place& place) {
    return fmt::format("h{}_{}_{}", place.length == 0 ? "s" : "p", function, place.offset);
  }

  // "have hs_f_5 : f (5) = 8 := by …", from the recurrence.
  std::string Step(const Recurrence& recurrence, const Place& place, const Rational& value) const {
    const Place argument{place.length, place.offset - recurrence.shift};
    std::vector<std::string> used;
    const std::string right = Instance(*recurrence.right, recurrence, argument, &used);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::string text = fmt::format("have {} : {} := by\n", FactName(recurrence.function, place),
                                   Equation(recurrence.function, place.Text(), value));
    text += fmt::format(
        "  have hstep{} := {} ({}){}\n",
        right.empty() ? ""
                      : fmt::format(" : {} ({}) = {}", recurrence.function, place.Text(), right),
        recurrence.proof, argument.Text(), recurrence.guarded ? Guard(place) : "");
    text += "  first\n";
    if (modulus_ != 0 && IsSumOfTwo(recurrence)) {  // omega takes longer
      text += fmt::format("  | (rw [hstep, Nat.add_mod, {}]; done)\n", fmt::join(used, ", "));
    }
    text += "  | omega\n";
    if (!right.empty() && modulus_ == 0) {
      used.insert(used.begin(), "hstep");
      text += fmt::format("  | (rw [{0}]; done)\n  | (rw [{0}]; grind)\n", fmt::join(used, ", "));
    }
    return text + "  | grind\n  | (simp at hstep; omega)\n  | simp_all\n";
  }

  // A proof of the bound on an index.
  static std::string Guard(const Place& place) {
    return place.length == 0
               ? " (by omega)"
               : " (by first | exact Nat.lt_of_lt_of_le (by decide) (Nat.le_add_left _ _) | omega)";
  }

  // Whether the recurrence is a sum of two values, like Fibonacci's.
  bool IsSumOfTwo(const Recurrence& recurrence) const {
    const Term& right = *recurrence.right;
    return right.Is("+") && right.args[0]->kind == TermKind::kApply &&
           right.args[1]->kind == TermKind::kApply &&
           RangeOf(recurrence.function, goal_) == Domain::kNat;
  }

  // The numeric indices in the target.
  std::set<Index> Wanted() const {
    std::set<Index> wanted;
    Visit(*goal_.target, [&](const Term& part) {
      if (part.kind != TermKind::kApply || part.args.size() != 1 ||
          RecurrenceOf(part.head) == nullptr)
        return;
      if (const auto index = NumeralValue(*part.args[0])) wanted.insert({part.head, *index});
    });
    return wanted;
  }

  // Proves the values up to `last`.
  std::string Values(int64_t last) const {
    std::string text;
    for (int64_t i = 0; i <= last; ++i) {
      for (const Recurrence& recurrence : recurrences_) {
        const Rational* value = Value(recurrence.function, i);
        if (value == nullptr) continue;
        const Place place{0, i};
        if (IsBase({recurrence.function, i})) {
          text += fmt::format("have {} : {} := by first | assumption | omega | simp_all\n",
                              FactName(recurrence.function, place),
                              Equation(recurrence.function, place.Text(), *value));
        } else if (i - recurrence.shift >= recurrence.from) {
          text += Step(recurrence, place, *value);
        }
      }
    }
    return text;
  }

  bool IsBase(const Index& index) const {
    return std::any_of(goal_.facts.begin(), goal_.facts.end(), [&](const Fact& fact) {
      const Term& prop = *fact.prop;
      return prop.Is("=") && prop.args[0]->IsApply(index.first) && prop.args[0]->args.size() == 1 &&
             NumeralValue(*prop.args[0]->args[0]) == index.second;
    });
  }

  static std::string Finish(const std::string& facts) {
    return fmt::format(
        "first\n| omega\n| (simp [{0}]; done)\n| (rw [{0}]; rfl)\n| (simp [{0}]; omega)\n"
        "| (simp only [{0}]; with_unfolding_all decide)\n| grind",
        facts);
  }

  std::optional<std::string> Unrolled() const {
    const std::set<Index> wanted = Wanted();
    int64_t last = -1;
    std::string facts;
    for (const auto& [function, index] : wanted) {
      if (Value(function, index) == nullptr) return std::nullopt;
      last = std::max(last, index);
      facts += fmt::format("{}hs_{}_{}", facts.empty() ? "" : ", ", function, index);
    }
    if (last < 0 || last > kUnroll) return std::nullopt;
    std::string text = Values(last);
    return text + Finish(facts);
  }

  // ---- periods

  struct Period {
    int64_t start = 0;
    int64_t length = 0;
  };

  std::optional<Period> FindPeriod() const {
    const std::string& f = recurrences_[0].function;
    int64_t first = 0;
    while (first <= kTable && Value(f, first) == nullptr) ++first;
    int64_t last = first;
    while (Value(f, last) != nullptr) ++last;
    for (int64_t start = first; start < first + 6; ++start) {
      for (int64_t length = 1; length <= kMaxSequencePeriod; ++length) {
        if (last - start < 2 * length + 4) break;
        bool periodic = true;
        for (int64_t i = start; i + length < last && periodic; ++i) {
          periodic = *Value(f, i) == *Value(f, i + length);
        }
        if (periodic) return Period{start, length};
      }
    }
    return std::nullopt;
  }

  // How many values back the recurrence reaches; the whole period if this is unknown.
  int64_t Order(const Recurrence& recurrence, const Period& period) const {
    const Place place{period.length, 1000};
    std::vector<std::string> used;
    const bool read = !Instance(*recurrence.right, recurrence, place, &used).empty();
    int64_t order = 1;
    for (int64_t back = 1; back <= period.length; ++back) {
      const std::string name =
          FactName(recurrence.function, {period.length, 1000 + recurrence.shift - back});
      if (std::find(used.begin(), used.end(), name) != used.end()) order = back;
    }
    return read ? std::min(order, period.length) : period.length;
  }

  // "⟨a, b⟩" or "a", from the names of the facts at places first … first + count - 1.
  static std::string Tuple(const std::string& function, const Place& first, int64_t count) {
    std::string names;
    for (int64_t j = 0; j < count; ++j) {
      names += (j == 0 ? "" : ", ") + FactName(function, {first.length, first.offset + j});
    }
    return count == 1 ? names : "⟨" + names + "⟩";
  }

  // Proves the next `steps` values from the `order` values at the start. Clears facts that are no
  // longer needed and not in `keep`, because omega reads the whole context.
  std::string Chain(const Recurrence& recurrence, const Period& period, int64_t order,
                    int64_t steps, const std::set<int64_t>& keep = {}) const {
    std::string text;
    for (int64_t j = order; j < order + steps; ++j) {
      const Place place{period.length, period.start + j};
      text +=
          Step(recurrence, place, *Value(recurrence.function, period.start + j % period.length));
      if (keep.contains(j - order)) continue;
      text += fmt::format("clear {}\n",
                          FactName(recurrence.function, {period.length, place.offset - order}));
    }
    return text;
  }

  std::optional<std::string> Periodic() const {
    if (recurrences_.size() != 1) return std::nullopt;
    const Recurrence& recurrence = recurrences_[0];
    const auto period = FindPeriod();
    if (!period) return std::nullopt;
    const std::string& f = recurrence.function;
    const auto [start, length] = *period;
    const int64_t order = Order(recurrence, *period);
    if (start + order < recurrence.shift + recurrence.from) return std::nullopt;
    std::string uses;
    std::string facts;
    if (!Use(*period, order, &uses, &facts)) return std::nullopt;

    std::string claim;
    for (int64_t j = 0; j < order; ++j) {
      claim += j == 0 ? "" : " ∧ ";
      claim += Equation(f, Place{length, start + j}.Text(), *Value(f, start + j));
    }
    std::string text = Values(start + order - 1);
    text += fmt::format("have hkey : ∀ k : Nat, {} := by\n  intro k\n  induction k with\n", claim);
    text += fmt::format("  | zero => exact {}\n  | succ k ih =>\n", Tuple(f, {0, start}, order));
    text += fmt::format("    obtain {} := ih\n", Tuple(f, {length, start}, order));
    text += core::Indented(Chain(recurrence, *period, order, length), 4);
    text += fmt::format("    exact {}\n", Tuple(f, {length, start + length}, order));
    return text + uses + Finish(facts);
  }

  // What follows from the period for the target's indices: numerals, and variables with a known
  // residue.
  bool Use(const Period& period, int64_t order, std::string* uses, std::string* facts) const {
    const std::string& f = recurrences_[0].function;
    int count = 0;  // facts in use
    std::set<int64_t> parts;
    auto add = [&](const std::string& index, int64_t part, const std::string& k) {
      parts.insert(part);
      const std::string name = fmt::format("he_{}", count++);
      *uses += fmt::format(
          "have {0} : {1} := by\n"
          "  have hk := hpart_{2} ({3})\n"
          "  first\n"
          "  | exact hk\n"
          "  | rwa [show {4} * ({3}) + {5} = {6} by omega] at hk\n",
          name, Equation(f, index, *Value(f, period.start + part)), part, k, period.length,
          period.start + part, index);
      *facts += (facts->empty() ? "" : ", ") + name;
    };
    for (const auto& [function, index] : Wanted()) {
      if (index < period.start) return false;
      add(std::to_string(index), (index - period.start) % period.length,
          std::to_string((index - period.start) / period.length));
    }
    for (const std::string& name : VariableIndices()) {
      for (const Fact& fact : goal_.facts) {
        const Term& prop = *fact.prop;
        if (!prop.Is("=") || !prop.args[0]->Is("%") || prop.args[0]->args[0]->head != name)
          continue;
        const auto m = NumeralValue(*prop.args[0]->args[1]);
        const auto r = NumeralValue(*prop.args[1]);
        if (!m || !r || *m % period.length != 0) continue;
        const int64_t part = ((*r - period.start) % period.length + period.length) % period.length;
        add(name, part, fmt::format("({} - {}) / {}", name, period.start, period.length));
      }
    }
    if (parts.empty()) return false;
    *uses = Parts(period, order, parts) + *uses;
    return true;
  }

  // "have hpart_3 : ∀ k, f (5 * k + 4) = …" for each part, from hkey by one chain.
  std::string Parts(const Period& period, int64_t order, const std::set<int64_t>& parts) const {
    const Recurrence& recurrence = recurrences_[0];
    const std::string& f = recurrence.function;
    std::string claim, names, uses;
    for (const int64_t part : parts) {
      const Place place{period.length, period.start + part};
      const std::string equation = Equation(f, place.Text(), *Value(f, place.offset));
      claim += (claim.empty() ? "" : " ∧ ") + equation;
      names += (names.empty() ? "" : ", ") + FactName(f, place);
      uses += fmt::format("have hpart_{} : ∀ k : Nat, {} := fun k => by have := hparts k; omega\n",
                          part, equation);
    }
    std::string text = fmt::format("have hparts : ∀ k : Nat, {} := by\n  intro k\n", claim);
    text += fmt::format("  obtain {} := hkey k\n", Tuple(f, {period.length, period.start}, order));
    const int64_t steps = *parts.rbegin() - order + 1;
    if (steps > 0) text += core::Indented(Chain(recurrence, period, order, steps, parts), 2);
    return text + fmt::format("  exact {}\n", parts.size() == 1 ? names : "⟨" + names + "⟩") + uses;
  }

  std::set<std::string> VariableIndices() const {
    std::set<std::string> names;
    Visit(*goal_.target, [&](const Term& part) {
      if (part.IsApply(recurrences_[0].function) && part.args.size() == 1 &&
          part.args[0]->kind == TermKind::kName) {
        names.insert(part.args[0]->head);
      }
    });
    return names;
  }

  const ArithmeticGoal& goal_;
  std::vector<Recurrence> recurrences_;
  int64_t modulus_ = 0;
  Assignment table_;
};

}  // namespace

void ProposeSequences(const HeuristicInput& input, Candidates* out) { Prover(input).Run(out); }

}  // namespace zermelo::policy
