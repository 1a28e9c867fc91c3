// Arguments of classical logic that no decision procedure finds: a diagonal, infinite descent, a
// least or greatest element, the pigeonhole principle. Each is a proof of its own, about a function
// or a predicate that is a variable of the goal.
#include <fmt/format.h>
#include <utility>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMostPigeons = 5;

bool IsBinder(const Term& term, std::string_view head) {
  return term.kind == TermKind::kBinder && term.head == head && !term.names.empty();
}

/// What `A → B → C` has on the left of its arrows, and last what is on the right.
std::vector<TermPtr> Arrows(const Variable& variable) {
  std::vector<TermPtr> parts = {ParseTerm(variable.type)};
  while (parts.back()->Is("→")) {
    const TermPtr arrow = parts.back();
    parts.back() = arrow->args[0];
    parts.push_back(arrow->args[1]);
  }
  return parts;
}

/// The number in `Fin 3`.
std::optional<size_t> SizeOfFin(const Term& type) {
  if (!type.IsApply("Fin") || type.args.size() != 1) return std::nullopt;
  const auto size = NumeralValue(*type.args[0]);
  if (!size || *size < 0) return std::nullopt;
  return static_cast<size_t>(*size);
}

class Arguments {
 public:
  Arguments(const HeuristicInput& input, Candidates* out)
      : arith_(input.arith), target_(*input.arith.target), out_(out) {
    const bool is_negation = target_.Is("¬");
    is_false_ = is_negation || target_.text == "False";
    for (const Fact& fact : arith_.facts) {
      if (IsBinder(*fact.prop, "∀")) universal_.emplace_back(fact.proof, fact.prop);
    }
    if (!is_negation) return;
    assumed_ = arith_.Fresh("hneg");
    universal_.emplace_back(assumed_, target_.args[0]);
  }

  void Run() {
    for (const Variable& variable : arith_.variables) {
      const std::vector<TermPtr> parts = Arrows(variable);
      if (parts.size() == 3 && parts[0]->text == parts[1]->text) Diagonal(variable, parts);
      if (parts.size() != 2) continue;
      if (DomainOfType(parts[1]->text) == Domain::kNat) {
        Descent(variable, parts);
        Minimum(variable, parts);
      }
      if (parts[1]->text == "Prop" && DomainOfType(parts[0]->text) == Domain::kNat) {
        LeastOf(variable);
      }
      PowerSet(variable, parts);
      Pigeons(variable, parts);
    }
    Least();
    Greatest();
    Drinker();
    NoneAtAll();
  }

 private:
  void Add(std::string tactic, double cost) {
    out_->push_back({std::move(tactic), cost, true, "classical"});
  }

  /// The same where the target is a negation, whose proposition is assumed first.
  void AddRefutation(const std::string& tactic, double cost) {
    Add(assumed_.empty() ? tactic : fmt::format("intro {}\n{}", assumed_, tactic), cost);
  }

  /// Hypotheses that begin with ∀, and what the target denies, as far as they mention a variable.
  std::vector<std::string> UniversalAbout(const Variable& variable) const {
    std::vector<std::string> proofs;
    for (const auto& [proof, prop] : universal_) {
      if (Mentions(*prop, variable.name)) proofs.push_back(proof);
    }
    return proofs;
  }

  /// Terms of a type, one of which may exist; empty: of a type that is a variable.
  std::vector<std::string> Inhabitants(const std::string& type) const {
    std::vector<std::string> terms;
    for (const Variable& variable : arith_.variables) {
      const bool fits =
          type.empty() ? arith_.Find(variable.type) != nullptr : variable.type == type;
      if (fits) terms.push_back(variable.name);
    }
    terms.insert(terms.end(), {"default", "(Classical.choice inferInstance)"});
    return terms;
  }

