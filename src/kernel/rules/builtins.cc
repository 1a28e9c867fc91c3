#include "kernel/rules/builtins.h"

#include <functional>
#include <vector>

#include "kernel/rules/build.h"
#include "kernel/rules/nat_theorems.h"

namespace zermelo::kernel {

namespace {

// How far a String is searched for; one of Lean 4.28 has a depth of 4.
constexpr int kMemberDepth = 6;
constexpr int kMostTried = 1000;  // constructors

class Finder {
 public:
  Finder(TypeChecker& checker, const KnownNames& known, Builtins* builtins)
      : checker_(checker),
        view_(checker.view()),
        known_(known),
        builtins_(*builtins),
        build_(checker.terms()) {}

  void Find() {
    builtins_.nat = Holds([&] {
      return IsSimpleType(known_.nat, {known_.zero, known_.succ}) && ConstructorsOfNat();
    });
    builtins_.boolean = Holds([&] {
      return IsSimpleType(known_.boolean, {known_.no, known_.yes});
    });
    builtins_.eq = Holds([&] { return EqIsUsual(); });
    builtins_.cut_off = reached_limit_;
    if (!builtins_.nat) return;
    builtins_.expands_strings = MakesStrings() && Holds([&] { return StringsAreUsual(); });
    builtins_.string =
        builtins_.expands_strings || (!MakesStrings() && Holds([&] { return StringsExist(); }));
    builtins_.cut_off = reached_limit_;  // a missed operation is noted where it is used
    // An operation is judged where it stands: what comes after it may be well-typed only because of
    // its shortcut. Source: lean4lean, addDecl, which checks primitives as they are added.
    for (size_t i = 0; i < kNatOperations; ++i) {
      view_.MoveTo(view_.RankOf(known_.nat_operations[i]));
      view_.ShowOwn();
      builtins_.operations[i] = Holds([&] { return IsOperation(static_cast<NatOperation>(i)); });
    }
  }

 private:
  bool HasType(NameId name, ExprId type) const {
    const Declaration* found = view_.Find(name);
    return found != nullptr && found->level_params.empty() && checker_.Same(found->type, type);
  }

  // `inductive name : Type` without parameters, with these constructors.
  bool IsSimpleType(NameId name, const std::vector<NameId>& constructors) {
    const auto* inductive = view_.FindAs<Inductive>(name);
    if (inductive == nullptr || inductive->parameters != 0 || inductive->indices != 0 ||
        inductive->constructors != constructors || !HasType(name, build_.Type())) {
      return false;
    }
    for (const NameId constructor : constructors) {
      const auto* found = view_.FindAs<Constructor>(constructor);
      if (found == nullptr || found->inductive != name) return false;
    }
    return true;
  }

  bool ConstructorsOfNat() {
    const ExprId nat = build_.Const(known_.nat);
    return HasType(known_.zero, nat) && HasType(known_.succ, build_.Forall(nat, nat));
  }

  // inductive Eq.{u} {α : Sort u} : α → α → Prop | refl (a : α) : Eq a a
  bool EqIsUsual() {
    const Declaration* eq = view_.Find(known_.eq);
    const Declaration* refl = view_.Find(known_.refl);
    const auto* inductive = view_.FindAs<Inductive>(known_.eq);
    if (inductive == nullptr || refl == nullptr || refl->As<Constructor>() == nullptr ||
        inductive->constructors != std::vector<NameId>{known_.refl} ||
        eq->level_params.size() != 1 || refl->level_params != eq->level_params) {
      return false;
    }
    Terms& terms = checker_.terms();
    const LevelId u = checker_.levels().Param(eq->level_params[0]);
    const ExprId constant = build_.Const(known_.eq, terms.Cons(u, ListId::kNil));
    const ExprId eq_type = build_.Forall(
        build_.Sort(u), build_.Forall(build_.Var(0), build_.Forall(build_.Var(1), build_.Prop())));
    const ExprId refl_type = build_.Forall(
        build_.Sort(u), build_.Forall(build_.Var(0), build_.App(constant, build_.Var(1),
                                                                build_.Var(0), build_.Var(0))));
    return checker_.Same(eq->type, eq_type) && checker_.Same(refl->type, refl_type);
  }

