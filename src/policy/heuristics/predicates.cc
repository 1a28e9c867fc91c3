// Inductive predicates of the user's file.
#include <algorithm>
#include <fmt/format.h>

#include "policy/heuristics/heuristics.h"
#include "policy/heuristics/inversion.h"

namespace zermelo::policy {
namespace {

using syntax::FileConstant;

constexpr size_t kMostHypotheses = 3;
constexpr size_t kMostPredicates = 3;
constexpr size_t kMostInductions = 2;

void AddStep(std::string tactic, double cost, bool closing, Candidates* out) {
  out->push_back({std::move(tactic), cost, closing, "predicates"});
}

/// A hypothesis `name : P args` for an inductive predicate of the file.
struct Instance {
  std::string name;
  TermPtr type;
  const FileConstant* predicate;
};

std::vector<Instance> InstancesIn(const HeuristicInput& input) {
  std::vector<Instance> found;
  const auto add = [&](const std::string& name, const TermPtr& type) {
    const FileConstant* predicate = input.file.Predicate(type->head);
    if (predicate != nullptr) found.push_back({name, type, predicate});
  };
  // `Even n` reads like a type: whether it is one, only the file tells.
  for (const Variable& variable : input.arith.variables) {
    add(variable.name, ParseTerm(variable.type));
  }
  for (const Fact& fact : input.arith.facts) {
    if (fact.proof == fact.hypothesis) add(fact.proof, fact.prop);
  }
  return found;
}

struct Generalization {
  std::string before;  // lines above the induction
  std::string after;   // solves the equations of the indices in each case
};

/// What makes every index of the hypothesis a variable, as rule induction needs it.
Generalization Generalized(const Instance& instance, const ArithmeticGoal& arith) {
  Generalization made;
  std::vector<std::string> seen;
  const auto& args = instance.type->args;
  for (size_t i = instance.predicate->parameters; i < args.size(); ++i) {
    const std::string& text = args[i]->text;
    const bool variable = args[i]->kind == TermKind::kName && arith.Find(text) != nullptr;
    const bool repeated = std::ranges::find(seen, text) != seen.end();
    seen.push_back(text);
    if (variable && !repeated) continue;
    const std::string equation = fmt::format("{}{}", arith.Fresh("hi"), i);
    made.before += fmt::format("generalize {} : {} = {}{} at {}\n", equation,
                               Parenthesized(*args[i]), arith.Fresh("i"), i, instance.name);
    made.after += fmt::format(" <;> (try cases {})", equation);
  }
  return made;
}

/// Whether a variable is an index of the hypothesis, or in a parameter of its predicate or an index
/// that the rules repeat, such as a loop.
bool IsFixed(const Instance& instance, const std::string& name) {
  const auto& args = instance.type->args;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool parameter =
        i < instance.predicate->parameters || Repeats(*instance.predicate, args[i]->head);
    if (parameter ? Mentions(*args[i], name) : args[i]->text == name) return true;
  }
  return false;
}

/// " generalizing b c": what the target or another hypothesis of a predicate mentions and is not
/// fixed by the hypothesis.
std::string Generalizing(const Instance& instance, const std::vector<Instance>& all,
                         const ArithmeticGoal& arith) {
  std::string names;
  for (const Variable& variable : arith.variables) {
    const std::string& name = variable.name;
    if (variable.type.starts_with("Type") || variable.type.starts_with("Sort")) continue;
    if (variable.type.ends_with("Prop") || IsFixed(instance, name)) continue;
    const bool used =
        Mentions(*arith.target, name) || std::ranges::any_of(all, [&](const Instance& other) {
          return other.name != instance.name && Mentions(*other.type, name);
        });
    if (used) names += " " + name;
  }
  return names.empty() ? "" : " generalizing" + names;
}

/// A last step for `P a (f b)`: a rule proves `P a x` for an x that is the same by `simp`, as in
/// `P a ([] ++ b)`. Empty if the predicate has no index.
std::string UpToIndex(const FileConstant& predicate, const Term& target) {
  if (target.args.size() <= predicate.parameters) return "";
  std::string motive = predicate.reference;
  for (size_t i = 0; i + 1 < target.args.size(); ++i) motive += " _";
  std::vector<std::string> ways;
  for (const std::string& rule : predicate.constructors) {
    ways.push_back(
        fmt::format("(apply Eq.subst (motive := {}); rotate_left; "
                    "(focus apply {} <;> first | assumption | (constructor; done)); simp; done)",
                    motive, rule));
  }
  return fmt::format("first | {}", fmt::join(ways, " | "));
}

class Rules {
 public:
  Rules(const HeuristicInput& input, Candidates* out) : input_(input), out_(out) {
    std::vector<std::string> grind = input.file.definitions, rules, theorems;
    for (size_t i = 0; i < std::min(kMostPredicates, input.file.predicates.size()); ++i) {
      const FileConstant& predicate = *input.file.predicates[i];
      grind.push_back(predicate.reference);
      rules.insert(rules.end(), predicate.constructors.begin(), predicate.constructors.end());
    }
    for (const FileConstant* theorem : input.file.theorems) theorems.push_back(theorem->reference);
    has_theorems_ = !theorems.empty();
    // With transitivity among the theorems, a search with all of them takes too long.
    for (const std::string& theorem : theorems) {
      one_by_one_ += fmt::format(" | (solve_by_elim [{}]; done)", theorem);
    }
    std::vector<std::string> simp = input.file.definitions;
    simp.insert(simp.end(), rules.begin(), rules.end());
    light_ =
        fmt::format("first | (simp_all; done) | grind [{}] | (solve_by_elim [{}]; done) | omega",
                    fmt::join(grind, ", "), fmt::join(rules, ", "));
    rules.insert(rules.end(), theorems.begin(), theorems.end());
    for (const FileConstant* theorem : input.file.for_simp) simp.push_back(theorem->reference);
    for (const FileConstant* theorem : input.file.for_grind) grind.push_back(theorem->reference);
    simp_ = fmt::format("{}", fmt::join(simp, ", "));
    grind_ = fmt::format("{}", fmt::join(grind, ", "));
    known_ = fmt::format("{}", fmt::join(rules, ", "));
    closers_ = fmt::format(
        "first | (simp_all [{0}]; done) | grind [{1}] | (solve_by_elim [{2}]; done) | omega", simp_,
        grind_, known_);
    in_goal_ = syntax::NamesIn(TypesIn(input.goal));
  }

