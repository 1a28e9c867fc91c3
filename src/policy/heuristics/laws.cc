// Equations that hold for all elements: the laws of an algebraic structure, given by a class, by a
// structure or by hypotheses. grind decides what follows from equations between given terms, but
// invents no terms: the laws are instantiated at those of the goal, and at what unary operations
// make of its variables.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "policy/heuristics/heuristics.h"
#include "syntax/lexer.h"
#include "syntax/signature.h"

namespace zermelo::policy {
namespace {

using syntax::FileConstant;

constexpr size_t kMaxLaws = 12;
constexpr size_t kMaxTerms = 8;
constexpr size_t kMaxSeeds = 16;
constexpr int kFewInstances = 200;
constexpr double kManyInstancesCost = 0.5;

struct Law {
  std::string name;   // for grind; empty for a hypothesis, which it uses anyway
  std::string proof;  // what is applied to arguments
  std::vector<std::string> variables;
  std::vector<TermPtr> sides;  // of its equation; if it states something else, that alone
  bool IsFull(const Term& side) const {
    return (side.kind == TermKind::kApply || side.kind == TermKind::kOperator) &&
           std::ranges::all_of(variables,
                               [&](const std::string& name) { return Mentions(side, name); });
  }
  bool HasPattern() const {
    return std::ranges::any_of(sides, [&](const TermPtr& side) { return IsFull(*side); });
  }
  /// Each side is an application that mentions all variables: it can be read in both directions.
  bool BothWays() const { return sides.size() == 2 && IsFull(*sides[0]) && IsFull(*sides[1]); }
  /// Of a binary function: instances add nothing.
  bool IsCommutativity() const {
    if (sides.size() != 2 || variables.size() != 2) return false;
    const auto &left = *sides[0], &right = *sides[1];
    return left.head == right.head && left.args.size() == 2 && right.args.size() == 2 &&
           left.args[0]->text == right.args[1]->text && left.args[1]->text == right.args[0]->text;
  }
  /// Such as reflexivity.
  bool IsUnaryRelation() const {
    return sides.size() == 1 && variables.size() == 1 && IsFull(*sides[0]) &&
           (IsRelation(*sides[0]) ||
            (sides[0]->kind == TermKind::kApply && sides[0]->args.size() > 1));
  }
};

/// Whether a part of a proposition may be an element, not a proposition itself.
bool IsElement(const Term& part) {
  switch (part.kind) {
    case TermKind::kName:
    case TermKind::kApply:
    case TermKind::kNumeral:
      return true;
    case TermKind::kOperator:
      return IsOperation(part);
    default:
      return false;
  }
}

/// The law that `∀ x y, s = t` states, for variables whose type `allows`.
std::optional<Law> LawOf(TermPtr prop, const std::function<bool(std::string_view type)>& allows) {
  Law law;
  while (prop->kind == TermKind::kBinder && prop->head == "∀") {
    if (!allows(prop->bound)) return std::nullopt;
    law.variables.insert(law.variables.end(), prop->names.begin(), prop->names.end());
    const TermPtr body = prop->args[0];
    prop = body;
  }
  if (law.variables.empty()) return std::nullopt;
  law.sides = prop->Is("=") ? prop->args : std::vector<TermPtr>{prop};
  return law;
}

/// The law that a theorem of the file states, with its binders.
std::optional<Law> LawOf(const FileConstant& theorem) {
  const auto signature = syntax::ParseSignature(theorem.signature);
  const std::string& type = signature ? signature->type : theorem.signature;
  std::string binders;
  if (signature) {
    for (const syntax::Binder& binder : signature->binders) {
      if (binder.kind != syntax::BracketKind::kRound) continue;
      binders += fmt::format("∀ {}, ", fmt::join(binder.names, " "));
    }
  }
  return LawOf(ParseTerm(binders + type), [](std::string_view) { return true; });
}

class Proposer {
 public:
  explicit Proposer(const HeuristicInput& input) : arith_(input.arith), file_(input.file) {
    ReadFile(input);
    ReadHypotheses();
  }

  void Run(Candidates* out) const {
    if (laws_.empty()) return;
    const std::string reversed = Reversed(), close = "grind" + List();
    Add(reversed + close, 0.15, out);
    const std::vector<std::string> terms = Terms(false), more = Terms(true);
    const std::string few = Seeds(terms, 1), wide = Seeds(more, 1), pairs = Seeds(more, 2);
    // Most of what follows at all, follows from few instances; grind takes long for many.
    const std::string soon = fmt::format("grind (instances := {}){}", kFewInstances, List());
    const auto add = [&](const std::string& seeds, double cost) {
      Add(seeds + reversed + soon, cost, out);
      Add(seeds + reversed + close, cost + kManyInstancesCost, out);
    };
    if (!few.empty()) add(few, 0.16);
    if (wide != few) add(wide, 0.19);
    if (!pairs.empty() && pairs != wide) add(pairs, 0.26);
  }

