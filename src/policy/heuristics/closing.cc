// Single calls of decision procedures and automation.
#include <algorithm>
#include <fmt/format.h>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

void Close(std::string tactic, double cost, const char* origin, Candidates* out) {
  out->push_back({std::move(tactic), cost, true, origin});
}

bool HasBitVectors(const HeuristicInput& input) {
  if (input.goal.target.find("BitVec") != std::string::npos) return true;
  for (const Variable& variable : input.arith.variables) {
    if (variable.type.starts_with("BitVec") || variable.type.starts_with("UInt")) return true;
  }
  return false;
}

bool HasCharacters(const HeuristicInput& input) {
  const std::string& target = input.goal.target;
  if (target.find("Char") != std::string::npos || target.find(" '") != std::string::npos)
    return true;
  return std::ranges::any_of(input.arith.variables, [](const Variable& variable) {
    return variable.type.find("Char") != std::string::npos;
  });
}

/// Characters as their numbers.
void ProposeCharacters(const HeuristicInput& input, Candidates* out) {
  if (!HasCharacters(input)) return;
  std::vector<std::string> names = input.file.definitions;
  names.insert(names.end(), {"Char.le_def", "Char.lt_def", "UInt32.le_iff_toNat_le",
                             "UInt32.lt_iff_toNat_lt", "Char.toNat"});
  for (const char* property : {"isDigit", "isAlpha", "isUpper", "isLower", "isAlphanum",
                               "isWhitespace", "toUpper", "toLower"}) {
    names.push_back(fmt::format("Char.{}", property));
  }
  Close(fmt::format("grind [{}]", fmt::join(names, ", ")), 0.41, "close", out);
}

}  // namespace

void ProposeClosing(const HeuristicInput& input, Candidates* out) {
  Close("rfl", 0.05, "close", out);
  Close("omega", 0.1, "close", out);
  Close("assumption", 0.12, "close", out);
  Close("contradiction", 0.13, "close", out);
  Close("simp", 0.15, "close", out);
  Close("decide", 0.16, "close", out);
  Close("grind", 0.2, "close", out);
  Close("simp_all", 0.22, "close", out);
  Close("simp at * <;> omega", 0.3, "close", out);
  Close("simp_all <;> omega", 0.3, "close", out);
  Close("constructor <;> grind", 0.4, "close", out);
  Close("ac_rfl", 0.45, "close", out);
  Close("set_option maxRecDepth 100000 in decide", 0.5, "close", out);
  Close("with_unfolding_all decide", 0.52, "close", out);  // Rat is irreducible
  Close("simp +arith", 0.55, "close", out);
  // Not with +arith, with which it does not end on `f (g a b) = f a + f b`.
  Close("simp_all +decide", 0.6, "close", out);
  Close("exact?", 0.8, "close", out);
  Close("split <;> simp_all", 0.7, "close", out);
  Close("split <;> grind", 0.75, "close", out);
  ProposeCharacters(input, out);
  if (HasBitVectors(input)) Close("bv_decide", 0.4, "close", out);
  for (const Fact& fact : input.arith.facts) {
    if (fact.prop->kind == TermKind::kBinder && fact.proof == fact.hypothesis) {
      Close(fmt::format("simp [{}]", fact.proof), 0.6, "close", out);
      Close(fmt::format("simp [{}] <;> omega", fact.proof), 0.7, "close", out);
      break;
    }
  }
}

void ProposeMathlib(const HeuristicInput& input, Candidates* out) {
  if (!input.context.has_mathlib) return;
  for (const char* tactic :
       {"norm_num", "ring", "linarith", "positivity", "field_simp <;> ring", "aesop"}) {
    Close(tactic, 0.25, "mathlib", out);
  }
  for (const char* tactic :
       {"norm_num at * <;> linarith", "simp_all <;> linarith", "push_cast <;> ring",
        "norm_num [Nat.ModEq] <;> omega", "gcongr", "bound", "tauto", "ring_nf at * <;> omega",
        "norm_cast", "nlinarith"}) {
    Close(tactic, 0.5, "mathlib", out);
  }
  std::string squares;
  std::vector<std::string> names;
  for (const Variable& variable : input.arith.variables) {
    if (variable.domain != Domain::kOther || variable.type == "ℝ") names.push_back(variable.name);
  }
  if (names.size() > 4) names.resize(4);
  for (size_t i = 0; i < names.size(); ++i) {
    squares += fmt::format("{}sq_nonneg {}", i == 0 ? "" : ", ", names[i]);
    for (size_t j = i + 1; j < names.size(); ++j) {
      squares += fmt::format(", sq_nonneg ({0} - {1}), sq_nonneg ({0} + {1})", names[i], names[j]);
    }
  }
  if (!names.empty()) Close(fmt::format("nlinarith [{}]", squares), 0.8, "mathlib", out);
  for (const std::string& name : names) {
    Close(fmt::format("interval_cases {} <;> simp_all", name), 1.0, "mathlib", out);
    Close(fmt::format("interval_cases {} <;> omega", name), 1.0, "mathlib", out);
  }
  out->push_back({"push_neg", 2.0, false, "mathlib"});
  out->push_back({"norm_num at *", 2.0, false, "mathlib"});
  out->push_back({"field_simp", 2.2, false, "mathlib"});
  out->push_back({"ring_nf at *", 2.5, false, "mathlib"});
}

}  // namespace zermelo::policy