  void Propose() {
    AddStep(fmt::format("grind [{}]", grind_), 0.33, true, out_);
    AddStep(fmt::format("solve_by_elim [{}]", known_), 0.34, true, out_);
    AddStep(fmt::format("simp_all [{}]", simp_), 0.38, true, out_);
    const std::vector<Instance> instances = InstancesIn(input_);
    ProposeConstructors();
    ProposeTotality();
    ProposeOpened();
    for (size_t i = 0; i < std::min(kMostHypotheses, instances.size()); ++i) {
      ProposeInversion(instances, i);
      ProposeInduction(instances, i);
    }
    ProposeInductionOnIndex();
  }

 private:
  /// Unfolds propositions, introduces everything, takes hypotheses apart and closes what is left.
  /// Empty if nothing can be unfolded or taken apart.
  std::string Opened(const syntax::NameSet& names) const {
    const std::string inversion = Inversion(input_, names),
                      propositions = input_.file.Propositions();
    if (inversion.empty() && propositions.empty()) return "";
    const std::string unfold =
        propositions.empty() ? "" : fmt::format("(try simp only [{}] at *) <;> ", propositions);
    const std::string invert = inversion.empty() ? "" : fmt::format("({}) <;> ", inversion);
    return fmt::format("{}intros <;> (try apply Iff.intro) <;> intros <;> {}{}", unfold, invert,
                       closers_);
  }

  void ProposeOpened() {
    const std::string opened = Opened(in_goal_);
    if (!opened.empty()) AddStep(opened, 0.4, true, out_);
    const std::string propositions = input_.file.Propositions();
    if (propositions.empty()) return;
    AddStep(
        fmt::format("simp only [{}] at *\nintros\n(try apply Iff.intro) <;> intros", propositions),
        0.15, false, out_);
  }

  void ProposeConstructors() {
    const FileConstant* predicate = input_.file.Predicate(input_.arith.target->head);
    if (predicate == nullptr) return;
    AddStep("repeat (first | assumption | omega | constructor)", 0.42, true, out_);
    const std::string up_to_index = UpToIndex(*predicate, *input_.arith.target);
    if (!up_to_index.empty()) AddStep(up_to_index, 0.62, true, out_);
    double cost = 0.9;
    for (const std::string& rule : predicate->constructors) {
      AddStep(fmt::format("apply {} <;> try assumption", rule), cost, false, out_);
      cost += 0.1;
    }
  }

  /// `⊢ ∃ y, P x y`: induction on x; what its hypotheses say exists becomes functions, and the
  /// rules say what y is.
  void ProposeTotality() {
    const Term* body = input_.arith.target.get();
    while (body->kind == TermKind::kBinder && body->head == "∃") body = body->args[0].get();
    const bool total = body != input_.arith.target.get() && input_.file.Predicate(body->head);
    if (!total) return;
    const std::vector<const Variable*> variables = Data();
    for (size_t i = 0; i < std::min(kMostInductions, variables.size()); ++i) {
      std::string others;
      for (const Variable* other : variables) {
        if (other != variables[i]) others += " " + other->name;
      }
      AddStep(
          fmt::format("induction {}{} <;> (try simp only [Classical.skolem] at *) <;>\n"
                      "  (repeat cases ‹∃ _, _›) <;> (apply Exists.intro; solve_by_elim [{}])",
                      variables[i]->name, others.empty() ? "" : " generalizing" + others, known_),
          0.6, true, out_);
    }
  }

