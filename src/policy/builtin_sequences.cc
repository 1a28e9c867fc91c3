// Sequences given by first values and a recurrence: values are computed here, one equation at a
// time proved from the recurrence; far values through the period of the sequence (or of its
// residues).
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "policy/ideas.h"

namespace zermelo::policy {
namespace {

constexpr int64_t kTable = 90;   // values computed
constexpr int64_t kUnroll = 40;  // values proved one by one
constexpr int64_t kMaxPeriod = 24;

// ∀ n ≥ from, f (n + shift) = right
struct Recurrence {
  std::string proof;
  std::string function;
  std::string variable;
  int64_t from = 0;
  bool guarded = false;  // needs a proof of the bound
  int64_t shift = 0;
  TermPtr right;
};

// n + 2 -> 2, n -> 0
std::optional<int64_t> Shift(const Term& index, const std::string& variable) {
  if (index.kind == TermKind::kName && index.head == variable) return 0;
  if (index.Is("+") && index.args[0]->kind == TermKind::kName && index.args[0]->head == variable) {
    return NumeralValue(*index.args[1]);
  }
  return std::nullopt;
}

// The least n that a bound like "≥ 3", "> 1", `3 ≤ n` or `0 < n` admits.
std::optional<int64_t> LeastOf(const Term& bound, const std::string& variable) {
  if (bound.args.size() != 2) return std::nullopt;
  const bool variable_left = bound.args[0]->head == variable;
  const auto number = NumeralValue(*bound.args[variable_left ? 1 : 0]);
  if (!number || bound.args[variable_left ? 0 : 1]->head != variable) return std::nullopt;
  if (bound.Is(variable_left ? "≥" : "≤")) return *number;
  if (bound.Is(variable_left ? ">" : "<")) return *number + 1;
  if (bound.Is("≠") && *number == 0) return 1;
  return std::nullopt;
}

std::optional<Recurrence> ReadRecurrence(const Fact& fact) {
  const Term& prop = *fact.prop;
  if (prop.kind != TermKind::kBinder || prop.head != "∀" || prop.names.size() != 1)
    return std::nullopt;
  Recurrence recurrence{fact.proof, "", prop.names[0], 0, false, 0, nullptr};
  const Term* body = prop.args[0].get();
  if (!prop.bound.empty() && prop.bound[0] != ':') {
    const auto least =
        LeastOf(*ParseTerm(recurrence.variable + " " + prop.bound), recurrence.variable);
    if (!least) return std::nullopt;
    recurrence.from = *least;
    recurrence.guarded = true;
  } else if (body->Is("→")) {
    const auto least = LeastOf(*body->args[0], recurrence.variable);
    if (!least) return std::nullopt;
    recurrence.from = *least;
    recurrence.guarded = true;
    body = body->args[1].get();
  }
  if (!body->Is("=")) return std::nullopt;
  const Term& left = *body->args[0];
  if (left.kind != TermKind::kApply || left.args.size() != 1) return std::nullopt;
  const auto shift = Shift(*left.args[0], recurrence.variable);
  if (!shift) return std::nullopt;
  recurrence.function = left.head;
  recurrence.shift = *shift;
  recurrence.right = body->args[1];
  return recurrence;
}

class Prover {
 public:
  explicit Prover(const IdeaInput& input) : view_(input.view) {
    for (const Fact& fact : view_.facts) {
      if (auto recurrence = ReadRecurrence(fact)) recurrences_.push_back(std::move(*recurrence));
    }
  }

  void Run(Candidates* out) {
    if (recurrences_.empty() || recurrences_.size() > 3) return;
    std::set<int64_t> moduli = {0};
    Visit(*view_.target, [&](const Term& part) {
      const auto m = part.Is("%") ? NumeralValue(*part.args[1]) : std::nullopt;
      if (m && *m >= 2 && *m <= 1000) moduli.insert(*m);
    });
    for (const int64_t m : moduli) {
      modulus_ = m;
      if (m != 0 && !RespectsResidues()) continue;
      Fill();
      if (auto text = Unrolled()) Emit(*text, 0.6, out);
      if (auto text = Periodic()) Emit(*text, 0.8, out);
    }
  }

 private:
  using Index = std::pair<std::string, int64_t>;

  static void Emit(std::string text, double cost, Candidates* out) {
    out->push_back({std::move(text), cost, true, 0, "sequences"});
  }

