#include "policy/heuristics/file_facts.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

#include "policy/heuristics/operators.h"
#include "policy/heuristics/theorem_use.h"
#include "syntax/lexer.h"
#include "syntax/signature.h"

namespace zermelo::policy {
namespace {

using syntax::FileConstant;
using syntax::NameSet;
using ConstantKind = FileConstant::Kind;

constexpr size_t kDefinitions = 10;
constexpr size_t kTheorems = 6;
constexpr double kSameOperators = 0.5;

/// NameSet of the library that say nothing about what a theorem is about.
constexpr std::string_view kEverywhere[] = {"Nat",  "Int",    "List", "Option", "Prod", "Array",
                                            "Bool", "String", "Type", "Prop",   "Sort", "Set",
                                            "True", "False",  "Rat",  "Fin",    "Real", "Finset"};

/// The functions of the library among the names, as far as their spelling shows them: `map` in
/// `List.map` and `xs.map`.
std::set<std::string> LibraryFunctions(const NameSet& names) {
  std::set<std::string> found(names.fields.begin(), names.fields.end());
  for (const std::string& name : names.written) {
    if (name.find('.') != std::string::npos && !syntax::BeginsWithVariable(name)) {
      found.emplace(syntax::LastComponent(name));
    }
  }
  for (const std::string_view word : kEverywhere) found.erase(std::string(word));
  return found;
}

/// Whether a theorem is about values that are written out, as `grow [1, 2] = [1, 1, 2, 2]` is: it
/// says less than one about all values. `constants`: of the file.
bool IsGround(const FileConstant& theorem, const std::vector<FileConstant>& constants) {
  if (!syntax::ParseBinders(theorem.signature).empty()) return false;
  if (theorem.signature.find("∀") != std::string::npos) return false;
  return std::ranges::all_of(theorem.names.written, [&](const std::string& name) {
    const auto first = static_cast<unsigned char>(name.front());
    if (std::isdigit(first) != 0) return true;
    if (std::isupper(first) != 0 && !syntax::BeginsWithVariable(name)) return true;
    return std::ranges::any_of(constants, [&](const FileConstant& constant) {
      return syntax::LastComponent(constant.name) == syntax::LastComponent(name);
    });
  });
}

/// The operators of a formula, without those that every formula may have.
std::set<std::string> Operators(std::string_view formula) {
  static const std::set<std::string, std::less<>> kNone = {"(", ")",  "[", "]", "{", "}", "⟨", "⟩",
                                                           ",", ":",  ";", ".", "=", "→", "∀", "∃",
                                                           "↦", "=>", "λ", "|", "_", "⊢"};
  std::set<std::string> operators = syntax::SymbolsIn(formula);
  std::erase_if(operators, [](const std::string& symbol) { return kNone.contains(symbol); });
  return operators;
}

/// The size of the intersection by that of the union; 0 if both are empty.
double Overlap(const std::set<std::string>& a, const std::set<std::string>& b) {
  const auto both = static_cast<double>(
      std::ranges::count_if(a, [&](const std::string& one) { return b.contains(one); }));
  const double any = static_cast<double>(a.size() + b.size()) - both;
  return any == 0 ? 0 : both / any;
}

class Choice {
 public:
  Choice(const syntax::Goal& goal, const StepContext& context)
      : constants_(*context.file), effort_(context.effort), chosen_(constants_.size(), false) {
    goal_text_ = TypesIn(goal);
    goal_ = syntax::NamesIn(goal_text_);
    symbols_ = Operators(goal_text_);
    for (const FileConstant& constant : constants_) {
      if (constant.kind == ConstantKind::kType || constant.kind == ConstantKind::kPredicate) {
        types_.insert(constant.name);
      }
      if (constant.kind != ConstantKind::kInstance) continue;
      auto unfolding = UnfoldingOf(constant, constants_);
      if (!unfolding) continue;
      operators_.insert(unfolding->symbols.begin(), unfolding->symbols.end());
      unfoldings_.emplace(&constant, *std::move(unfolding));
    }
    ReadInstances();
  }