  /// Cantor: no `f : α → α → β` has all functions from α to β among its rows. Lawvere: if it has,
  /// each function on β has a fixed point.
  void Diagonal(const Variable& f, const std::vector<TermPtr>& parts) {
    const std::string x = arith_.Fresh("x"), result = parts[2]->text;
    const std::string entry = fmt::format("{0} {1} {1}", f.name, x);
    std::string other;
    if (result == "Prop") other = "¬ " + entry;
    if (result == "Bool") other = "!" + entry;
    if (DomainOfType(result) != Domain::kOther) other = entry + " + 1";
    if (!other.empty() && IsBinder(target_, "∃") && Mentions(target_, f.name)) {
      Add(fmt::format("refine ⟨fun {} => {}, ?_⟩\n"
                      "first\n"
                      "  | (intro a h; have := congrFun h a; simp at this; done)\n"
                      "  | (rintro ⟨a, h⟩; have := congrFun h a; simp at this; done)\n"
                      "  | (intro a h; have := h a; simp at this; done)\n"
                      "  | (rintro ⟨a, h⟩; have := h a; simp at this; done)\n"
                      "  | (intro a; exact ⟨a, by simp⟩)",
                      x, other),
          0.62);
    }
    for (const std::string& fact : UniversalAbout(f)) {
      if (!other.empty()) {
        AddRefutation(fmt::format("obtain ⟨a, ha⟩ := {} (fun {} => {})\n"
                                  "first\n"
                                  "  | (have := congrFun ha a; simp at this; done)\n"
                                  "  | (have := ha a; simp at this; done)",
                                  fact, x, other),
                      0.63);
      }
      if (!IsBinder(target_, "∃")) continue;
      for (const Variable& t : arith_.variables) {
        const std::vector<TermPtr> sides = Arrows(t);
        if (sides.size() != 2 || sides[0]->text != result || sides[1]->text != result) continue;
        Add(fmt::format("obtain ⟨a, ha⟩ := {0} (fun {4} => {1} ({2}))\n"
                        "exact ⟨{3} a a, by first | exact (congrFun ha a).symm | exact congrFun ha "
                        "a | exact (ha a).symm | exact ha a⟩",
                        fact, t.name, entry, f.name, x),
            0.64);
      }
    }
  }

  /// No function from the predicates on a type to the type is injective.
  void PowerSet(const Variable& f, const std::vector<TermPtr>& parts) {
    const Term& domain = *parts[0];
    if (!domain.Is("→") || domain.args[1]->text != "Prop") return;
    if (domain.args[0]->text != parts[1]->text) return;
    const std::string x = arith_.Fresh("x"), p = arith_.Fresh("p");
    const std::string diagonal =
        fmt::format("(fun {1} => ∃ {2}, {0} {2} = {1} ∧ ¬ {2} {1})", f.name, x, p);
    for (const std::string& injective : UniversalAbout(f)) {
      AddRefutation(fmt::format("have key : ¬ {0} ({1} {0}) := by\n"
                                "  rintro ⟨p, hp, hn⟩\n"
                                "  first | have := {2} hp | have := {2} _ _ hp\n"
                                "  subst this\n"
                                "  exact hn ⟨_, rfl, hn⟩\n"
                                "exact key ⟨_, rfl, key⟩",
                                diagonal, f.name, injective),
                    0.65);
    }
  }

  /// Natural numbers do not decrease for ever.
  void Descent(const Variable& f, const std::vector<TermPtr>& parts) {
    if (!is_false_) return;
    for (const std::string& fact : UniversalAbout(f)) {
      if (DomainOfType(parts[0]->text) == Domain::kNat) {
        AddRefutation(fmt::format("have key : ∀ n, {0} n + n ≤ {0} 0 := by\n"
                                  "  intro n\n"
                                  "  induction n with\n"
                                  "  | zero => simp\n"
                                  "  | succ n ih => have := {1} n; omega\n"
                                  "have := key ({0} 0 + 1)\n"
                                  "omega",
                                  f.name, fact),
                      0.66);
      }
      for (const std::string& x : Inhabitants(parts[0]->text)) {
        AddRefutation(fmt::format("have key : ∀ n x, {0} x = n → False := by\n"
                                  "  intro n\n"
                                  "  induction n using Nat.strongRecOn with\n"
                                  "  | _ n ih => intro x hx; have := {1} x; grind\n"
                                  "exact key _ {2} rfl",
                                  f.name, fact, x),
                      0.94);
      }
    }
  }

