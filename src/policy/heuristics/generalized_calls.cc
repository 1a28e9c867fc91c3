// Recursive calls that become variables. After an induction, the goal has the value of a recursive
// call and its hypothesis what is known of that value. For any value with this property, what the
// function does with it is shown by an induction of its own, without a lemma about it
// (generalization: Boyer and Moore, A Computational Logic, 1979).
#include <algorithm>
#include <fmt/format.h>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

using syntax::FileConstant;

constexpr size_t kMostCalls = 2;

/// `f … x …`, where f calls itself, in an argument of something else.
struct Call {
  std::string text, function, variable;
  bool is_list = false;  // else a natural number

  bool operator==(const Call& other) const {
    return text == other.text && variable == other.variable;
  }
};

std::vector<Call> CallsIn(const HeuristicInput& input) {
  std::vector<Call> calls;
  const auto add = [&](const Term& term) {
    if (term.kind != TermKind::kApply) return;
    const FileConstant* function = input.file.Function(term.head);
    if (function == nullptr || !function->recursive || function->proposition) return;
    for (const TermPtr& arg : term.args) {
      const Variable* variable =
          arg->kind == TermKind::kName ? input.arith.Find(arg->head) : nullptr;
      if (variable == nullptr) continue;
      const bool is_list = ParseTerm(variable->type)->IsApply("List");
      if (!is_list && variable->domain != Domain::kNat) continue;
      const Call call{term.text, function->reference, variable->name, is_list};
      if (std::ranges::find(calls, call) == calls.end()) calls.push_back(call);
    }
  };
  Visit(*input.arith.target, [&](const Term& part) {
    if (part.kind != TermKind::kApply) return;
    for (const TermPtr& arg : part.args) add(*arg);
  });
  return calls;
}

}  // namespace

void ProposeGeneralizedCalls(const HeuristicInput& input, Candidates* out) {
  std::vector<std::string> simp = input.file.definitions, grind = simp;
  for (const FileConstant* theorem : input.file.for_simp) simp.push_back(theorem->reference);
  for (const FileConstant* theorem : input.file.for_grind) grind.push_back(theorem->reference);
  for (const FileConstant* predicate : input.file.predicates) grind.push_back(predicate->reference);
  const std::string close = fmt::format("first | (simp_all [{}]; done) | grind [{}]",
                                        fmt::join(simp, ", "), fmt::join(grind, ", "));
  const ArithmeticGoal& arith = input.arith;
  const std::string value = arith.Fresh("r"), ih = arith.Fresh("ih"), head = arith.Fresh("y");
  std::vector<Call> calls = CallsIn(input);
  if (calls.size() > kMostCalls) calls.resize(kMostCalls);
  for (const Call& call : calls) {
    const std::string base = call.is_list ? "nil" : "zero";
    const std::string step = call.is_list ? "cons " + head : "succ";
    out->push_back({fmt::format("induction {0} with\n"
                                "| {1} => {2}\n"
                                "| {3} {0} {4} =>\n"
                                "  simp only [{5}]\n"
                                "  generalize {6} = {7} at *\n"
                                "  (try subst {4})\n"
                                "  first\n"
                                "    | (induction {7} <;> grind [{8}])\n"
                                "    | (induction {4} <;> grind [{8}])\n"
                                "    | (induction {7} <;> simp_all [{9}] <;> omega)",
                                call.variable, base, close, step, ih, call.function, call.text,
                                value, fmt::join(grind, ", "), fmt::join(simp, ", ")),
                    0.69, true, "generalized_calls"});
  }
}

}  // namespace zermelo::policy
