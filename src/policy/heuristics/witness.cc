// Witnesses for ∃.
#include <algorithm>
#include <fmt/format.h>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr const char* kEasy = "by first | omega | (simp; done) | grind";
constexpr int kMaxTries = 60'000;
constexpr int64_t kRange[] = {5000, 60, 20, 10};  // values of each of 1, 2, 3, 4 variables

// ∃ x y z with its body; a bound such as `> n` becomes a part of the proof.
struct Existential {
  std::vector<std::string> names;
  std::vector<std::string> types;
  const Term* body = nullptr;
  bool has_bounds = false;
};

Existential Open(const Term& target) {
  Existential open;
  open.body = &target;
  while (open.body->kind == TermKind::kBinder && open.body->head == "∃" && !open.has_bounds) {
    const std::string& bound = open.body->bound;
    open.has_bounds = !bound.empty() && bound[0] != ':';
    for (const std::string& name : open.body->names) {
      open.names.push_back(name);
      open.types.push_back(bound.starts_with(": ") ? bound.substr(2) : "Nat");
    }
    open.body = open.body->args[0].get();
  }
  return open;
}

// The first witnesses in a small box for which a closed body is true.
std::optional<std::vector<int64_t>> Search(const Existential& open, const ArithmeticGoal& arith) {
  if (open.names.empty() || open.names.size() > 4 || open.has_bounds) return std::nullopt;
  ArithmeticGoal inner = arith;
  Assignment assignment;
  for (size_t i = 0; i < open.names.size(); ++i) {
    const Domain domain = open.types[i] == "Int" ? Domain::kInt : Domain::kNat;
    inner.variables.insert(inner.variables.begin(), {open.names[i], open.types[i], domain});
  }
  if (!IsComputable(*open.body, inner)) return std::nullopt;
  const int64_t range = kRange[open.names.size() - 1];
  std::vector<int64_t> values(open.names.size(), 0);
  for (int tries = 0; tries < kMaxTries; ++tries) {
    for (size_t i = 0; i < values.size(); ++i) assignment.values[open.names[i]] = {values[i], 1};
    const auto holds = Holds(*open.body, assignment, inner);
    if (!holds) return std::nullopt;
    if (*holds) return values;
    size_t digit = 0;
    while (digit < values.size() && ++values[digit] > range) values[digit++] = 0;
    if (digit == values.size()) break;
  }
  return std::nullopt;
}

// For ∃ x, A ∧ ∃ y, B: tries all pairs of simple terms.
void ProposeNested(const Term& body, const std::vector<std::string>& terms, Candidates* out) {
  if (!body.Is("∧") || body.args[1]->kind != TermKind::kBinder || body.args[1]->head != "∃") return;
  std::string tactic = "first";
  for (const std::string& outer : terms) {
    for (const char* inner : {"0", "1", "2"}) {
      tactic += fmt::format("\n| exact ⟨{}, {}, {}, {}⟩", outer, kEasy, inner, kEasy);
    }
    tactic += fmt::format("\n| exact ⟨{0}, {1}, {0}, {1}⟩", outer, kEasy);
  }
  out->push_back({std::move(tactic), 0.95, true, "witness"});
}

}  // namespace

void ProposeWitnesses(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Existential open = Open(*arith.target);
  if (open.names.empty()) return;
  if (const auto values = Search(open, arith)) {
    out->push_back(
        {fmt::format("exact ⟨{}, by decide⟩", fmt::join(*values, ", ")), 0.3, true, "witness"});
    out->push_back(
        {fmt::format("exact ⟨{}, by simp⟩", fmt::join(*values, ", ")), 0.4, true, "witness"});
  }
  std::vector<std::string> terms;
  for (const Variable& variable : arith.variables) {
    if (variable.type != open.types[0] && variable.domain == Domain::kOther) continue;
    terms.push_back(variable.name);
    terms.push_back(variable.name + " + 1");
    if (terms.size() >= 8) break;
  }
  for (const char* number : {"0", "1", "2", "3"}) terms.push_back(number);
  ProposeNested(*open.body, terms, out);
  double cost = 1.6;
  for (const std::string& term : terms) {
    out->push_back({fmt::format("exact ⟨{}, {}⟩", term, kEasy), cost - 0.6, true, "witness"});
    out->push_back({fmt::format("refine ⟨{}, ?_⟩", term), cost, false, "witness"});
    cost += 0.15;
  }
}

}  // namespace zermelo::policy
