#include "kernel/rules/nat_theorems.h"

#include "kernel/rules/build.h"

namespace zermelo::kernel {

namespace {

class Theorems {
 public:
  Theorems(TypeChecker& checker, const KnownNames& known, const Builtins& builtins)
      : checker_(checker),
        known_(known),
        builtins_(builtins),
        build_(checker.terms()),
        nat_(build_.Const(known.nat)),
        zero_(build_.Const(known.zero)),
        two_(Succ(Succ(zero_))) {}

  bool Determine(NatOperation operation) {
    if (!builtins_.eq) return false;
    switch (operation) {
      case NatOperation::kDiv:
      case NatOperation::kMod:
        return Division();
      case NatOperation::kGcd:
        return Verified(NatOperation::kMod) && Gcd();
      case NatOperation::kLand:
        return Bitwise(operation, NatTheorem::kZeroAnd, zero_, Var(0));
      case NatOperation::kLor:
        return Bitwise(operation, NatTheorem::kZeroOr, Var(0), Var(0));
      case NatOperation::kXor:
        return Bitwise(operation, NatTheorem::kZeroXor, Var(0), zero_);
      default:
        return false;
    }
  }

 private:
  // Nat → Nat → Nat
  bool IsBinary(NatOperation operation) {
    const NameId name = known_.nat_operations[static_cast<size_t>(operation)];
    const Declaration* found = checker_.view().Find(name);
    return found != nullptr && found->level_params.empty() &&
           checker_.Same(found->type, All(All(nat_)));
  }
  bool Verified(NatOperation operation) const {
    return builtins_.operations[static_cast<size_t>(operation)];
  }

  ExprId Var(uint32_t index) { return build_.Var(index); }
  ExprId Succ(ExprId e) { return build_.App(build_.Const(known_.succ), e); }
  ExprId Of(NatOperation operation, ExprId a, ExprId b) {
    return build_.App(build_.Const(known_.nat_operations[static_cast<size_t>(operation)]), a, b);
  }
  ExprId Equal(ExprId a, ExprId b) {
    const LevelId one = checker_.levels().Succ(LevelId::kZero);
    const ExprId eq = build_.Const(known_.eq, checker_.terms().Cons(one, ListId::kNil));
    return build_.App(eq, nat_, a, b);
  }
  // ∀ (n : Nat), body
  ExprId All(ExprId body) { return build_.Forall(nat_, body); }

  // Whether an import proves it; what it only assumes, an axiom, says nothing.
  bool Proves(NameId theorem, ExprId statement) {
    const View& view = checker_.view();
    const Declaration* found = view.Find(theorem);
    if (found == nullptr || !found->level_params.empty()) return false;
    const Environment& environment = view.environment();
    const auto* axiom = found->As<Axiom>();
    const bool is_proved = found->As<Theorem>() != nullptr || (axiom != nullptr && axiom->is_stub);
    return is_proved && environment.OriginOf(environment.IndexOf(theorem)) == Origin::kTrusted &&
           checker_.Equal(found->type, statement);
  }
  bool Proves(NatTheorem theorem, ExprId statement) {
    return Proves(known_.nat_theorems[static_cast<size_t>(theorem)], statement);
  }

  // inductive Nat.le (n : Nat) : Nat → Prop | refl : n.le n | step {m} : n.le m → n.le m.succ
  bool LeIsUsual() {
    const View& view = checker_.view();
    const Declaration* le = view.Find(known_.le);
    const Declaration* refl = view.Find(known_.le_refl);
    const Declaration* step = view.Find(known_.le_step);
    const auto* inductive = view.FindAs<Inductive>(known_.le);
    if (inductive == nullptr || inductive->parameters != 1 || inductive->indices != 1 ||
        inductive->constructors != std::vector<NameId>{known_.le_refl, known_.le_step} ||
        refl == nullptr || refl->As<Constructor>() == nullptr || step == nullptr ||
        step->As<Constructor>() == nullptr || !le->level_params.empty()) {
      return false;
    }
    return checker_.Same(le->type, All(All(build_.Prop()))) &&
           checker_.Same(refl->type, All(Le(Var(0), Var(0)))) &&
           checker_.Same(step->type,
                         All(All(build_.Forall(Le(Var(1), Var(0)), Le(Var(2), Succ(Var(1)))))));
  }
  ExprId Le(ExprId a, ExprId b) { return build_.App(build_.Const(known_.le), a, b); }