  // Each part of what a literal abbreviates has the type that Lean gives it: then so has every
  // literal, whatever its characters. Source: lean4lean, inferType', literals.
  bool StringsAreUsual() {
    const NameId maker = known_.MakerOfStrings(view_.environment());
    const ListId zero = checker_.terms().Cons(LevelId::kZero, ListId::kNil);
    const ExprId nat = build_.Const(known_.nat);
    const ExprId character = build_.Const(known_.character);
    const ExprId text = build_.App(build_.Const(known_.list, zero), character);
    return ListIsUsual() && HasType(known_.string, build_.Type()) &&
           HasType(known_.character, build_.Type()) &&
           HasType(known_.of_nat, build_.Forall(nat, character)) &&
           HasType(maker, build_.Forall(text, build_.Const(known_.string)));
  }

  // List.{u} : Type u → Type u, with List.nil and List.cons
  bool ListIsUsual() {
    const Declaration* list = view_.Find(known_.list);
    const Declaration* nil = view_.Find(known_.nil);
    const Declaration* cons = view_.Find(known_.cons);
    if (list == nullptr || nil == nullptr || cons == nullptr || list->level_params.size() != 1 ||
        nil->level_params != list->level_params || cons->level_params != list->level_params) {
      return false;
    }
    const LevelId u = checker_.levels().Param(list->level_params[0]);
    const ExprId type = build_.Sort(checker_.levels().Succ(u));
    const ExprId constant = build_.Const(known_.list, checker_.terms().Cons(u, ListId::kNil));
    const auto of = [&](uint32_t variable) { return build_.App(constant, build_.Var(variable)); };
    return checker_.Same(list->type, build_.Forall(type, type)) &&
           checker_.Same(nil->type, build_.Forall(type, of(0))) &&
           checker_.Same(
               cons->type,
               build_.Forall(type, build_.Forall(build_.Var(0), build_.Forall(of(1), of(2)))));
  }

  bool MakesStrings() const {
    return known_.MakerOfStrings(view_.environment()) != NameId::kAnonymous;
  }

  // Before `String.ofList` is declared, as in Lean's own prelude, a literal is some String of which
  // nothing is known. That takes nothing but a String that exists.
  bool StringsExist() {
    if (!HasType(known_.string, build_.Type())) return false;
    const ExprId string = build_.Const(known_.string);
    const ExprId found = Member(string, kMemberDepth);
    return found != kNoExpr && checker_.Equal(checker_.Check(found), string);
  }

  // A closed member of an inductive type: the first constructor all of whose fields have members.
  // kNoExpr: not found within the limits.
  ExprId Member(ExprId type, int depth) {
    ExprList arguments;
    const ExprNode head = checker_.terms()[checker_.Spine(checker_.Whnf(type), &arguments)];
    const auto* inductive =
        head.kind == ExprKind::kConst ? view_.FindAs<Inductive>(NameId{head.a}) : nullptr;
    if (depth == 0 || inductive == nullptr || arguments.size() < inductive->parameters) {
      return kNoExpr;
    }
    arguments.resize(inductive->parameters);
    for (const NameId constructor : inductive->constructors) {
      checker_.budget().Tick();
      if (++tried_ > kMostTried) return kNoExpr;
      ExprId member = build_.Const(constructor, ListId{head.b});
      for (const ExprId parameter : arguments) member = build_.App(member, parameter);
      ExprId of = checker_.Whnf(checker_.TypeOf(member));
      bool complete = true;
      while (complete && checker_.terms()[of].kind == ExprKind::kForall) {
        const ExprNode field = checker_.terms()[of];
        const ExprId value = Member(ExprId{field.a}, depth - 1);
        complete = value != kNoExpr;
        if (complete) {
          member = build_.App(member, value);
          of = checker_.Whnf(checker_.substitution().Instantiate(ExprId{field.b}, value));
        }
      }
      if (complete && checker_.Equal(of, type)) return member;
    }
    return kNoExpr;
  }

  // What cannot be decided within the limits is not relied on.
  bool Holds(const std::function<bool()>& facts) {
    checker_.Begin({});
    try {
      return facts();
    } catch (const Refusal& refusal) {
      reached_limit_ |= refusal.outcome == Decision::kDeclined;
      return false;
    }
  }

  bool Verified(NatOperation operation) const {
    return builtins_.operations[static_cast<size_t>(operation)];
  }