 private:
  static void Add(std::string tactic, double cost, Candidates* out) {
    out->push_back({std::move(tactic), cost, true, "laws"});
  }

  /// The laws of the classes and structures that the goal mentions, and theorems about them.
  void ReadFile(const HeuristicInput& input) {
    if (input.file.types.empty()) return;
    const syntax::NameSet written = NamesInGoal();
    for (const FileConstant* type : input.file.types) {
      fields_.insert(fields_.end(), type->fields.begin(), type->fields.end());
      const Variable* structure = nullptr;
      const size_t instances_before = carriers_.size();
      for (const Variable& variable : arith_.variables) {
        const TermPtr of = ParseTerm(variable.type);
        if (file_.Type(of->head) != type) continue;
        // Instances of classes are not written in a goal; what has a structure for its type is.
        if (written.written.contains(variable.name)) {
          structure = &variable;
        } else {
          carriers_.push_back(of->args.empty() ? "_" : Parenthesized(*of->args[0]));
        }
      }
      if (structure == nullptr && carriers_.size() == instances_before) continue;
      for (const FileConstant& constant : *input.context.file) {
        const bool is_law = constant.kind == FileConstant::Kind::kTheorem &&
                            constant.declaration == type->declaration;
        if (is_law) AddLaw(constant, structure);
      }
    }
    if (laws_.empty()) return;
    std::set<size_t> types;  // others have laws that do not apply
    for (const FileConstant& constant : *input.context.file) {
      if (constant.kind == FileConstant::Kind::kType) types.insert(constant.declaration);
    }
    for (const FileConstant* theorem : input.file.theorems) {
      if (!types.contains(theorem->declaration)) AddLaw(*theorem, nullptr);
    }
  }

  syntax::NameSet NamesInGoal() const {
    syntax::NameSet names = syntax::NamesIn(arith_.target->text);
    for (const Fact& fact : arith_.facts) names.Add(syntax::NamesIn(fact.prop->text));
    for (const Variable& variable : arith_.variables) names.Add(syntax::NamesIn(variable.type));
    return names;
  }

  /// `structure`: the variable that has the law as a field; null: it is applied to elements at
  /// once.
  void AddLaw(const FileConstant& theorem, const Variable* structure) {
    auto law = LawOf(theorem);
    // One without such a side has a condition or no pattern for grind.
    if (!law || laws_.size() == kMaxLaws || !law->HasPattern()) return;
    law->name = theorem.reference;
    law->proof = structure == nullptr
                     ? theorem.reference
                     : fmt::format("{}.{}", structure->name, syntax::LastComponent(theorem.name));
    laws_.push_back(*std::move(law));
  }

  /// Only laws about elements of a type variable or of a structure: numbers have procedures of
  /// their own.
  void ReadHypotheses() {
    const auto is_abstract = [&](std::string_view bound) {
      if (!bound.starts_with(":")) return false;
      const std::string type = ParseTerm(bound.substr(1))->head;
      const Variable* variable = arith_.Find(type.substr(0, type.find('.')));
      return variable != nullptr && (variable->name != type || variable->type.starts_with("Type") ||
                                     variable->type.starts_with("Sort"));
    };
    for (const Fact& fact : arith_.facts) {
      if (laws_.size() == kMaxLaws || fact.prop->kind != TermKind::kBinder) continue;
      auto law = LawOf(fact.prop, is_abstract);
      if (!law || !law->HasPattern() || (law->sides.size() == 1 && !law->IsUnaryRelation()))
        continue;
      law->proof = fact.proof;
      laws_.push_back(*std::move(law));
    }
  }

  /// ` [_=_ assoc, one_mul]`; hypotheses are used without being named.
  std::string List() const {
    std::vector<std::string> names;
    for (const Law& law : laws_) {
      if (!law.name.empty()) names.push_back((law.BothWays() ? "_=_ " : "") + law.name);
    }
    return names.empty() ? "" : fmt::format(" [{}]", fmt::join(names, ", "));
  }

  /// The hypotheses that are to be read from right to left, too.
  std::string Reversed() const {
    std::string lines;
    for (const Law& law : laws_) {
      if (!law.name.empty() || !law.BothWays() || law.IsCommutativity()) continue;
      const std::string names = fmt::format("{}", fmt::join(law.variables, " "));
      lines += fmt::format("have := fun {0} => ({1} {0}).symm\n", names, law.proof);
    }
    return lines;
  }

