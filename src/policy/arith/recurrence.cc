#include "policy/arith/recurrence.h"

namespace zermelo::policy {
namespace {

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

void Store(const std::string& function, int64_t index, Rational value, int64_t modulus,
           Assignment* table) {
  if (modulus != 0) {
    if (!IsInteger(value)) return;
    value = Remainder(numerator(value), modulus);
  }
  table->applications[{function, index}] = value;
}

}  // namespace

std::optional<Recurrence> ReadRecurrence(const Fact& fact) {
  const Term& prop = *fact.prop;
  if (prop.kind != TermKind::kBinder || prop.head != "∀" || prop.names.size() != 1)
    return std::nullopt;
  Recurrence recurrence;
  recurrence.proof = fact.proof;
  recurrence.variable = prop.names[0];
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

Domain RangeOf(const std::string& function, const ArithmeticGoal& arith) {
  const Variable* variable = arith.Find(function);
  if (variable == nullptr) return Domain::kOther;
  if (variable->type.ends_with("→ Rat")) return Domain::kRat;
  if (variable->type.ends_with("→ Int")) return Domain::kInt;
  return variable->type.ends_with("→ Nat") ? Domain::kNat : Domain::kOther;
}

bool RespectResidues(const std::vector<Recurrence>& recurrences, const ArithmeticGoal& arith) {
  for (const Recurrence& recurrence : recurrences) {
    const Domain domain = RangeOf(recurrence.function, arith);
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

Assignment ComputeValues(const std::vector<Recurrence>& recurrences, const ArithmeticGoal& arith,
                         int64_t modulus, int64_t last) {
  Assignment table;
  for (const Fact& fact : arith.facts) {
    const Term& prop = *fact.prop;
    if (!prop.Is("=") || prop.args[0]->kind != TermKind::kApply) continue;
    if (prop.args[0]->args.size() != 1) continue;
    const auto index = NumeralValue(*prop.args[0]->args[0]);
    const auto value = Evaluate(*prop.args[1], {}, DomainOf(prop, arith));
    if (index && value) Store(prop.args[0]->head, *index, *value, modulus, &table);
  }
  for (int64_t i = 0; i <= last; ++i) {
    for (const Recurrence& recurrence : recurrences) {
      const int64_t n = i - recurrence.shift;
      if (n < recurrence.from || table.applications.contains({recurrence.function, i})) continue;
      table.values[recurrence.variable] = n;
      const auto value = Evaluate(*recurrence.right, table, RangeOf(recurrence.function, arith));
      table.values.erase(recurrence.variable);
      if (value) Store(recurrence.function, i, *value, modulus, &table);
    }
  }
  return table;
}

}  // namespace zermelo::policy