  FileFacts Make() {
    const NameSet goal = WithNotations();
    // As printed, any namespace may be open.
    std::vector<const FileConstant*> found = Mentioned(goal, types_);
    while (!found.empty()) {
      NameSet frontier = goal;  // `(replicate n a).sum` is `Vec.sum`, as `replicate` says
      std::set<std::string> open;
      for (const FileConstant* constant : found) {
        Take(*constant, syntax::MayMean(goal, constant->name));
        frontier.Add(constant->names);
        open.emplace(syntax::NamespaceOf(constant->name));
      }
      found = Mentioned(frontier, open);
    }
    ChooseTheorems(goal);
    for (const FileConstant* function : functions_) {
      if (facts_.definitions.size() == kDefinitions << effort_) break;
      facts_.definitions.push_back(function->reference);
      if (function->recursive) facts_.recursive.push_back(function->reference);
    }
    facts_.definitions.insert(facts_.definitions.end(), unfolding_.begin(), unfolding_.end());
    facts_.unfolds_operators = !unfolding_.empty();
    return std::move(facts_);
  }

 private:
  void ReadInstances() {
    with_instances_ = goal_;
    for (const FileConstant& constant : constants_) {
      if (constant.kind == ConstantKind::kInstance) with_instances_.Add(constant.names);
    }
    for (const FileConstant& type : constants_ | std::views::reverse) {  // `class A extends B`
      const bool reached =
          type.kind == ConstantKind::kType && syntax::MayMean(with_instances_, type.name);
      if (reached) with_instances_.Add(type.names);
    }
  }

  /// The goal's names, and those that its notations stand for.
  NameSet WithNotations() const {
    NameSet names = goal_;
    for (const FileConstant& constant : constants_) {
      if (constant.kind != ConstantKind::kNotation) continue;
      const bool used = std::ranges::any_of(constant.symbols, [&](const std::string& symbol) {
        return goal_text_.find(symbol) != std::string::npos;
      });
      if (used) names.Add(constant.names);
    }
    return names;
  }

  /// Whether the names mean the constant, where these namespaces are open. `t.size` means
  /// `Tree.size` only where `Tree` is named, and so does `size t` outside its namespace.
  bool Means(const NameSet& names, const FileConstant& constant,
             const std::set<std::string>& open) const {
    if (!syntax::MayMean(names, constant.name)) return false;
    const std::string prefix(syntax::NamespaceOf(constant.name));
    if (prefix.empty()) return true;
    return !types_.contains(prefix) || syntax::MayMean(names, prefix) ||
           syntax::MayMean(goal_, prefix) ||
           (open.contains(prefix) && syntax::Writes(names, constant.name));
  }

  /// What the names mean among the constants not chosen yet, the nearest first; chooses it.
  std::vector<const FileConstant*> Mentioned(const NameSet& names,
                                             const std::set<std::string>& open) {
    std::vector<const FileConstant*> found;
    for (size_t i = constants_.size(); i-- > 0;) {
      const FileConstant& constant = constants_[i];
      if (chosen_[i] || constant.kind == ConstantKind::kTheorem ||
          constant.kind == ConstantKind::kNotation) {
        continue;
      }
      const bool means = constant.kind == ConstantKind::kInstance ? IsAbout(names, constant)
                                                                  : Means(names, constant, open);
      if (!means) continue;
      chosen_[i] = true;
      found.push_back(&constant);
    }
    return found;
  }

  /// Whether an instance is one for a type of the file that the names mean, and not of an operator
  /// that neither the goal nor anything chosen uses.
  bool IsAbout(const NameSet& names, const FileConstant& instance) const {
    const auto unfolding = unfoldings_.find(&instance);
    if (unfolding != unfoldings_.end() && !unfolding->second.symbols.empty()) {
      const auto is_used = [&](std::string_view symbol) {
        return symbols_.contains(std::string(symbol));
      };
      if (std::ranges::none_of(unfolding->second.symbols, is_used)) return false;
    }
    const NameSet own = syntax::NamesIn(instance.signature);
    return std::ranges::any_of(types_, [&](const std::string& type) {
      return syntax::MayMean(own, type) && syntax::MayMean(names, type);
    });
  }

