#include "policy/arith/arithmetic_goal.h"

#include <algorithm>
#include <set>

#include "syntax/words.h"

namespace zermelo::policy {
namespace {

bool LooksLikeProposition(const Term& term) {
  if (term.kind == TermKind::kBinder) return true;
  if (term.kind != TermKind::kOperator) {
    return term.head == "False" || term.head == "True" || term.head == "Coprime";
  }
  return IsRelation(term) || term.head == "∧" || term.head == "∨" || term.head == "¬" ||
         term.head == "↔" || term.head == "∈" || term.head == "∉";
}

// `Nat → Prop` is a type and `p → q` a proposition: the leftmost part decides.
bool IsType(const Term& term, const ArithmeticGoal& arith) {
  const Term* first = &term;
  while (first->Is("→")) first = first->args[0].get();
  if (first->kind != TermKind::kName && first->kind != TermKind::kApply) {
    return !LooksLikeProposition(*first) && first->kind != TermKind::kOpaque;
  }
  const Variable* head = arith.Find(first->head);
  return first->head != "Coprime" && (head == nullptr || !head->type.ends_with("Prop"));
}

void AddFacts(const std::string& name, const TermPtr& prop, ArithmeticGoal* arith) {
  const std::vector<TermPtr> parts = Conjuncts(prop);
  std::string path = name;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    arith->facts.push_back({parts.size() == 1 || last ? path : path + ".1", parts[i], name});
    path += ".2";
  }
}

// a - b on Nat is 0 if a < b; / and % round as in Lean.
std::optional<Rational> EvaluateOperator(std::string_view op, const Rational& a, const Rational& b,
                                         Domain domain) {
  if (op == "+") return Bounded(a + b);
  if (op == "*") return Bounded(a * b);
  if (op == "^") return Power(a, b);
  if (op == "-") {
    if (domain == Domain::kNat && a < b) return Rational(0);
    return Bounded(a - b);
  }
  if (op == "/") {
    if (b == 0) return Rational(0);
    if (domain == Domain::kRat) return Bounded(a / b);
    if (IsInteger(a) && IsInteger(b)) return Rational(FloorDivide(numerator(a), numerator(b)));
  }
  if (op == "%" && IsInteger(a) && IsInteger(b)) {
    return Rational(Remainder(numerator(a), numerator(b)));
  }
  return std::nullopt;
}

std::optional<Rational> EvaluateApply(const Term& term, const Assignment& assignment) {
  const bool of_naturals = term.head == "gcd" || term.head == "lcm" || term.head == "succ";
  std::vector<Rational> args;
  for (const TermPtr& arg : term.args) {
    const auto value = Evaluate(*arg, assignment, Domain::kNat);
    if (!value) return std::nullopt;
    args.push_back(*value);
  }
  if (of_naturals && std::all_of(args.begin(), args.end(), IsInteger)) {
    if (term.head == "succ" && args.size() == 1) return Bounded(args[0] + 1);
    if (args.size() != 2) return std::nullopt;
    const Integer gcd = boost::multiprecision::gcd(numerator(args[0]), numerator(args[1]));
    if (term.head == "gcd") return Rational(gcd);
    if (gcd == 0) return Rational(0);
    return Bounded(args[0] / gcd * args[1]);
  }
  if (args.size() == 1 && IsInteger(args[0])) {
    const auto found =
        assignment.applications.find({term.head, static_cast<int64_t>(numerator(args[0]))});
    if (found != assignment.applications.end()) return found->second;
  }
  return std::nullopt;
}

std::optional<bool> Compare(const Term& term, const Assignment& assignment,
                            const ArithmeticGoal& arith) {
  Domain domain = DomainOf(term, arith);
  if (domain == Domain::kOther) domain = Domain::kNat;
  const auto a = Evaluate(*term.args[0], assignment, domain);
  const auto b = Evaluate(*term.args[1], assignment, domain);
  if (!a || !b) return std::nullopt;
  const std::string& op = term.head;
  if (op == "=") return *a == *b;
  if (op == "≠") return *a != *b;
  if (op == "<") return *a < *b;
  if (op == "≤") return *a <= *b;
  if (op == ">") return *a > *b;
  if (op == "≥") return *a >= *b;
  if (!IsInteger(*a) || !IsInteger(*b)) return std::nullopt;
  return *a == 0 ? *b == 0 : Remainder(numerator(*b), numerator(*a)) == 0;
}

}  // namespace