  bool IsOperation(NatOperation operation) {
    const NameId name = known_.nat_operations[static_cast<size_t>(operation)];
    const Declaration* declaration = view_.Find(name);
    if (declaration == nullptr) return false;
    const bool boolean = operation == NatOperation::kBeq || operation == NatOperation::kBle;
    const ExprId nat = build_.Const(known_.nat);
    const ExprId result = boolean ? build_.Const(known_.boolean) : nat;
    if ((boolean && !builtins_.boolean) ||
        !HasType(name, build_.Forall(nat, build_.Forall(nat, result)))) {
      return false;
    }
    if (HasEquations(operation)) return Equations(operation, build_.Const(name));
    return IsDeterminedByTheorems(checker_, known_, builtins_, operation);
  }

  // The others are defined by well-founded recursion, or on a bound: no equations hold by reduction
  // alone.
  static bool HasEquations(NatOperation operation) {
    return operation < NatOperation::kDiv || operation > NatOperation::kXor;
  }

  // By induction, an operation that satisfies these is the one that is computed.
  bool Equations(NatOperation operation, ExprId f) {
    const ExprId nat = build_.Const(known_.nat);
    const TypeChecker::Scope scope(checker_);
    const ExprId x = checker_.New(nat);
    const ExprId y = checker_.New(nat);
    const ExprId zero = build_.Const(known_.zero);
    const auto succ = [&](ExprId e) { return build_.App(build_.Const(known_.succ), e); };
    const auto of = [&](NatOperation other, ExprId a, ExprId b) {
      return build_.App(build_.Const(known_.nat_operations[static_cast<size_t>(other)]), a, b);
    };
    const auto equal = [&](ExprId a, ExprId b) { return checker_.Equal(a, b); };
    const auto at = [&](ExprId a, ExprId b) { return build_.App(f, a, b); };
    const ExprId yes = build_.Const(known_.yes);
    const ExprId no = build_.Const(known_.no);
    switch (operation) {
      case NatOperation::kAdd:
        return equal(at(x, zero), x) && equal(at(x, succ(y)), succ(at(x, y)));
      case NatOperation::kSub: {
        const ExprId pred = build_.Const(known_.pred);
        return HasType(known_.pred, build_.Forall(nat, nat)) &&
               equal(build_.App(pred, zero), zero) && equal(build_.App(pred, succ(x)), x) &&
               equal(at(x, zero), x) && equal(at(x, succ(y)), build_.App(pred, at(x, y)));
      }
      case NatOperation::kMul:
        return Verified(NatOperation::kAdd) && equal(at(x, zero), zero) &&
               equal(at(x, succ(y)), of(NatOperation::kAdd, at(x, y), x));
      case NatOperation::kPow:
        return Verified(NatOperation::kMul) && equal(at(x, zero), succ(zero)) &&
               equal(at(x, succ(y)), of(NatOperation::kMul, at(x, y), x));
      case NatOperation::kBeq:
        return equal(at(zero, zero), yes) && equal(at(zero, succ(y)), no) &&
               equal(at(succ(x), zero), no) && equal(at(succ(x), succ(y)), at(x, y));
      case NatOperation::kBle:
        return equal(at(zero, zero), yes) && equal(at(zero, succ(y)), yes) &&
               equal(at(succ(x), zero), no) && equal(at(succ(x), succ(y)), at(x, y));
      case NatOperation::kShiftLeft:
        return Verified(NatOperation::kMul) && equal(at(x, zero), x) &&
               equal(at(x, succ(y)), at(of(NatOperation::kMul, succ(succ(zero)), x), y));
      case NatOperation::kShiftRight:
        return Verified(NatOperation::kDiv) && equal(at(x, zero), x) &&
               equal(at(x, succ(y)), of(NatOperation::kDiv, at(x, y), succ(succ(zero))));
      case NatOperation::kDiv:
      case NatOperation::kMod:
      case NatOperation::kGcd:
      case NatOperation::kLand:
      case NatOperation::kLor:
      case NatOperation::kXor:
        return false;  // HasEquations
    }
    return false;
  }

  TypeChecker& checker_;
  View& view_;
  const KnownNames& known_;
  Builtins& builtins_;
  TermBuilder build_;
  int tried_ = 0;
  bool reached_limit_ = false;
};

}  // namespace

void FindBuiltins(TypeChecker& checker, const KnownNames& known, Builtins* builtins) {
  Finder(checker, known, builtins).Find();
}

}  // namespace zermelo::kernel