  void Take(const FileConstant& constant, bool mentioned) {
    symbols_.insert(constant.symbols.begin(), constant.symbols.end());
    switch (constant.kind) {
      case ConstantKind::kFunction:
        functions_.push_back(&constant);
        if (mentioned) facts_.mentioned.push_back(&constant);
        break;
      case ConstantKind::kType:
        facts_.types.push_back(&constant);
        break;
      case ConstantKind::kPredicate:
        facts_.predicates.push_back(&constant);
        break;
      case ConstantKind::kInstance:
        if (!constant.name.empty()) functions_.push_back(&constant);
        if (const auto unfolding = unfoldings_.find(&constant); unfolding != unfoldings_.end()) {
          unfolding_.insert(unfolding->second.terms);
        }
        break;
      case ConstantKind::kTheorem:
      case ConstantKind::kNotation:
      case ConstantKind::kOpaque:
        break;
    }
  }

  /// Whether something in the goal or in the file may have an instance of the class.
  bool HasInstances(const FileConstant& type_class) const {
    return syntax::MayMean(with_instances_, type_class.name);
  }

  /// What a statement is about: parts of the file, its operators and functions of the library.
  std::vector<std::string> Subjects(std::string_view statement, const NameSet& names,
                                    const std::set<std::string>& open) const {
    std::vector<std::string> subjects;
    std::ranges::set_intersection(Operators(statement), operators_, std::back_inserter(subjects));
    for (const FileConstant& constant : constants_) {
      const bool is_subject =
          constant.kind == ConstantKind::kFunction || constant.kind == ConstantKind::kOpaque ||
          constant.kind == ConstantKind::kPredicate || constant.kind == ConstantKind::kType;
      if (is_subject && Means(names, constant, open)) subjects.push_back(constant.name);
      if (constant.fields.empty() || !HasInstances(constant)) continue;
      for (const std::string& field : constant.fields) {
        if (syntax::MayMean(names, field)) subjects.push_back(field);
      }
    }
    for (const std::string& function : LibraryFunctions(names)) {
      const bool known = std::ranges::any_of(subjects, [&](const std::string& subject) {
        return syntax::LastComponent(subject) == function;
      });
      if (!known) subjects.push_back(function);
    }
    return subjects;
  }

  /// Whether it is a field of a structure or class of which the goal says nothing.
  bool IsLawOfAnother(const FileConstant& theorem) const {
    const auto type = std::ranges::find_if(constants_, [&](const FileConstant& constant) {
      return constant.kind == ConstantKind::kType && constant.declaration == theorem.declaration;
    });
    return type != constants_.end() &&
           std::ranges::find(facts_.types, &*type) == facts_.types.end();
  }

  /// Whether it names a class without instances here, or is in its namespace.
  bool IsAboutAnotherClass(const FileConstant& theorem) const {
    return std::ranges::any_of(constants_, [&](const FileConstant& type) {
      return !type.fields.empty() && !HasInstances(type) &&
             (syntax::NamespaceOf(theorem.name) == type.name ||
              syntax::MayMean(theorem.names, type.name));
    });
  }

