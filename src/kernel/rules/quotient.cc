#include "kernel/rules/build.h"
#include "kernel/rules/inductive.h"

namespace zermelo::kernel {

namespace {

/// The types of the four constants, with the universes that a declaration names. Source: lean4lean,
/// addQuot.
class QuotientTypes {
 public:
  QuotientTypes(Terms& terms, const KnownNames& known, Levels& levels,
                const std::vector<NameId>& level_params)
      : terms_(terms), known_(known), b_(terms), u_(levels.Param(level_params[0])) {
    if (level_params.size() > 1) v_ = levels.Param(level_params[1]);
  }

  ExprId Of(Quotient::Kind kind) {
    const ListId us = terms_.Cons(u_, ListId::kNil);
    const ListId vs = terms_.Cons(v_, ListId::kNil);
    const ExprId quot = b_.Const(known_.quot, us);
    const ExprId sort = b_.Sort(u_);
    // {α : Sort u} (r : α → α → Prop), in each type the first two binders
    const auto relation = [&](ExprId rest) {
      return b_.Forall(sort,
                       b_.Forall(b_.Forall(b_.Var(0), b_.Forall(b_.Var(1), b_.Prop())), rest));
    };
    switch (kind) {
      case Quotient::Kind::kType:  // Sort u
        return relation(sort);
      case Quotient::Kind::kMake:  // (a : α) : Quot r
        return relation(b_.Forall(b_.Var(1), b_.App(quot, b_.Var(2), b_.Var(1))));
      case Quotient::Kind::kLift: {
        // {β : Sort v} (f : α → β) : (∀ a b, r a b → f a = f b) → Quot r → β
        const ExprId related = b_.App(b_.Var(4), b_.Var(1), b_.Var(0));
        const ExprId same = b_.App(b_.Const(known_.eq, vs), b_.Var(4), b_.App(b_.Var(3), b_.Var(2)),
                                   b_.App(b_.Var(3), b_.Var(1)));
        const ExprId respects =
            b_.Forall(b_.Var(3), b_.Forall(b_.Var(4), b_.Forall(related, same)));
        return relation(b_.Forall(
            b_.Sort(v_), b_.Forall(b_.Forall(b_.Var(2), b_.Var(1)),
                                   b_.Forall(respects, b_.Forall(b_.App(quot, b_.Var(4), b_.Var(3)),
                                                                 b_.Var(3))))));
      }
      case Quotient::Kind::kInduction: {
        // {β : Quot r → Prop} (mk : ∀ a, β (Quot.mk r a)) (q : Quot r) : β q
        const ExprId made = b_.App(b_.Const(known_.quot_make, us), b_.Var(3), b_.Var(2), b_.Var(0));
        const ExprId mk = b_.Forall(b_.Var(2), b_.App(b_.Var(1), made));
        return relation(b_.Forall(b_.Forall(b_.App(quot, b_.Var(1), b_.Var(0)), b_.Prop()),
                                  b_.Forall(mk, b_.Forall(b_.App(quot, b_.Var(3), b_.Var(2)),
                                                          b_.App(b_.Var(2), b_.Var(0))))));
      }
    }
    return kNoExpr;
  }

 private:
  Terms& terms_;
  const KnownNames& known_;
  TermBuilder b_;
  LevelId u_;
  LevelId v_ = LevelId::kZero;
};

}  // namespace

// Lean adds all four at once, and computes their types; a file lists them like other constants, so
// each is compared. Sources: lean4lean, addQuot, and checkEqType for the Eq that `lift` mentions.
// What they reduce to is in reduce.cc.
void CheckQuotient(TypeChecker& checker, const Declaration& declaration, bool eq_is_usual) {
  const KnownNames& known = checker.known();
  const Quotient::Kind kind = declaration.As<Quotient>()->kind;
  const NameId names[] = {known.quot, known.quot_make, known.quot_lift, known.quot_ind};
  const bool lift = kind == Quotient::Kind::kLift;
  if (declaration.name != names[static_cast<size_t>(kind)] ||
      declaration.level_params.size() != (lift ? 2 : 1)) {
    Reject("the name or the universes of a quotient constant differ from Lean's");
  }
  if (lift && !eq_is_usual) Reject("the quotient needs the usual Eq");
  const auto is = [&](NameId name, Quotient::Kind wanted) {
    const auto* constant = checker.view().FindAs<Quotient>(name);
    return constant != nullptr && constant->kind == wanted;
  };
  const bool has_type = kind == Quotient::Kind::kType || is(known.quot, Quotient::Kind::kType);
  const bool has_make =
      kind != Quotient::Kind::kInduction || is(known.quot_make, Quotient::Kind::kMake);
  if (!has_type || !has_make) Reject("what it is a quotient of is no quotient");
  QuotientTypes types(checker.terms(), known, checker.levels(), declaration.level_params);
  if (!checker.Same(declaration.type, types.Of(kind))) {
    Reject("the type of a quotient constant differs from Lean's");
  }
  checker.CheckType(declaration.type);
}

}  // namespace zermelo::kernel