  /// The numbers and data that the target mentions.
  std::vector<const Variable*> Data() const {
    std::vector<const Variable*> data;
    for (const Variable& variable : input_.arith.variables) {
      const bool is_data =
          variable.domain == Domain::kNat ||
          (variable.domain == Domain::kOther && !variable.type.starts_with("Type") &&
           variable.type.find("→") == std::string::npos &&
           input_.file.Predicate(ParseTerm(variable.type)->head) == nullptr);
      if (is_data && Mentions(*input_.arith.target, variable.name)) data.push_back(&variable);
    }
    return data;
  }

  /// A case distinction, each case of which is closed.
  void AddClosing(const std::string& cases, double cost) {
    AddStep(fmt::format("{} <;> {}", cases, light_), cost, true, out_);
    if (has_theorems_) AddStep(fmt::format("{} <;> {}", cases, closers_), cost + 0.04, true, out_);
  }

  void ProposeInversion(const std::vector<Instance>& all, size_t index) {
    const std::string& h = all[index].name;
    AddClosing("cases " + h, 0.55);
    AddStep("cases " + h, 0.95, false, out_);
    for (size_t other = index + 1; other < std::min(kMostHypotheses, all.size()); ++other) {
      AddClosing(fmt::format("cases {} <;> cases {}", h, all[other].name), 0.85);
    }
  }

  void ProposeInduction(const std::vector<Instance>& all, size_t index) {
    const Instance& instance = all[index];
    const Generalization general = Generalized(instance, input_.arith);
    const std::string generalizing = Generalizing(instance, all, input_.arith);
    std::vector<std::string> scopes = {generalizing};
    if (!generalizing.empty()) scopes.emplace_back();
    syntax::NameSet names = in_goal_;  // and those that the cases bring
    for (const std::string& rule : instance.predicate->rules) names.Add(syntax::NamesIn(rule));
    const std::string opened = Opened(names);
    double cost = 0.57 + 0.03 * static_cast<double>(index);
    for (const std::string& scope : scopes) {
      const std::string induction =
          fmt::format("{}induction {}{}{}", general.before, instance.name, scope, general.after);
      // The likeliest ones come before automation that is given the rules, which often takes long
      // and ends in nothing.
      const double earlier = index == 0 && &scope == &scopes.front() ? 0.28 : 0;
      AddClosing(induction, cost - earlier);
      for (size_t other = 0; other < std::min(kMostHypotheses, all.size()); ++other) {
        if (other != index) {
          AddClosing(fmt::format("{} <;> cases {}", induction, all[other].name),
                     cost + 0.02 - earlier);
        }
      }
      if (has_theorems_) {
        AddStep(fmt::format("{} <;> first | (simp_all; done){}", induction, one_by_one_),
                cost + 0.07, true, out_);
      }
      if (!opened.empty()) {
        AddStep(
            fmt::format("{} <;> first | (simp_all; done){} | ({})", induction, one_by_one_, opened),
            cost + 0.05, true, out_);
      }
      AddClosing(induction + " <;> (try intros) <;> constructor", cost + 0.2);
      AddStep(induction, cost + 0.9, false, out_);
      cost += 0.1;
    }
  }

  /// `⊢ Even (f n)`: induction on the numbers and data in it.
  void ProposeInductionOnIndex() {
    const FileConstant* predicate = input_.file.Predicate(input_.arith.target->head);
    if (predicate == nullptr) return;
    const std::vector<const Variable*> variables = Data();
    const std::string up_to_index = UpToIndex(*predicate, *input_.arith.target);
    for (size_t i = 0; i < std::min(kMostInductions, variables.size()); ++i) {
      const std::string& name = variables[i]->name;
      AddClosing("induction " + name, 0.64);
      AddStep(fmt::format("induction {} <;> simp_all [Nat.mul_add, Nat.add_mul, {}] <;> {}", name,
                          simp_, closers_),
              0.9, true, out_);
      if (!up_to_index.empty()) {
        AddStep(fmt::format("induction {} <;> simp_all [{}] <;> first | grind [{}] | ({})", name,
                            fmt::join(input_.file.definitions, ", "), grind_, up_to_index),
                0.7, true, out_);
      }
    }
  }

  const HeuristicInput& input_;
  Candidates* const out_;
  bool has_theorems_ = false;
  std::string simp_, grind_, known_;  // what is put into brackets
  std::string light_, closers_;       // what closes a case: without and with the file's theorems
  std::string one_by_one_;            // alternatives with each of them
  syntax::NameSet in_goal_;
};

}  // namespace

void ProposePredicates(const HeuristicInput& input, Candidates* out) {
  if (!input.file.predicates.empty()) Rules(input, out).Propose();
}

}  // namespace zermelo::policy