  /// The variables and the other parts of the target and of the facts without variables of their
  /// own, the small ones first; `applied`: also unary operations of the laws at the variables.
  std::vector<std::string> Terms(bool applied) const {
    std::vector<std::string> variables, parts;
    const auto scan = [&](const Term& term) {
      Visit(term, [&](const Term& part) {
        if (&part == &term || !IsElement(part)) return;
        const bool is_name = part.kind == TermKind::kName;
        std::string text = Parenthesized(part);
        auto& list = is_name && arith_.Find(part.head) != nullptr ? variables : parts;
        if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
      });
    };
    scan(*arith_.target);
    for (const Fact& fact : arith_.facts) {
      if (fact.prop->kind != TermKind::kBinder) scan(*fact.prop);
    }
    std::erase_if(variables, [&](const std::string& name) {
      const std::string& type = arith_.Find(name)->type;
      return type.find("→") != std::string::npos || type.starts_with("Type") ||
             type.starts_with("Sort") || file_.Type(ParseTerm(type)->head) != nullptr ||
             !MayBeElement(type);
    });
    std::erase_if(parts, [&](const std::string& part) { return IsOfOthers(*ParseTerm(part)); });
    parts = WithTypes(parts);
    std::ranges::stable_sort(parts, {}, &std::string::size);
    std::vector<std::string> terms = variables;
    if (applied) {
      for (const auto& [before, after] : UnaryOperations()) {
        for (const std::string& x : variables) terms.push_back(before + x + after);
      }
    }
    for (std::string& part : parts) {
      if (std::ranges::find(terms, part) == terms.end()) terms.push_back(std::move(part));
    }
    if (terms.size() > kMaxTerms) terms.resize(kMaxTerms);
    return terms;
  }

  /// Whether the laws may be about elements of the type: numbers have some only by an instance.
  bool MayBeElement(const std::string& type) const {
    return carriers_.empty() || std::ranges::find(carriers_, type) != carriers_.end() ||
           DomainOfType(type) == Domain::kOther;
  }
  /// Whether the term has variables and none of them may be such an element.
  bool IsOfOthers(const Term& term) const {
    bool any = false, elements = false;
    for (const Variable& variable : arith_.variables) {
      if (!Mentions(term, variable.name)) continue;
      any = true;
      elements |= MayBeElement(variable.type);
    }
    return any && !elements;
  }

  /// Lean cannot tell of which type a constant such as `one` is: each is tried.
  std::vector<std::string> WithTypes(const std::vector<std::string>& parts) const {
    std::vector<std::string> typed;
    for (const std::string& part : parts) {
      const TermPtr term = ParseTerm(part);
      const bool has_variable = std::ranges::any_of(
          arith_.variables, [&](const Variable& one) { return Mentions(*term, one.name); });
      if (has_variable) {
        typed.push_back(part);
        continue;
      }
      for (const std::string& type : carriers_) {
        typed.push_back(fmt::format("({} : {})", part, type));
      }
    }
    return typed;
  }

  /// The functions that the laws apply to one argument, as what stands before and after it.
  using Operation = std::pair<std::string, std::string>;
  std::vector<Operation> UnaryOperations() const {
    std::vector<Operation> operations;
    for (const Law& law : laws_) {
      for (const TermPtr& side : law.sides) {
        Visit(*side, [&](const Term& part) {
          const auto operation = OperationIn(part, law);
          const bool is_new =
              operation && std::ranges::find(operations, *operation) == operations.end();
          if (is_new) operations.push_back(*operation);
        });
      }
    }
    return operations;
  }

  std::optional<Operation> OperationIn(const Term& part, const Law& law) const {
    if (part.Is("-") && part.args.size() == 1) return Operation{"(-", ")"};
    if (part.kind == TermKind::kName) {  // `x⁻¹`, which is read as a word
      for (const std::string& x : law.variables) {
        if (part.head.starts_with(x + "⁻")) return Operation{"", part.head.substr(x.size())};
      }
    }
    if (part.kind != TermKind::kApply || part.args.size() != 1) return std::nullopt;
    if (arith_.Find(part.head) != nullptr) return Operation{"(" + part.head + " ", ")"};
    const auto field = std::ranges::find_if(fields_, [&](const std::string& full) {
      return syntax::LastComponent(full) == syntax::LastComponent(part.head);
    });
    if (field == fields_.end()) return std::nullopt;
    return Operation{"(" + *field + " ", ")"};
  }

  /// Instances of the laws with at most this many variables. One that is about elements of another
  /// type is left out when it is run.
  std::string Seeds(const std::vector<std::string>& terms, size_t arity) const {
    std::vector<std::string> lines;
    const auto add = [&](size_t variables, const std::string& arguments) {
      for (const Law& law : laws_) {
        if (law.variables.size() != variables || law.IsCommutativity()) continue;
        if (lines.size() < kMaxSeeds * variables) {
          lines.push_back(fmt::format("try have := {} {}\n", law.proof, arguments));
        }
      }
    };
    for (const std::string& x : terms) add(1, x);
    for (const std::string& x : terms) {
      for (const std::string& y : terms) {
        if (arity == 2) add(2, x + " " + y);
      }
    }
    return fmt::format("{}", fmt::join(lines, ""));
  }

  const ArithmeticGoal& arith_;
  const FileFacts& file_;
  std::vector<std::string> fields_;    // of the classes
  std::vector<std::string> carriers_;  // what has instances of them
  std::vector<Law> laws_;
};

}  // namespace

void ProposeLaws(const HeuristicInput& input, Candidates* out) { Proposer(input).Run(out); }

}  // namespace zermelo::policy