  Domain RangeOf(const std::string& function) const {
    const Variable* variable = view_.Find(function);
    if (variable == nullptr) return Domain::kOther;
    if (variable->type.ends_with("→ Rat")) return Domain::kRat;
    if (variable->type.ends_with("→ Int")) return Domain::kInt;
    return variable->type.ends_with("→ Nat") ? Domain::kNat : Domain::kOther;
  }

  // Residues of the right sides follow from residues of the values.
  bool RespectsResidues() const {
    for (const Recurrence& recurrence : recurrences_) {
      const Domain domain = RangeOf(recurrence.function);
      if (domain == Domain::kRat) return false;
      bool respects = true;
      Visit(*recurrence.right, [&](const Term& part) {
        respects &= !part.Is("/") && !part.Is("%") && !part.Is("^");
        // A subtraction in an index, n - 1, is fine; the index is one name and one number.
        const bool index = part.args.size() == 2 && part.args[0]->head == recurrence.variable;
        respects &= !part.Is("-") || domain == Domain::kInt || index;
      });
      if (!respects) return false;
    }
    return true;
  }

  void Fill() {
    table_ = {};
    for (const Fact& fact : view_.facts) {
      const Term& prop = *fact.prop;
      if (!prop.Is("=") || prop.args[0]->kind != TermKind::kApply || prop.args[0]->args.size() != 1)
        continue;
      const auto index = NumeralValue(*prop.args[0]->args[0]);
      const auto value = Evaluate(*prop.args[1], {}, DomainOf(prop, view_));
      if (index && value) Store({prop.args[0]->head, *index}, *value);
    }
    for (int64_t i = 0; i <= kTable; ++i) {
      for (const Recurrence& recurrence : recurrences_) {
        const int64_t n = i - recurrence.shift;
        if (n < recurrence.from || table_.applications.contains({recurrence.function, i})) continue;
        table_.values[recurrence.variable] = {n, 1};
        const auto value = Evaluate(*recurrence.right, table_, RangeOf(recurrence.function));
        table_.values.erase(recurrence.variable);
        if (value) Store({recurrence.function, i}, *value);
      }
    }
  }