  bool Division() {
    const auto div = [&](ExprId a, ExprId b) { return Of(NatOperation::kDiv, a, b); };
    const auto mod = [&](ExprId a, ExprId b) { return Of(NatOperation::kMod, a, b); };
    const ExprId product = Of(NatOperation::kMul, Var(0), div(Var(1), Var(0)));
    const ExprId sum = Of(NatOperation::kAdd, product, mod(Var(1), Var(0)));
    return Verified(NatOperation::kAdd) && Verified(NatOperation::kMul) &&
           IsBinary(NatOperation::kDiv) && IsBinary(NatOperation::kMod) && LeIsUsual() &&
           Proves(NatTheorem::kDivAddMod, All(All(Equal(sum, Var(1))))) &&
           Proves(NatTheorem::kModLt,
                  All(All(build_.Forall(Le(Succ(zero_), Var(0)),
                                        Le(Succ(mod(Var(2), Var(1))), Var(1)))))) &&
           Proves(NatTheorem::kDivZero, All(Equal(div(Var(0), zero_), zero_))) &&
           Proves(NatTheorem::kModZero, All(Equal(mod(Var(0), zero_), Var(0))));
  }

  bool Gcd() {
    const auto gcd = [&](ExprId a, ExprId b) { return Of(NatOperation::kGcd, a, b); };
    const ExprId next = gcd(Of(NatOperation::kMod, Var(0), Var(1)), Var(1));
    return Proves(NatTheorem::kGcdZeroLeft, All(Equal(gcd(zero_, Var(0)), Var(0)))) &&
           Proves(NatTheorem::kGcdRec, All(All(Equal(gcd(Var(1), Var(0)), next))));
  }

  // `first`: the first of its five theorems in the order of NatTheorem; `with_zero`, `with_itself`:
  // the operation on x and 0, and on x and x, where x is the variable.
  bool Bitwise(NatOperation operation, NatTheorem first, ExprId with_zero, ExprId with_itself) {
    const auto of = [&](ExprId a, ExprId b) { return Of(operation, a, b); };
    const auto half = [&](ExprId a) { return Of(NatOperation::kDiv, a, two_); };
    const auto low = [&](ExprId a) {  // a % 2 ^ n, n the innermost variable
      return Of(NatOperation::kMod, a, Of(NatOperation::kPow, two_, Var(0)));
    };
    const auto theorem = [&](int i) {
      return static_cast<NatTheorem>(static_cast<int>(first) + i);
    };
    return Verified(NatOperation::kPow) && Verified(NatOperation::kDiv) &&
           Verified(NatOperation::kMod) &&
           Proves(theorem(0), All(Equal(of(zero_, Var(0)), with_zero))) &&
           Proves(theorem(1), All(Equal(of(Var(0), zero_), with_zero))) &&
           Proves(theorem(2), All(Equal(of(Var(0), Var(0)), with_itself))) &&
           Proves(theorem(3),
                  All(All(Equal(half(of(Var(1), Var(0))), of(half(Var(1)), half(Var(0))))))) &&
           Proves(theorem(4),
                  All(All(All(Equal(low(of(Var(2), Var(1))), of(low(Var(2)), low(Var(1))))))));
  }

  TypeChecker& checker_;
  const KnownNames& known_;
  const Builtins& builtins_;
  TermBuilder build_;
  ExprId nat_, zero_, two_;
};

}  // namespace

bool IsDeterminedByTheorems(TypeChecker& checker, const KnownNames& known, const Builtins& builtins,
                            NatOperation operation) {
  return Theorems(checker, known, builtins).Determine(operation);
}

}  // namespace zermelo::kernel
