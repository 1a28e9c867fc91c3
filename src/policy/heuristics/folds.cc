// Sums and other folds over lists and ranges of numbers.
#include <fmt/format.h>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMostFolds = 2;

/// The first variable that the term mentions; null: there is none.
const Variable* FirstIn(const Term& term, const ArithmeticGoal& arith) {
  for (const Variable& variable : arith.variables) {
    if (Mentions(term, variable.name)) return &variable;
  }
  return nullptr;
}

/// A fold that begins with c, in terms of `{0}`, the one that begins with `first`; empty: not
/// known.
std::string FromAnyBeginning(const std::string& first, bool left) {
  if (first == "0") return left ? "c + {0}" : "{0} + c";
  if (first == "1") return left ? "c * {0}" : "{0} * c";
  return first == "[]" ? "{0} ++ c" : "";
}

/// The lemma that an induction needs: how the result depends on the element that the fold begins
/// with. Empty if the form of the fold is not known.
std::string LemmaAbout(const Term& fold, const std::string& element, const ArithmeticGoal& arith) {
  const std::string& text = fold.args[0]->text;
  const std::string function = text.starts_with("(") ? text : Parenthesized(*fold.args[0]);
  const std::string& first = fold.args[1]->text;
  const std::string result = FromAnyBeginning(first, fold.head == "List.foldl");
  if (result.empty()) return "";
  const std::string type = element.empty() ? "" : fmt::format(" : List {}", element);
  const std::string same = fmt::format("{} {} {} l", fold.head, function, first);
  return fmt::format(
      "have {0} : ∀ (l{1}) c, {2} {3} c l = {4} := by\n"
      "  intro l\n"
      "  induction l <;> grind\n",
      arith.Fresh("fold"), type, fold.head, function, fmt::format(fmt::runtime(result), same));
}

}  // namespace

void ProposeFolds(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const std::string all = fmt::format("{}", fmt::join(input.file.definitions, ", "));
  const std::string more = all.empty() ? "" : ", " + all;
  const auto add = [&](std::string tactic, double cost) {
    out->push_back({std::move(tactic), cost, true, "folds"});
  };
  std::string lemmas;
  const Variable* inducted = nullptr;
  size_t folds = 0;
  bool ranges = false;
  Visit(*arith.target, [&](const Term& part) {
    if (part.IsApply("List.range") && part.args.size() == 1) {
      ranges = true;
      if (inducted == nullptr) inducted = FirstIn(part, arith);
    }
    const bool is_fold = part.IsApply("List.foldl") || part.IsApply("List.foldr");
    if (!is_fold || part.args.size() != 3 || folds == kMostFolds) return;
    const Term& list = *part.args[2];
    const Variable* variable = arith.Find(list.text);
    std::string element;
    if (variable != nullptr && variable->type.starts_with("List ")) {
      element = variable->type.substr(5);
    } else if (list.IsApply("List.range")) {
      element = "Nat";
    }
    const std::string lemma = LemmaAbout(part, element, arith);
    if (lemma.empty() || lemmas.find(lemma) != std::string::npos) return;
    lemmas += lemma;
    ++folds;
    if (inducted == nullptr) inducted = FirstIn(list, arith);
  });
  if (inducted == nullptr) return;
  const std::string induction = "induction " + inducted->name;
  if (ranges) {
    add(fmt::format("{} <;> grind [List.range_succ{}]", induction, more), 0.42);
    add(fmt::format("{} <;> simp_all [List.range_succ{}] <;> grind", induction, more), 0.43);
  }
  if (lemmas.empty()) return;
  const std::string range = ranges ? "List.range_succ" + more : all;
  add(fmt::format("{}{} <;> grind [{}]", lemmas, induction, range), 0.44);
}

}  // namespace zermelo::policy