const Variable* ArithmeticGoal::Find(std::string_view name) const {
  for (const Variable& variable : variables) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

std::string ArithmeticGoal::Fresh(std::string_view base) const {
  std::string name(base);
  for (int i = 1; std::find(names.begin(), names.end(), name) != names.end(); ++i) {
    name = std::string(base) + std::to_string(i);
  }
  return name;
}

ArithmeticGoal ReadGoal(const syntax::Goal& goal) {
  ArithmeticGoal arith;
  arith.target = ParseTerm(goal.target);
  for (const syntax::Hypothesis& hypothesis : goal.hypotheses) {
    const TermPtr type = ParseTerm(hypothesis.type);
    const bool is_type = IsType(*type, arith);
    for (const std::string& name : hypothesis.names) {
      arith.names.push_back(name);
      if (syntax::IsInaccessible(name)) continue;
      if (is_type) {
        arith.variables.push_back({name, hypothesis.type, DomainOfType(hypothesis.type)});
      } else {
        AddFacts(name, type, &arith);
      }
    }
  }
  return arith;
}

Domain DomainOfType(std::string_view type) {
  const std::string_view name = syntax::NumberTypeName(type);
  if (name == "Nat") return Domain::kNat;
  if (name == "Int") return Domain::kInt;
  if (name == "Rat") return Domain::kRat;
  return Domain::kOther;
}

Domain DomainOf(const Term& term, const ArithmeticGoal& arith) {
  Domain found = Domain::kOther;
  bool cast = false;
  const std::function<void(const Term&, bool)> scan = [&](const Term& part, bool inside_cast) {
    if (part.kind == TermKind::kCast) {
      cast = true;
      inside_cast = true;
    }
    if (part.Is("^")) {  // the exponent is a natural number, whatever the base
      scan(*part.args[0], inside_cast);
      return;
    }
    if (part.kind == TermKind::kName) {
      const Variable* variable = arith.Find(part.head);
      if (variable != nullptr && !inside_cast) found = std::max(found, variable->domain);
    }
    if (part.kind == TermKind::kApply) {
      const Variable* function = arith.Find(part.head);
      if (function == nullptr) {
        if (part.head == "gcd" || part.head == "lcm") found = std::max(found, Domain::kNat);
        return;
      }
      const size_t arrow = function->type.rfind("→ ");
      if (arrow == std::string::npos || inside_cast) return;
      const std::string_view range =
          std::string_view(function->type).substr(arrow + sizeof("→ ") - 1);
      found = std::max(found, DomainOfType(range));
      return;
    }
    for (const TermPtr& arg : part.args) scan(*arg, inside_cast);
  };
  scan(term, false);
  if (cast && found != Domain::kRat) {
    const bool rationals = std::any_of(arith.variables.begin(), arith.variables.end(),
                                       [](const Variable& v) { return v.domain == Domain::kRat; });
    found = rationals || term.text.find(" / ") != std::string::npos ? Domain::kRat : Domain::kInt;
  }
  return found;
}

std::string_view TypeName(Domain domain) {
  switch (domain) {
    case Domain::kInt:
      return "Int";
    case Domain::kRat:
      return "Rat";
    default:
      return "Nat";
  }
}

std::vector<std::string> IntegerVariables(const Term& term, const ArithmeticGoal& arith) {
  std::vector<std::string> names;
  Visit(term, [&](const Term& part) {
    if (part.kind != TermKind::kName) return;
    const Variable* variable = arith.Find(part.head);
    if (variable == nullptr ||
        (variable->domain != Domain::kNat && variable->domain != Domain::kInt)) {
      return;
    }
    if (std::find(names.begin(), names.end(), part.head) == names.end()) names.push_back(part.head);
  });
  return names;
}

bool IsComputable(const Term& term, const ArithmeticGoal& arith) {
  bool computable = true;
  Visit(term, [&](const Term& part) {
    switch (part.kind) {
      case TermKind::kNumeral:
      case TermKind::kCast:
        break;
      case TermKind::kOperator:
        computable &=
            part.head != "∈" && part.head != "∉" && part.head != "::" && part.head != "++";
        break;
      case TermKind::kName: {
        const Variable* variable = arith.Find(part.head);
        const bool number = variable != nullptr &&
                            (variable->domain == Domain::kNat || variable->domain == Domain::kInt);
        computable &= number || part.head == "False" || part.head == "True";
        break;
      }
      case TermKind::kApply:
        computable &= part.head == "gcd" || part.head == "lcm" || part.head == "succ" ||
                      part.head == "Coprime";
        break;
      default:
        computable = false;
    }
  });
  return computable && DomainOf(term, arith) != Domain::kRat;
}

std::optional<Rational> Evaluate(const Term& term, const Assignment& assignment, Domain domain) {
  switch (term.kind) {
    case TermKind::kNumeral: {
      const auto value = NumeralValue(term);
      return value ? std::optional(Rational(*value)) : std::nullopt;
    }
    case TermKind::kName: {
      const auto found = assignment.values.find(term.head);
      return found == assignment.values.end() ? std::nullopt : std::optional(found->second);
    }
    case TermKind::kCast:
      return Evaluate(*term.args[0], assignment, Domain::kNat);
    case TermKind::kApply:
      return EvaluateApply(term, assignment);
    case TermKind::kOperator: {
      const auto a = Evaluate(*term.args[0], assignment, domain);
      if (!a) return std::nullopt;
      if (term.args.size() == 1) {
        return term.head == "-" ? std::optional(Rational(-*a)) : std::nullopt;
      }
      const Domain right = term.head == "^" ? Domain::kNat : domain;
      const auto b = Evaluate(*term.args[1], assignment, right);
      return b ? EvaluateOperator(term.head, *a, *b, domain) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<bool> Holds(const Term& term, const Assignment& assignment,
                          const ArithmeticGoal& arith) {
  if (IsRelation(term)) return Compare(term, assignment, arith);
  if (term.kind == TermKind::kName && term.head == "False") return false;
  if (term.kind == TermKind::kName && term.head == "True") return true;
  if (term.IsApply("Coprime") && term.args.size() == 2) {
    const auto a = Evaluate(*term.args[0], assignment, Domain::kNat);
    const auto b = Evaluate(*term.args[1], assignment, Domain::kNat);
    if (!a || !b) return std::nullopt;
    return boost::multiprecision::gcd(numerator(*a), numerator(*b)) == 1;
  }
  if (term.kind != TermKind::kOperator) return std::nullopt;
  const auto a = Holds(*term.args[0], assignment, arith);
  if (term.head == "¬") return a ? std::optional(!*a) : std::nullopt;
  if (term.args.size() != 2) return std::nullopt;
  const auto b = Holds(*term.args[1], assignment, arith);
  if (term.head == "∧" && ((a && !*a) || (b && !*b))) return false;
  if (term.head == "∨" && ((a && *a) || (b && *b))) return true;
  if (term.head == "→" && ((a && !*a) || (b && *b))) return true;
  if (!a || !b) return std::nullopt;
  if (term.head == "∧") return *a && *b;
  if (term.head == "∨") return *a || *b;
  if (term.head == "→") return !*a || *b;
  if (term.head == "↔") return *a == *b;
  return std::nullopt;
}

}  // namespace zermelo::policy
