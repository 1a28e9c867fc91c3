#include "policy/heuristics/theorem_use.h"

#include <algorithm>
#include <string>
#include <vector>

#include "policy/arith/term.h"
#include "syntax/signature.h"

namespace zermelo::policy {
namespace {

bool IsUniversal(const Term& prop) { return prop.kind == TermKind::kBinder && prop.head == "∀"; }

/// `a`, or `P a` for a variable P.
bool IsFlexible(const Term& side, const std::vector<std::string>& variables) {
  const bool named = side.kind == TermKind::kName || side.kind == TermKind::kApply;
  return named && std::ranges::find(variables, side.head) != variables.end();
}

/// Whether grind may find a pattern in it: an application of something that is no variable.
bool HasPattern(const Term& prop, const std::vector<std::string>& variables) {
  bool found = false;
  Visit(prop, [&](const Term& part) {
    const bool applies = IsOperation(part) || part.kind == TermKind::kApply ||
                         part.kind == TermKind::kCast || part.kind == TermKind::kOpaque;
    found |= applies && std::ranges::find(variables, part.head) == variables.end();
  });
  return found;
}

/// Whether simp would rewrite everything with it: what it rewrites has no function at its head.
bool IsAboutAnything(const Term& conclusion, const std::vector<std::string>& variables) {
  const bool equation = conclusion.Is("=") || conclusion.Is("↔");
  return IsFlexible(equation ? *conclusion.args[0] : conclusion, variables);
}

}  // namespace

TheoremUse UseOf(const syntax::FileConstant& theorem) {
  const auto signature = syntax::ParseSignature(theorem.signature);
  TermPtr conclusion = ParseTerm(signature ? signature->type : theorem.signature);
  std::vector<std::string> variables;
  bool has_universal = false;  // a condition
  std::vector<TermPtr> parts;  // the other conditions, then the conclusion
  const auto add_condition = [&](const TermPtr& prop) {
    if (IsUniversal(*prop)) {
      has_universal = true;
    } else {
      parts.push_back(prop);
    }
  };
  if (signature) {
    for (const syntax::Binder& binder : signature->binders) {
      variables.insert(variables.end(), binder.names.begin(), binder.names.end());
      if (binder.kind == syntax::BracketKind::kSquare) continue;  // grind looks for no instance
      const TermPtr type = ParseTerm(binder.type);
      // `List α` reads like `Path a b`.
      const bool may_be_condition =
          IsUniversal(*type) || type->kind == TermKind::kApply || type->kind == TermKind::kOperator;
      if (may_be_condition && !type->Is("→") && !type->Is("×")) add_condition(type);
    }
  }
  while (true) {
    const Term& outer = *conclusion;
    if (IsUniversal(outer)) {
      variables.insert(variables.end(), outer.names.begin(), outer.names.end());
      conclusion = TermPtr(outer.args[0]);
    } else if (outer.Is("→")) {
      add_condition(outer.args[0]);
      conclusion = TermPtr(outer.args[1]);
    } else {
      break;
    }
  }
  const bool about_anything = IsAboutAnything(*conclusion, variables);
  if (!about_anything) parts.push_back(conclusion);
  const bool has_pattern =
      std::ranges::any_of(parts, [&](const TermPtr& part) { return HasPattern(*part, variables); });
  return {.simp = !about_anything && !has_universal, .grind = has_pattern};
}

}  // namespace zermelo::policy
