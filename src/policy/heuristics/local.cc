// Functions, types and theorems of the user's file.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "policy/heuristics/heuristics.h"
#include "syntax/lexer.h"

namespace zermelo::policy {
namespace {

using syntax::FileConstant;

constexpr size_t kTheoremSteps = 4;  // theorems that are proposed as separate steps

void AddLocal(std::string tactic, double cost, bool closing, Candidates* out) {
  out->push_back({std::move(tactic), cost, closing, "local"});
}

/// What is put into the brackets of tactics.
struct Lists {
  std::string grind, simp;  // definitions and theorems
  /// For grind, of the definitions only those that call themselves: there are theorems about the
  /// others. Empty if it would be the same.
  std::string folded;
  std::string definitions;  // differs from these if there are theorems
  std::string theorems, simp_theorems, grind_theorems;
  std::string mentioned;  // functions that the goal mentions
  bool has_theorems = false;

  /// Before the name of a theorem.
  std::string Definitions() const { return definitions.empty() ? "" : definitions + ", "; }
  /// With the hypotheses.
  std::string SimpAndHypotheses() const { return simp.empty() ? "*" : simp + ", *"; }
};

std::vector<std::string> NamesOf(const std::vector<const FileConstant*>& constants) {
  std::vector<std::string> names;
  for (const FileConstant* constant : constants) names.push_back(constant->reference);
  return names;
}

Lists ListsOf(const FileFacts& file) {
  Lists lists;
  const auto joined = [](const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
  };
  const auto after_definitions = [&](const std::vector<std::string>& theorems) {
    std::vector<std::string> names = file.definitions;
    names.insert(names.end(), theorems.begin(), theorems.end());
    return joined(names);
  };
  std::vector<std::string> mentioned = NamesOf(file.mentioned);
  if (mentioned.size() > 6) mentioned.resize(6);
  lists.grind = after_definitions(NamesOf(file.for_grind));
  lists.simp = after_definitions(NamesOf(file.for_simp));
  lists.definitions = joined(file.definitions);
  lists.theorems = joined(NamesOf(file.theorems));
  lists.simp_theorems = joined(NamesOf(file.for_simp));
  lists.grind_theorems = joined(NamesOf(file.for_grind));
  lists.mentioned = joined(mentioned);
  lists.has_theorems = !file.theorems.empty();
  const bool unfolds_more = file.recursive.size() < file.definitions.size();
  if (!file.recursive.empty() && !file.for_grind.empty() && unfolds_more) {
    lists.folded = joined(file.recursive) + ", " + lists.grind_theorems;
  }
  return lists;
}

/// Applications of `function` that functional induction can handle: to variables, and to functions
/// that it may hand on unchanged.
std::vector<std::string> Calls(const Term& term, const std::string& function,
                               const ArithmeticGoal& arith) {
  std::vector<std::string> calls;
  Visit(term, [&](const Term& part) {
    if (part.kind != TermKind::kApply ||
        syntax::LastComponent(part.head) != syntax::LastComponent(function))
      return;
    std::string call = function;  // `t.size` is printed for `Tree.size t`
    bool varies = false;
    for (const TermPtr& arg : part.args) {
      const bool is_variable = arg->kind == TermKind::kName && arith.Find(arg->head) != nullptr;
      if (!is_variable && arg->kind != TermKind::kName && !arg->text.starts_with("fun ")) return;
      varies |= is_variable;
      call += " " + Parenthesized(*arg);
    }
    if (varies && std::ranges::find(calls, call) == calls.end()) calls.push_back(call);
  });
  return calls;
}

/// Types with constructors: lists, options, trees; not numbers, functions, propositions or types
/// that are variables themselves.
bool IsInductive(const Variable& variable, const HeuristicInput& input) {
  const std::string& type = variable.type;
  if (type.empty() || type.find("→") != std::string::npos) return false;
  const std::string head = ParseTerm(type)->head;
  if (input.arith.Find(head) != nullptr) return false;
  if (input.file.Predicate(head) != nullptr) return false;  // predicates.cc
  const FileConstant* named = input.file.Type(head);  // `abbrev Lang (α : Type) := List α → Prop`
  if (named != nullptr && std::ranges::find(named->symbols, "→") != named->symbols.end()) {
    return false;
  }
  return !type.starts_with("Type") && !type.starts_with("Sort") && type != "Prop" &&
         type != "Int" && type != "Rat" && type != "Bool" &&
         variable.name.find("inst") == std::string::npos;
}

/// Enumerations and structures of the file: case distinctions do as well.
bool NeedsNoInduction(const Variable& variable, const FileFacts& file) {
  const FileConstant* type = file.Type(ParseTerm(variable.type)->head);
  return type != nullptr && !type->constructors.empty() && !type->recursive;
}

/// Whether induction on `variable` leaves `other` general by itself: its type has an index in
/// common, as `v` and `w` of `Vec α n`.
bool SharesIndex(const Variable& variable, const Variable& other, const FileFacts& file) {
  const TermPtr term = ParseTerm(variable.type);
  const FileConstant* type = file.Type(term->head);
  if (type == nullptr || type->signature.rfind("→") == std::string::npos) return false;
  return !term->args.empty() && Mentions(*ParseTerm(other.type), term->args.back()->head);
}

/// Those of the target, then those that only hypotheses with functions of the file mention; last,
/// those for which cases do as well.
std::vector<const Variable*> InductionVariables(const HeuristicInput& input) {
  const ArithmeticGoal& arith = input.arith;
  std::vector<const Variable*> variables, others;
  for (const Variable& variable : arith.variables) {
    if (!IsInductive(variable, input)) continue;
    if (Mentions(*arith.target, variable.name)) {
      variables.push_back(&variable);
      continue;
    }
    const bool is_argument = std::ranges::any_of(arith.facts, [&](const Fact& fact) {
      return Mentions(*fact.prop, variable.name) &&
             std::ranges::any_of(input.file.mentioned, [&](const FileConstant* function) {
               return !Calls(*fact.prop, function->reference, arith).empty();
             });
    });
    if (is_argument) others.push_back(&variable);
  }
  variables.insert(variables.end(), others.begin(), others.end());
  std::ranges::stable_partition(
      variables, [&](const Variable* each) { return !NeedsNoInduction(*each, input.file); });
  return variables;
}

/// Those of the target whose types are variables, or names that the file gives to types: a state,
/// the element that a function carries along.
std::vector<const Variable*> OpaqueVariables(const HeuristicInput& input) {
  std::vector<const Variable*> variables;
  for (const Variable& variable : input.arith.variables) {
    const std::string head = ParseTerm(variable.type)->head;
    const Variable* type = input.arith.Find(head);
    const FileConstant* named = input.file.Type(head);
    const bool opaque =
        (type != nullptr && (type->type.starts_with("Type") || type->type.starts_with("Sort"))) ||
        (named != nullptr && named->constructors.empty() && named->fields.empty());
    if (opaque && Mentions(*input.arith.target, variable.name)) variables.push_back(&variable);
  }
  return variables;
}

/// A size below a power of the height: `max`, which the height of a node is made of, is as monotone
/// in an exponent as anywhere else.
void ProposePowersOfMax(const HeuristicInput& input, const Lists& lists, const std::string& x,
                        Candidates* out) {
  std::string base;
  Visit(*input.arith.target, [&](const Term& part) {
    if (!part.Is("^") || NumeralValue(*part.args[1])) return;
    if (NumeralValue(*part.args[0])) base = part.args[0]->text;
  });
  if (base.empty() || lists.grind.empty()) return;
  std::string lines;
  for (const std::string_view side : {"left", "right"}) {
    lines += fmt::format(
        "have := fun a b : Nat => Nat.pow_le_pow_right (n := {}) (by decide) (Nat.le_max_{} a b)\n",
        base, side);
  }
  AddLocal(fmt::format("{}induction {} <;> grind [{}, Nat.pow_succ, Nat.pow_add]", lines, x,
                       lists.grind),
           0.69, true, out);
}

/// Whether the target is an abbreviation: what it stands for shows what to do induction on.
bool IsToBeUnfolded(const HeuristicInput& input) {
  const FileConstant* function = input.file.Function(input.arith.target->head);
  return function != nullptr && function->proposition && !function->recursive;
}

void ProposeStructuralInduction(const HeuristicInput& input, const Lists& lists, Candidates* out) {
  const std::vector<const Variable*> variables = InductionVariables(input);
  const std::vector<const Variable*> opaque = OpaqueVariables(input);
  // Where only rules say something about the data, induction is on these (predicates.cc).
  const bool rules = !input.file.predicates.empty() &&
                     std::ranges::none_of(input.file.mentioned, &FileConstant::recursive);
  const double later = rules || IsToBeUnfolded(input) ? 0.4 : 0;
  int count = 0;
  for (const Variable* variable : variables) {
    if (++count > 3) break;
    const std::string& x = variable->name;
    const bool is_nat = variable->domain == Domain::kNat;
    if (lists.grind.empty() && is_nat) continue;  // induction.cc
    std::string generalizing;
    for (const Variable* other : variables) {
      if (other != variable && !SharesIndex(*variable, *other, input.file))
        generalizing += " " + other->name;
    }
    for (const Variable* other : opaque) generalizing += " " + other->name;
    const auto counter = std::ranges::find_if(variables, [&](const Variable* other) {
      return other != variable && other->domain == Domain::kNat;
    });
    if (!generalizing.empty()) generalizing = " generalizing" + generalizing;
    const std::set<std::string> scopes = {"", generalizing};
    for (const std::string& scope : scopes) {
      double cost = later + (scope.empty() ? 0.7 : 0.8);
      const std::string induction = fmt::format("induction {}{}", x, scope);
      const auto closing = [&](const std::string& rest) {
        AddLocal(fmt::format("{} <;> {}", induction, rest), cost, true, out);
        cost += 0.02;
      };
      closing(fmt::format("simp_all [{}]", lists.simp));
      if (lists.has_theorems && !lists.definitions.empty()) {  // theorems may lead astray
        closing(fmt::format("grind [{}]", lists.definitions));
      }
      if (!lists.folded.empty()) closing(fmt::format("grind [{}]", lists.folded));
      closing(fmt::format("grind [{}]", lists.grind));
      if (input.arith.target->Is("∣") && !lists.grind.empty()) {
        closing(fmt::format("grind [{}, Nat.dvd_mul_right, Nat.dvd_mul_left_of_dvd]", lists.grind));
      }
      if (!lists.grind.empty()) closing(fmt::format("simp [{}]", lists.SimpAndHypotheses()));
      closing(fmt::format("simp_all [{}] <;> omega", lists.simp));
      if (is_nat && !lists.simp.empty()) {
        closing(fmt::format("simp_all [Nat.mul_add, {}] <;> omega", lists.simp));
      }
      if (lists.has_theorems && !lists.definitions.empty()) {
        closing(fmt::format("simp_all [{}]", lists.definitions));
      }
      if (lists.has_theorems && input.file.unfolds_operators) {
        closing(fmt::format("grind [{}]", lists.grind_theorems));
        closing(fmt::format("simp_all [{}]", lists.simp_theorems));
      }
      if (input.file.for_simp.size() > 1) {  // some of them may undo others
        const std::string names =
            is_nat ? "Nat.mul_add, " + lists.Definitions() : lists.Definitions();
        closing(
            FirstOf(NamesOf(input.file.for_simp), fmt::format("(simp_all [{}{{}}]; done)", names)));
      }
      closing(fmt::format("simp_all [{}] <;> grind", lists.simp));
      if (!lists.grind.empty()) {
        closing(fmt::format("simp_all [{0}] <;> split <;> simp_all [{0}]", lists.simp));
        closing(
            fmt::format("first | (simp_all [{}]; done) | (simp [{}]; done) | grind [{}] | omega",
                        lists.simp, lists.SimpAndHypotheses(), lists.grind));
      }
      // An argument that counts up is one greater in the recursive call.
      if (!lists.grind.empty() && !scope.empty() && counter != variables.end()) {
        closing(
            fmt::format("first | (simp_all [{0}]; done) | grind [{1}] | "
                        "(rename_i ih; have := ih ({2} := {2} + 1); grind [{1}])",
                        lists.simp, lists.grind, (*counter)->name));
      }
      if (!is_nat) AddLocal(induction, scope.empty() ? 1.9 : 2.0, false, out);
    }
    if (!is_nat) ProposePowersOfMax(input, lists, x, out);
    // Functions that go through two arguments at once.
    for (const Variable* other : variables) {
      if (other == variable || lists.grind.empty() || count > 2) continue;
      const std::string both =
          fmt::format("induction {}{} <;> cases {}", x, generalizing, other->name);
      AddLocal(fmt::format("{} <;> simp_all [{}]", both, lists.simp), later + 0.74, true, out);
      AddLocal(fmt::format("{} <;> grind [{}]", both, lists.grind), later + 0.75, true, out);
    }
    if (!is_nat) {
      AddLocal(fmt::format("cases {} <;> simp_all [{}]", x, lists.simp), 0.75, true, out);
      AddLocal(fmt::format("cases {} <;> grind [{}]", x, lists.grind), 0.78, true, out);
      AddLocal(fmt::format("cases {}", x), 2.4, false, out);
    }
  }
}

/// Functions that match on the first two elements of a list; and machines that go through a list of
/// instructions and have such a list for their stack.
void ProposeTwoElements(const HeuristicInput& input, const Lists& lists, Candidates* out) {
  constexpr size_t kMostLists = 2;
  if (lists.grind.empty()) return;
  std::vector<const Variable*> stacks, programs;
  for (const Variable& variable : input.arith.variables) {
    const TermPtr type = ParseTerm(variable.type);
    if (!type->IsApply("List") || !Mentions(*input.arith.target, variable.name)) continue;
    const FileConstant* element = input.file.Type(type->args[0]->head);
    const bool is_program = element != nullptr && element->constructors.size() > 1;
    auto& kind = is_program ? programs : stacks;
    if (kind.size() < kMostLists) kind.push_back(&variable);
  }
  const std::string a = input.arith.Fresh("a"), b = input.arith.Fresh("b");
  const auto cases = [&](const std::string& x) {
    return fmt::format("rcases {0} with _ | ⟨{1}, _ | ⟨{2}, {0}⟩⟩ <;> ", x, a, b);
  };
  const std::string close =
      fmt::format("first | (simp_all [{}]; done) | grind [{}]", lists.simp, lists.grind);
  for (const Variable* stack : stacks) {
    AddLocal(cases(stack->name) + close, 0.77, true, out);
    for (const Variable* program : programs) {
      AddLocal(fmt::format("induction {0} generalizing {1} with\n"
                           "| nil => simp [{2}]\n"
                           "| cons i {0} ih => cases i <;> {3}{4}",
                           program->name, stack->name, lists.simp, cases(stack->name), close),
               0.71, true, out);
    }
  }
}

bool IsExistential(const Term& target) {
  return target.kind == TermKind::kBinder && target.head == "∃";
}

/// Elements for `∃`, after these cases.
void ProposeElements(const std::string& cases, const std::vector<std::string>& elements,
                     const Lists& lists, Candidates* out) {
  if (elements.empty()) return;
  const std::string theorems =
      lists.has_theorems ? fmt::format(" | solve_by_elim [{}]", lists.theorems) : "";
  std::string tactic = cases + "(first";
  for (const std::string& element : elements) {
    tactic += fmt::format(" | exact ⟨{}, by first | rfl | (simp_all [{}]; done){} | grind [{}]⟩",
                          element, lists.simp, theorems, lists.grind);
  }
  AddLocal(tactic + ")", 0.5, true, out);
}

/// The variables whose types are of the file, or variables themselves.
void ProposeVariables(const HeuristicInput& input, const Lists& lists, Candidates* out) {
  constexpr size_t kMost = 4;
  if (!IsExistential(*input.arith.target)) return;
  std::vector<std::string> variables;
  for (const Variable& variable : input.arith.variables) {
    const std::string head = ParseTerm(variable.type)->head;
    const Variable* type = input.arith.Find(head);
    const bool opaque = type != nullptr && type->type.starts_with("Type");
    if ((opaque || input.file.Type(head) != nullptr) && variables.size() < kMost)
      variables.push_back(variable.name);
  }
  ProposeElements("", variables, lists, out);
}

/// All cases of up to three variables whose types are not recursive: enumerations, structures.
void ProposeAllCases(const HeuristicInput& input, const Lists& lists, Candidates* out) {
  std::vector<std::string> cases;
  bool only_structures = true;
  for (const Variable& variable : input.arith.variables) {
    if (!NeedsNoInduction(variable, input.file) || cases.size() == 3) continue;
    cases.push_back("cases " + variable.name);
    const FileConstant* type = input.file.Type(ParseTerm(variable.type)->head);
    only_structures &= type->constructors.size() == 1 && !variable.name.starts_with("inst");
  }
  const std::string before = cases.empty() ? "" : fmt::format("{} <;> ", fmt::join(cases, " <;> "));
  if (!cases.empty()) {
    AddLocal(fmt::format("{}first | rfl | contradiction | (simp_all [{}]; done) | grind [{}]",
                         before, lists.simp, lists.grind),
             0.24, true, out);
    if (lists.has_theorems) {
      AddLocal(fmt::format("{}simp_all [{}]", before, lists.definitions), 0.28, true, out);
    }
    if (only_structures) {  // numbers in place of `p.x` and `p.y`
      AddLocal(fmt::format("{}try simp only [{}] at *", before, lists.definitions), 1.2, false,
               out);
    }
  }
  if (!IsExistential(*input.arith.target)) return;
  std::vector<std::string> witnesses;  // Lean seldom prints the type
  for (const FileConstant* type : input.file.types) {
    witnesses.insert(witnesses.end(), type->plain.begin(), type->plain.end());
  }
  ProposeElements(before, witnesses, lists, out);
}

/// Equations between functions: an argument, then the cases of `if`.
void ProposeExtensionality(const HeuristicInput& input, const Lists& lists, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  const bool reads_fun = target.text.find("fun ") != std::string::npos;
  const bool equation =
      target.Is("=") || (reads_fun && target.text.find(" = ") != std::string::npos);
  if (!equation || DomainOf(target, arith) != Domain::kOther) return;
  if (target.Is("=") && (NumeralValue(*target.args[0]) || NumeralValue(*target.args[1]))) return;
  if (!reads_fun && input.file.mentioned.empty()) return;
  const std::string x = arith.Fresh("x"), y = arith.Fresh("y");
  double cost = 0.56;
  for (const std::string& names : {x, x + " " + y}) {
    AddLocal(fmt::format("funext {}\nsimp_all [{}]", names, lists.simp), cost, true, out);
    AddLocal(fmt::format("funext {}\ngrind [{}]", names, lists.grind), cost + 0.01, true, out);
    if (!lists.mentioned.empty()) {
      AddLocal(fmt::format("funext {}\nsimp only [{}]\nrepeat' split\nall_goals simp_all", names,
                           lists.mentioned),
               cost + 0.02, true, out);
      AddLocal(fmt::format("funext {}\nsimp only [{}, eq_iff_iff]\nconstructor <;> grind", names,
                           lists.mentioned),
               cost + 0.03, true, out);
    }
    cost += 0.2;
  }
  AddLocal("funext " + x, 1.1, false, out);
}

/// Definitions of propositions are unfolded: nothing else can be done with them.
void ProposeUnfolding(const HeuristicInput& input, const Lists& lists, Candidates* out) {
  const std::string propositions = input.file.Propositions();
  if (!propositions.empty()) {
    AddLocal(fmt::format("simp only [{}] at *", propositions), 0.65, false, out);
    AddLocal(
        fmt::format("simp only [{}] at *\nintros\nrename_i last\ninduction last <;> grind [{}]",
                    propositions, lists.grind),
        0.66, true, out);
  }
  if (lists.mentioned.empty()) return;
  std::string names = lists.mentioned;
  std::erase(names, ',');
  AddLocal(fmt::format("simp only [{}] <;> grind", lists.mentioned), 0.5, true, out);
  AddLocal(fmt::format("unfold {} <;> split <;> simp_all <;> omega", names), 0.6, true, out);
  AddLocal(fmt::format("simp only [{}]", lists.mentioned), 1.6, false, out);
  for (const FileConstant* function : input.file.mentioned) {  // the recursion is behind it
    const bool calls = std::ranges::any_of(input.file.recursive, [&](const std::string& name) {
      return syntax::MayMean(function->names, name);
    });
    if (calls && !function->recursive && !function->proposition) {
      AddLocal(fmt::format("simp only [{}]", function->reference), 0.7, false, out);
    }
  }
  AddLocal(fmt::format("unfold {}", names), 1.8, false, out);
  if (!input.arith.facts.empty()) {
    AddLocal(fmt::format("simp only [{}] at *", lists.mentioned), 1.0, false, out);
    AddLocal(fmt::format("simp [{}] at *", lists.simp), 1.7, false, out);
  }
}

/// The induction that a function's own recursion suggests comes before those on variables: it has
/// the right cases, and does not fix an accumulator.
void ProposeFunctionalInduction(const HeuristicInput& input, const Lists& lists, Candidates* out) {
  for (const FileConstant* function : input.file.mentioned) {
    int count = 0;
    std::vector<std::string> calls = Calls(*input.arith.target, function->reference, input.arith);
    for (const Fact& fact : input.arith.facts) {
      for (std::string& call : Calls(*fact.prop, function->reference, input.arith)) {
        if (std::ranges::find(calls, call) == calls.end()) calls.push_back(std::move(call));
      }
    }
    for (const std::string& call : calls) {
      if (++count > 2) break;
      if (function->endless) {  // before simp spends its time on it
        AddLocal(fmt::format("fun_induction {} <;> grind", call), 0.12, true, out);
        AddLocal(fmt::format("fun_induction {} <;> omega", call), 0.13, true, out);
        AddLocal(fmt::format("fun_induction {} <;> simp_all", call), 0.14, true, out);
      }
      AddLocal(fmt::format("fun_induction {} <;> grind [{}]", call, lists.grind), 0.47, true, out);
      AddLocal(fmt::format("fun_induction {} <;> simp_all [{}]", call, lists.simp), 0.48, true,
               out);
      AddLocal(fmt::format("fun_induction {} <;> simp_all [{}] <;> omega", call, lists.simp), 0.76,
               true, out);
      AddLocal(fmt::format("fun_induction {} <;> simp_all [{}] <;> grind", call, lists.simp), 0.79,
               true, out);
      if (function->signature.find("Bool") != std::string::npos) {
        AddLocal(fmt::format("fun_induction {} <;> (repeat' first | cases ‹Bool› | fail) <;> "
                             "simp_all [{}] <;> omega",
                             call, lists.simp),
                 0.77, true, out);
      }
      AddLocal(fmt::format("fun_cases {} <;> simp_all [{}]", call, lists.simp), 0.85, true, out);
      AddLocal(fmt::format("fun_induction {}", call), 1.7, false, out);
    }
  }
}

void ProposeTheorems(const HeuristicInput& input, const Lists& lists, Candidates* out) {
  const auto& theorems = input.file.theorems;
  if (theorems.empty()) return;
  const std::vector<std::string> names = NamesOf(theorems);
  AddLocal(FirstOf(names, kApplyAndClose), 0.17, true, out);
  if (!lists.simp_theorems.empty()) {
    AddLocal(fmt::format("simp [{}]", lists.simp_theorems), 0.21, true, out);
    AddLocal(fmt::format("simp_all [{}]", lists.simp_theorems), 0.31, true, out);
  }
  if (!lists.grind_theorems.empty()) {
    AddLocal(fmt::format("grind [{}]", lists.grind_theorems), 0.32, true, out);
  }
  AddLocal(fmt::format("solve_by_elim [{}]", lists.theorems), 0.45, true, out);
  AddLocal(FirstOf(names, kRewriteAndClose), 0.46, true, out);
  AddLocal(FirstOf(names, kRewriteBackAndClose), 0.66, true, out);
  if (input.file.for_grind.size() > 1) {
    AddLocal(
        FirstOf(NamesOf(input.file.for_grind), fmt::format("grind [{}{{}}]", lists.Definitions())),
        0.68, true, out);
  }
  double cost = 1.3;
  for (size_t i = 0; i < std::min(kTheoremSteps << input.context.effort, theorems.size()); ++i) {
    const std::string& name = names[i];
    AddLocal("apply " + name, cost, false, out);
    AddLocal(fmt::format("rw [{}]", name), cost + 0.05, false, out);
    AddLocal(fmt::format("rw [← {}]", name), cost + 0.6, false, out);
    AddLocal(fmt::format("simp only [{}] at *", name), cost + 0.8, false, out);
    cost += 0.15;
  }
}

}  // namespace

void ProposeLocal(const HeuristicInput& input, Candidates* out) {
  const Lists lists = ListsOf(input.file);
  ProposeStructuralInduction(input, lists, out);
  ProposeTwoElements(input, lists, out);
  ProposeAllCases(input, lists, out);
  ProposeVariables(input, lists, out);
  ProposeExtensionality(input, lists, out);
  if (lists.grind.empty()) return;
  AddLocal(fmt::format("simp [{}]", lists.simp), 0.2, true, out);
  AddLocal(fmt::format("simp_all [{}]", lists.simp), 0.25, true, out);
  AddLocal(fmt::format("grind [{}]", lists.grind), 0.3, true, out);
  AddLocal(fmt::format("simp [{}] <;> omega", lists.simp), 0.35, true, out);
  if (!lists.definitions.empty()) {  // what is behind operators, too
    AddLocal(fmt::format("simp only [{}] at *\ngrind", lists.definitions), 0.38, true, out);
  }
  if (lists.has_theorems && !lists.definitions.empty()) {
    AddLocal(fmt::format("simp_all [{}]", lists.definitions), 0.36, true, out);
    AddLocal(fmt::format("grind [{}]", lists.definitions), 0.37, true, out);
  }
  ProposeTheorems(input, lists, out);
  ProposeUnfolding(input, lists, out);
  ProposeFunctionalInduction(input, lists, out);
}

}  // namespace zermelo::policy