  void ChooseTheorems(const NameSet& goal) {
    struct Theorem {
      const FileConstant* constant;
      std::vector<std::string> subjects;
      double score = 0;
      TheoremUse use;
    };
    std::vector<Theorem> all;  // the nearest first
    std::map<std::string, double> times;
    for (size_t i = constants_.size(); i-- > 0;) {
      if (constants_[i].kind != ConstantKind::kTheorem || constants_[i].open) continue;
      const FileConstant& theorem = constants_[i];
      if (IsLawOfAnother(theorem) || IsAboutAnotherClass(theorem)) continue;
      all.push_back({&theorem, Subjects(theorem.signature, theorem.names,
                                        {std::string(syntax::NamespaceOf(theorem.name))})});
      for (const std::string& subject : all.back().subjects) times[subject] += 1;
    }
    const std::vector<std::string> of_goal = Subjects(goal_text_, goal, types_);
    const std::set<std::string> in_goal(of_goal.begin(), of_goal.end());
    std::set<std::string> reached;
    for (const FileConstant* function : functions_) {
      reached.insert(function->name);
      for (const FileConstant* type : facts_.types) {
        for (const std::string& field : type->fields) {
          if (syntax::MayMean(function->names, field)) reached.insert(field);
        }
      }
    }
    const std::set<std::string> operators = Operators(goal_text_);
    std::vector<Theorem*> relevant;
    for (size_t distance = 0; distance < all.size(); ++distance) {
      Theorem& theorem = all[distance];
      double shared = 0, rest = 0;
      for (const std::string& subject : theorem.subjects) {
        // The fewer theorems mention it, the more it says.
        const double weight = std::log(1.5 + static_cast<double>(all.size()) / times[subject]);
        const bool is_type = types_.contains(subject);
        if (in_goal.contains(subject)) {
          shared += is_type ? 0.1 * weight : weight;
        } else if (reached.contains(subject)) {
          shared += 0.3 * weight;
        } else if (!is_type) {
          rest += weight;
        }
      }
      // A theorem that is about numbers only may be about these.
      if (theorem.subjects.empty()) {
        const double overlap = Overlap(Operators(theorem.constant->signature), operators);
        shared = overlap >= kSameOperators ? 0.1 * overlap : 0;
      }
      if (shared <= 0.3 * rest) continue;
      theorem.score = (shared - 0.3 * rest) * (1 + 2.0 / (2.0 + static_cast<double>(distance)));
      theorem.use = UseOf(*theorem.constant);
      if (!theorem.use.simp) theorem.score *= 0.5;
      if (IsGround(*theorem.constant, constants_)) theorem.score *= 0.5;
      relevant.push_back(&theorem);
    }
    // The best ones, in the order of the file from the goal upwards.
    std::vector<Theorem*> best = relevant;
    std::ranges::stable_sort(best, std::ranges::greater(), &Theorem::score);
    if (best.size() > kTheorems << effort_) best.resize(kTheorems << effort_);
    for (Theorem* theorem : relevant) {
      if (std::ranges::find(best, theorem) == best.end()) continue;
      facts_.theorems.push_back(theorem->constant);
      if (theorem->use.simp) facts_.for_simp.push_back(theorem->constant);
      if (theorem->use.grind) facts_.for_grind.push_back(theorem->constant);
    }
  }

  const std::vector<FileConstant>& constants_;
  const size_t effort_;
  std::vector<bool> chosen_;
  std::string goal_text_;
  NameSet goal_;
  std::set<std::string> symbols_;    // of the goal and of what is chosen
  NameSet with_instances_;           // in the goal, in instances, and in the types that these name
  std::set<std::string> types_;      // and predicates
  std::set<std::string> operators_;  // with an instance in the file
  std::vector<const FileConstant*> functions_;           // breadth first
  std::map<const FileConstant*, Unfolding> unfoldings_;  // of the file's instances
  std::set<std::string> unfolding_;                      // of those that are chosen
  FileFacts facts_;
};

const FileConstant* Find(const std::vector<const FileConstant*>& constants,
                         std::string_view printed) {
  printed = syntax::WithoutRoot(printed);
  for (const FileConstant* constant : constants) {
    const std::string& name = constant->name;
    if (name == printed || (name.ends_with(printed) && !printed.empty() &&
                            name[name.size() - printed.size() - 1] == '.')) {
      return constant;
    }
  }
  return nullptr;
}

}  // namespace

const FileConstant* FileFacts::Predicate(std::string_view printed) const {
  return Find(predicates, printed);
}
const FileConstant* FileFacts::Function(std::string_view printed) const {
  return Find(mentioned, printed);
}
const FileConstant* FileFacts::Type(std::string_view printed) const { return Find(types, printed); }

std::string FileFacts::Propositions() const {
  std::vector<std::string> names;
  for (const FileConstant* function : mentioned) {
    if (function->proposition) names.push_back(function->reference);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string TypesIn(const syntax::Goal& goal) {
  std::string text = goal.target;
  for (const syntax::Hypothesis& hypothesis : goal.hypotheses) text += "\n" + hypothesis.type;
  return text;
}

FileFacts ChooseFor(const syntax::Goal& goal, const StepContext& context) {
  if (context.file == nullptr || context.file->empty()) return {};
  return Choice(goal, context).Make();
}

}  // namespace zermelo::policy