  /// What is false below a number is false at it; and what relates everything to something relates
  /// that to itself.
  void NoneAtAll() {
    if (!is_false_) return;
    for (const Variable& variable : arith_.variables) {
      const bool counts = variable.domain == Domain::kNat &&
                          (target_.text == "False" || Mentions(target_, variable.name));
      if (!counts || universal_.size() < 2) continue;
      Add(fmt::format("induction {0} using Nat.strongRecOn with\n| _ {0} ih => grind",
                      variable.name),
          0.93);
    }
    const Term* denied = assumed_.empty() ? nullptr : target_.args[0].get();
    if (denied != nullptr && IsBinder(*denied, "∃") && IsBinder(*denied->args[0], "∀")) {
      Add("rintro ⟨b, hb⟩\nhave := hb b\nfirst | (simp at this; done) | grind", 0.6);
    }
  }

  /// A function to the natural numbers has a least value.
  void Minimum(const Variable& f, const std::vector<TermPtr>& parts) {
    if (!IsBinder(target_, "∃") || !Mentions(target_, f.name)) return;
    for (const std::string& x : Inhabitants(parts[0]->text)) {
      Add(fmt::format("have key : ∀ n x, {0} x = n → ∃ x, ∀ y, {0} x ≤ {0} y := by\n"
                      "  intro n\n"
                      "  induction n using Nat.strongRecOn with\n"
                      "  | _ n ih =>\n"
                      "    intro x hx\n"
                      "    by_cases h : ∃ y, {0} y < n\n"
                      "    · obtain ⟨y, hy⟩ := h; exact ih _ hy y rfl\n"
                      "    · exact ⟨x, by grind⟩\n"
                      "obtain ⟨x, hx⟩ := key _ {1} rfl\n"
                      "exact ⟨x, by first | exact hx | grind⟩",
                      f.name, x),
          0.95);
    }
  }

  /// A predicate on natural numbers that holds somewhere has a least place where it does.
  void Least(const std::string& holds, const std::string& predicate, double cost) {
    if (!IsBinder(target_, "∃")) return;
    const std::string n = arith_.Fresh("n"), m = arith_.Fresh("m");
    Add(fmt::format("obtain ⟨{2}, hn⟩ := {0}\n"
                    "induction {2} using Nat.strongRecOn with\n"
                    "| _ {2} ih =>\n"
                    "  by_cases hm : ∃ {3}, {3} < {2} ∧ {1} {3}\n"
                    "  · obtain ⟨{3}, hlt, hp⟩ := hm; exact ih {3} hlt hp\n"
                    "  · simp only [not_exists, not_and] at hm\n"
                    "    exact ⟨{2}, by grind⟩",
                    holds, predicate, n, m),
        cost);
  }

  void Least() {
    for (const Fact& fact : arith_.facts) {
      const Term& prop = *fact.prop;
      if (!IsBinder(prop, "∃") || prop.names.size() != 1) continue;
      if (prop.bound.starts_with(":") && DomainOfType(prop.bound.substr(2)) != Domain::kNat) {
        continue;
      }
      Least(fact.proof, fmt::format("(fun {} : Nat => {})", prop.names[0], prop.args[0]->text),
            0.68);
    }
  }

  /// `∀ n, P n → n ≤ b`: either b is the greatest, or b - 1 is a bound, too.
  void Greatest() {
    if (!IsBinder(target_, "∃")) return;
    for (const Fact& fact : arith_.facts) {
      const Term& prop = *fact.prop;
      if (!IsBinder(prop, "∀") || prop.names.size() != 1 || !prop.args[0]->Is("→")) continue;
      const std::string& n = prop.names[0];
      const Term& holds = *prop.args[0]->args[0];
      const Term& bounded = *prop.args[0]->args[1];
      if ((!bounded.Is("≤") && !bounded.Is("<")) || bounded.args[0]->text != n) continue;
      const Variable* bound = arith_.Find(bounded.args[1]->text);
      if (bound == nullptr || bound->domain != Domain::kNat || Mentions(holds, bound->name))
        continue;
      const bool applied = holds.kind == TermKind::kApply && holds.args.size() == 1 &&
                           holds.args[0]->text == n && arith_.Find(holds.head) != nullptr;
      const std::string predicate =
          applied ? holds.head : fmt::format("(fun {} : Nat => {})", n, holds.text);
      Add(fmt::format("induction {0} with\n"
                      "| zero => grind\n"
                      "| succ {0} ih => by_cases hlast : {1} {2} <;> grind",
                      bound->name, predicate,
                      bounded.Is("<") ? bound->name : fmt::format("({} + 1)", bound->name)),
          0.7);
    }
  }

