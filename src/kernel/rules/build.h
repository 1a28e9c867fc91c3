// Builds terms by hand: `Arrow(nat, nat)`, with de Bruijn indices. For types that the kernel knows.
#pragma once

#include "kernel/term/term.h"

namespace zermelo::kernel {

class TermBuilder {
 public:
  explicit TermBuilder(Terms& terms) : terms_(terms) {}

  ExprId Var(uint32_t index) { return terms_.Expr({.kind = ExprKind::kBVar, .a = index}); }
  ExprId Sort(LevelId level) { return terms_.Expr({.kind = ExprKind::kSort, .a = Index(level)}); }
  ExprId Prop() { return Sort(LevelId::kZero); }
  ExprId Type() { return Sort(terms_.Level({LevelKind::kSucc, Index(LevelId::kZero)})); }
  ExprId Const(NameId name, ListId levels = ListId::kNil) {
    return terms_.Expr({.kind = ExprKind::kConst, .a = Index(name), .b = Index(levels)});
  }
  /// The body is under the binder.
  ExprId Forall(ExprId type, ExprId body) {
    return terms_.Expr({.kind = ExprKind::kForall, .a = Index(type), .b = Index(body)});
  }
  ExprId Lambda(ExprId type, ExprId body) {
    return terms_.Expr({.kind = ExprKind::kLambda, .a = Index(type), .b = Index(body)});
  }
  template <class... Arguments>
  ExprId App(ExprId function, Arguments... arguments) {
    ((function =
          terms_.Expr({.kind = ExprKind::kApp, .a = Index(function), .b = Index(arguments)})),
     ...);
    return function;
  }

 private:
  Terms& terms_;
};

}  // namespace zermelo::kernel
