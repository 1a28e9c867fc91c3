// Substitution in terms: bound variables, locals and universe parameters.
#pragma once

#include <span>
#include <vector>

#include "kernel/budget.h"
#include "kernel/term/id_map.h"
#include "kernel/term/level.h"
#include "kernel/term/term.h"

namespace zermelo::kernel {

/// Not thread-safe.
class Substitution {
 public:
  Substitution(Terms& terms, Levels& levels, Budget& budget)
      : terms_(terms), levels_(levels), budget_(budget) {}

  /// Replaces the loose bound variables: 0 by the last value, 1 by the one before, …; those beyond
  /// are lowered. The values have no loose bound variables, so nothing is lifted.
  ExprId Instantiate(ExprId e, std::span<const ExprId> values);
  ExprId Instantiate(ExprId e, ExprId value) { return Instantiate(e, std::span(&value, 1)); }
  /// The reverse: the last local becomes bound variable 0. `e` has no loose bound variables.
  ExprId Abstract(ExprId e, std::span<const ExprId> locals);
  ExprId InstantiateLevels(ExprId e, const std::vector<NameId>& names, ListId levels);

  ExprId App(ExprId function, ExprId argument) {
    return terms_.Expr({.kind = ExprKind::kApp, .a = Index(function), .b = Index(argument)});
  }
  ExprId Apply(ExprId function, std::span<const ExprId> arguments) {
    for (const ExprId argument : arguments) function = App(function, argument);
    return function;
  }
  /// `∀ locals, body` and `fun locals => body`; each local may occur in the types of later ones.
  ExprId Forall(std::span<const ExprId> locals, ExprId body) {
    return Bind(ExprKind::kForall, locals, body);
  }
  ExprId Lambda(std::span<const ExprId> locals, ExprId body) {
    return Bind(ExprKind::kLambda, locals, body);
  }

  /// Rebuilds `e` with each outermost sub-expression x replaced for which f(x) is not x; f is
  /// called once for each, before its parts. Bound variables are not adjusted.
  template <class F>
  ExprId Replace(ExprId e, F f) {
    IdMap done;
    return ReplaceIn(e, f, done);
  }

 private:
  ExprId Bind(ExprKind kind, std::span<const ExprId> locals, ExprId body);
  ExprId InstantiateAt(ExprId e, std::span<const ExprId> values, uint32_t binders);
  ExprId AbstractAt(ExprId e, std::span<const ExprId> locals, uint32_t binders);
  ExprId LevelsIn(ExprId e, const std::vector<NameId>& names, ListId levels);

  /// The node with part(child, binders that it has around it) in place of each child.
  template <class F>
  ExprId Map(ExprNode node, F part) {
    switch (node.kind) {
      case ExprKind::kApp:
        node.a = Index(part(ExprId{node.a}, 0));
        node.b = Index(part(ExprId{node.b}, 0));
        break;
      case ExprKind::kLambda:
      case ExprKind::kForall:
        node.a = Index(part(ExprId{node.a}, 0));
        node.b = Index(part(ExprId{node.b}, 1));
        break;
      case ExprKind::kLet:
        node.a = Index(part(ExprId{node.a}, 0));
        node.b = Index(part(ExprId{node.b}, 0));
        node.c = Index(part(ExprId{node.c}, 1));
        break;
      case ExprKind::kProj:
        node.c = Index(part(ExprId{node.c}, 0));
        break;
      default:
        break;
    }
    return terms_.Expr(
        {.kind = node.kind, .info = node.info, .a = node.a, .b = node.b, .c = node.c});
  }

  template <class F>
  ExprId ReplaceIn(ExprId e, F& f, IdMap& done) {
    budget_.Tick();
    if (const uint32_t known = done.Find(Index(e)); known != IdMap::kAbsent) return ExprId{known};
    ExprId result = f(e);
    if (result == e) {
      result = Map(terms_[e], [&](ExprId child, uint32_t) { return ReplaceIn(child, f, done); });
    }
    done.Set(Index(e), Index(result));
    return result;
  }

  Terms& terms_;
  Levels& levels_;
  Budget& budget_;
  IdMap memo_;  // of one call
};

}  // namespace zermelo::kernel