  void Store(const Index& index, Rational value) {
    if (modulus_ != 0) {
      if (!value.IsInteger()) return;
      value.numerator = Remainder(value.numerator, modulus_);
    }
    table_.applications[index] = value;
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

  // "have hs_f_5 : f (5) = 8 := by …", from the recurrence at index - shift.
  std::string Step(const Recurrence& recurrence, const std::string& name, const std::string& index,
                   const std::string& argument, const Rational& value) const {
    const std::string guard = recurrence.guarded ? " (by omega)" : "";
    return fmt::format(
        "have {} : {} := by\n"
        "  have hstep := {} ({}){}\n"
        "  first\n"
        "  | omega\n"
        "  | grind\n"
        "  | (simp at hstep; omega)\n"
        "  | simp_all\n",
        name, Equation(recurrence.function, index, value), recurrence.proof, argument, guard);
  }

  // Indices that the target asks for: numerals.
  std::set<Index> Wanted() const {
    std::set<Index> wanted;
    Visit(*view_.target, [&](const Term& part) {
      if (part.kind != TermKind::kApply || part.args.size() != 1 ||
          RecurrenceOf(part.head) == nullptr)
        return;
      if (const auto index = NumeralValue(*part.args[0])) wanted.insert({part.head, *index});
    });
    return wanted;
  }

  // Proves the values up to `last`; their names are added to `known_`.
  std::string Values(int64_t last) {
    known_ = BaseFacts();
    std::string text;
    for (int64_t i = 0; i <= last; ++i) {
      for (const Recurrence& recurrence : recurrences_) {
        const Rational* value = Value(recurrence.function, i);
        const int64_t n = i - recurrence.shift;
        if (value == nullptr) continue;
        const std::string name = fmt::format("hs_{}_{}", recurrence.function, i);
        if (IsBase({recurrence.function, i})) {
          text += fmt::format("have {} : {} := by first | assumption | omega | simp_all\n", name,
                              Equation(recurrence.function, std::to_string(i), *value));
        } else if (n >= recurrence.from) {
          text += Step(recurrence, name, std::to_string(i), std::to_string(n), *value);
        } else {
          continue;
        }
        known_ += " " + name;
      }
    }
    return text;
  }

  std::string BaseFacts() const {
    std::set<std::string> names;
    for (const Fact& fact : view_.facts) {
      if (fact.prop->Is("=") && fact.prop->args[0]->kind == TermKind::kApply)
        names.insert(fact.hypothesis);
    }
    return fmt::format("{}", fmt::join(names, " "));
  }

  bool IsBase(const Index& index) const {
    return std::any_of(view_.facts.begin(), view_.facts.end(), [&](const Fact& fact) {
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

  std::optional<std::string> Unrolled() {
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
      for (int64_t length = 1; length <= kMaxPeriod; ++length) {
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

  // ".2.2.1": how to reach part j of a conjunction of n.
  static std::string Projection(int64_t j, int64_t n) {
    std::string path;
    for (int64_t i = 0; i < j; ++i) path += ".2";
    return j + 1 < n ? path + ".1" : path;
  }

  std::optional<std::string> Periodic() {
    if (recurrences_.size() != 1) return std::nullopt;
    const Recurrence& recurrence = recurrences_[0];
    const auto period = FindPeriod();
    if (!period) return std::nullopt;
    const std::string& f = recurrence.function;
    const auto [start, length] = *period;
    std::string uses;
    std::string facts;
    if (!Use(*period, &uses, &facts)) return std::nullopt;

    std::string text = Values(start + length - 1);
    std::string claim;
    for (int64_t j = 0; j < length; ++j) {
      claim += (j == 0 ? "" : " ∧ ") +
               Equation(f, fmt::format("{} * k + {}", length, start + j), *Value(f, start + j));
    }
    text += fmt::format("have hkey : ∀ k : Nat, {} := by\n  intro k\n  induction k with\n", claim);
    std::string names;
    for (int64_t j = 0; j < length; ++j)
      names += fmt::format("{}hs_{}_{}", j == 0 ? "" : ", ", f, start + j);
    text += fmt::format("  | zero => exact ⟨{}⟩\n  | succ k ih =>\n", names);
    std::string inner;
    std::string previous;
    known_.clear();
    for (int64_t j = 0; j < length; ++j) {
      previous += fmt::format("{}hp_{}", j == 0 ? "" : ", ", j);
      known_ += fmt::format(" hp_{}", j);
    }
    inner += length == 1 ? "have hp_0 := ih\n" : fmt::format("obtain ⟨{}⟩ := ih\n", previous);
    std::string results;
    for (int64_t j = 0; j < length; ++j) {
      const int64_t offset = start + length + j;
      const int64_t argument = offset - recurrence.shift;
      if (argument < 0) return std::nullopt;
      const std::string name = fmt::format("hn_{}", j);
      inner += Step(recurrence, name, fmt::format("{} * k + {}", length, offset),
                    fmt::format("{} * k + {}", length, argument), *Value(f, start + j));
      known_ += " " + name;
      results += (j == 0 ? "" : ", ") + name;
    }
    inner += fmt::format("exact ⟨{}⟩\n", results);
    text += Indent(inner, 4);
    return text + uses + Finish(facts);
  }

  // What the period says about the target's indices: numerals, and variables with a known residue.
  bool Use(const Period& period, std::string* uses, std::string* facts) const {
    const std::string& f = recurrences_[0].function;
    int count = 0;
    auto add = [&](const std::string& index, int64_t part, const std::string& k) {
      const std::string name = fmt::format("he_{}", count++);
      *uses += fmt::format(
          "have {0} : {1} := by\n"
          "  have hk := (hkey ({2})){3}\n"
          "  first\n"
          "  | exact hk\n"
          "  | rwa [show {4} * ({2}) + {5} = {6} by omega] at hk\n",
          name, Equation(f, index, *Value(f, period.start + part)), k,
          Projection(part, period.length), period.length, period.start + part, index);
      *facts += (facts->empty() ? "" : ", ") + name;
    };
    for (const auto& [function, index] : Wanted()) {
      if (index < period.start) return false;
      add(std::to_string(index), (index - period.start) % period.length,
          std::to_string((index - period.start) / period.length));
    }
    for (const std::string& name : VariableIndices()) {
      for (const Fact& fact : view_.facts) {
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
    return count > 0;
  }

  std::set<std::string> VariableIndices() const {
    std::set<std::string> names;
    Visit(*view_.target, [&](const Term& part) {
      if (part.IsApply(recurrences_[0].function) && part.args.size() == 1 &&
          part.args[0]->kind == TermKind::kName) {
        names.insert(part.args[0]->head);
      }
    });
    return names;
  }

  const View& view_;
  std::vector<Recurrence> recurrences_;
  int64_t modulus_ = 0;
  Assignment table_;
  std::string known_;  // facts that a step may use
};

}  // namespace

void ProposeSequences(const IdeaInput& input, Candidates* out) { Prover(input).Run(out); }

}  // namespace zermelo::policy