  /// For a predicate that holds at a term.
  void LeastOf(const Variable& p) {
    for (const Fact& fact : arith_.facts) {
      if (!fact.prop->IsApply(p.name) || fact.prop->args.size() != 1) continue;
      Least(fmt::format("(⟨{}, {}⟩ : ∃ n, {} n)", fact.prop->args[0]->text, fact.proof, p.name),
            p.name, 0.69);
    }
  }

  /// More pigeons than holes: two of them are in the same one.
  void Pigeons(const Variable& f, const std::vector<TermPtr>& parts) {
    const auto pigeons = SizeOfFin(*parts[0]);
    const auto holes = parts[1]->text == "Bool" ? 2 : SizeOfFin(*parts[1]);
    if (!pigeons || !holes || *holes >= *pigeons || *pigeons > kMostPigeons) return;
    const std::string same = arith_.Fresh("hsame");
    std::string pairs, patterns, cases, ends;
    for (size_t i = 0; i < *pigeons; ++i) {
      cases += fmt::format("cases h{0} : {1} {0} <;> ", i, f.name);
      for (size_t j = i + 1; j < *pigeons; ++j) {
        pairs += fmt::format("{}{} {} = {} {}", pairs.empty() ? "" : " ∨ ", f.name, i, f.name, j);
        patterns += (patterns.empty() ? "" : " | ") + same;
        ends += fmt::format(
            "\n  | (refine ⟨{}, {}, ?_⟩; first | exact ⟨by decide, {}⟩ | (simp_all; done))", i, j,
            same);
      }
    }
    const std::string met =
        fmt::format("have key : {} := by {}\nrcases key with {}\n", pairs,
                    parts[1]->text == "Bool" ? cases + "simp_all" : "omega", patterns);
    if (IsBinder(target_, "∃")) Add(met + "all_goals first" + ends, 0.67);
    for (const std::string& injective : UniversalAbout(f)) {
      AddRefutation(fmt::format("{0}all_goals\n"
                                "  first | have := {1} {2} | have := {1} _ _ {2}\n"
                                "  revert this\n"
                                "  decide",
                                met, injective, same),
                    0.67);
    }
  }

  /// `∃ x, p x → ∀ y, p y`: whether the conclusion holds decides which x it is.
  void Drinker() {
    if (!IsBinder(target_, "∃") || target_.names.size() != 1) return;
    const Term& body = *target_.args[0];
    if (!body.Is("→") || Mentions(*body.args[1], target_.names[0])) return;
    std::string some;
    for (const std::string& x : Inhabitants(TypeOfBound())) {
      some += fmt::format(" | exact ⟨{}, fun _ => h⟩", x);
    }
    Add(fmt::format("by_cases h : {}\n· first{}\n· grind", body.args[1]->text, some), 0.61);
  }

  std::string TypeOfBound() const {
    return target_.bound.starts_with(": ") ? target_.bound.substr(2) : "";
  }

  const ArithmeticGoal& arith_;
  const Term& target_;
  Candidates* out_;
  bool is_false_ = false;
  std::string assumed_;  // the name of what the target denies; empty: it denies nothing
  std::vector<std::pair<std::string, TermPtr>> universal_;  // proofs and what they prove
};

}  // namespace

void ProposeClassical(const HeuristicInput& input, Candidates* out) { Arguments(input, out).Run(); }

}  // namespace zermelo::policy
