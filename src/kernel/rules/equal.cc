// Definitional equality: types and terms that reduce to the same, with proof irrelevance and eta.
#include <algorithm>

#include "kernel/rules/type_checker.h"

namespace zermelo::kernel {

bool TypeChecker::Equal(ExprId a, ExprId b) {
  if (a == b) return true;
  const uint64_t key = Pair(std::min(Index(a), Index(b)), std::max(Index(a), Index(b)));
  if (equal_.Contains(key)) return true;
  budget_.Tick();
  // Only pairs that were found equal are kept, and no classes of them: lean4#14806.
  if (!EqualNew(a, b)) return false;
  equal_.Set(key, 1);
  return true;
}

bool TypeChecker::Same(ExprId a, ExprId b) {
  IdMap done;
  return SameIn(a, b, done);
}

bool TypeChecker::SameIn(ExprId a, ExprId b, IdMap& done) {
  if (a == b) return true;
  const ExprNode x = Node(a);
  const ExprNode y = Node(b);
  if (x.kind != y.kind) return false;
  budget_.Tick();
  const uint64_t key = Pair(Index(a), Index(b));
  if (done.Contains(key)) return true;
  const auto same = [&](uint32_t i, uint32_t j) { return SameIn(ExprId{i}, ExprId{j}, done); };
  bool all = false;
  switch (x.kind) {
    case ExprKind::kSort:
      all = levels_.Equal(LevelId{x.a}, LevelId{y.a});
      break;
    case ExprKind::kConst:
      all = x.a == y.a && levels_.Equal(ListId{x.b}, ListId{y.b});
      break;
    case ExprKind::kApp:
    case ExprKind::kLambda:
    case ExprKind::kForall:
      all = same(x.a, y.a) && same(x.b, y.b);
      break;
    case ExprKind::kLet:
      all = same(x.a, y.a) && same(x.b, y.b) && same(x.c, y.c);
      break;
    case ExprKind::kProj:
      all = x.a == y.a && x.b == y.b && same(x.c, y.c);
      break;
    default:
      break;  // equal ones have the same id
  }
  if (all) done.Set(key, 1);
  return all;
}

TypeChecker::Answer TypeChecker::EqualQuickly(ExprId a, ExprId b) {
  if (a == b) return Answer::kYes;
  if (equal_.Contains(Pair(std::min(Index(a), Index(b)), std::max(Index(a), Index(b))))) {
    return Answer::kYes;
  }
  if (Node(a).kind != Node(b).kind) return Answer::kUnknown;
  switch (Node(a).kind) {
    case ExprKind::kLambda:
    case ExprKind::kForall:
      return ToAnswer(EqualBinders(a, b));
    case ExprKind::kSort:
      return ToAnswer(levels_.Equal(LevelId{Node(a).a}, LevelId{Node(b).a}));
    case ExprKind::kNat:
    case ExprKind::kString:
      return Answer::kNo;  // equal ones have the same id
    default:
      return Answer::kUnknown;
  }
}

bool TypeChecker::EqualBinders(ExprId a, ExprId b) {
  const Scope scope(*this);
  const ExprKind kind = Node(a).kind;
  ExprList locals;
  while (Node(a).kind == kind && Node(b).kind == kind) {
    budget_.Tick();
    const std::span<const ExprId> before(locals.data(), locals.size());
    const ExprId domain = substitution_.Instantiate(ExprId{Node(b).a}, before);
    if (Node(a).a != Node(b).a &&
        !Equal(substitution_.Instantiate(ExprId{Node(a).a}, before), domain)) {
      return false;
    }
    locals.push_back(New(domain));
    a = ExprId{Node(a).b};
    b = ExprId{Node(b).b};
    if (a == b) return true;
  }
  const std::span<const ExprId> all(locals.data(), locals.size());
  return Equal(substitution_.Instantiate(a, all), substitution_.Instantiate(b, all));
}

bool TypeChecker::EqualArguments(ExprId a, ExprId b) {
  ExprList of_a, of_b;
  Spine(a, &of_a);
  Spine(b, &of_b);
  if (of_a.size() != of_b.size()) return false;
  for (size_t i = 0; i < of_a.size(); ++i) {
    if (!Equal(of_a[i], of_b[i])) return false;
  }
  return true;
}

bool TypeChecker::EqualApps(ExprId a, ExprId b) {
  if (Node(a).kind != ExprKind::kApp || Node(b).kind != ExprKind::kApp) return false;
  return Equal(Head(a), Head(b)) && EqualArguments(a, b);
}

// Proofs of the same proposition are equal. Source: lean4lean, isDefEqProofIrrel; lean4#14807.
TypeChecker::Answer TypeChecker::EqualProofs(ExprId a, ExprId b) {
  const ExprId type = TypeOf(a);
  if (!IsProp(type)) return Answer::kUnknown;
  return ToAnswer(Equal(type, TypeOf(b)));
}

TypeChecker::Answer TypeChecker::EqualOffsets(ExprId a, ExprId b) {
  const std::optional<StringId> x = AsNat(a);
  const std::optional<StringId> y = AsNat(b);
  if (x.has_value() && y.has_value()) return ToAnswer(*x == *y);
  const ExprId before_a = Predecessor(a);
  if (before_a == kNoExpr) return Answer::kUnknown;
  const ExprId before_b = Predecessor(b);
  if (before_b == kNoExpr) return Answer::kUnknown;
  return ToAnswer(Equal(before_a, before_b));
}

namespace {

// Which of two definitions is unfolded first: the greater.
uint64_t Height(const Declaration& declaration) {
  const auto* definition = declaration.As<Definition>();
  if (definition == nullptr) return 0;
  switch (definition->hints.kind) {
    case Hints::Kind::kOpaque:
      return 0;
    case Hints::Kind::kRegular:
      return uint64_t{1} + definition->hints.height;
    case Hints::Kind::kAbbreviation:
      return UINT64_MAX;
  }
  return 0;
}

}  // namespace

// One step of unfolding on one side or both. `*stuck` if neither side can be unfolded.
TypeChecker::Answer TypeChecker::LazyDeltaStep(ExprId* a, ExprId* b, bool* stuck) {
  *stuck = false;
  const Declaration* of_a = Unfoldable(*a);
  const Declaration* of_b = Unfoldable(*b);
  const auto step = [&](ExprId* e) { *e = WhnfCore(Unfold(*e), true); };
  // A projection that the cheap reduction left alone may reduce after all.
  const auto reduce_projection = [&](ExprId* e) {
    if (Node(Head(*e)).kind != ExprKind::kProj) return false;
    const ExprId reduced = WhnfCore(*e, false);
    return std::exchange(*e, reduced) != reduced;
  };
  if (of_a == nullptr && of_b == nullptr) {
    *stuck = true;
    return Answer::kUnknown;
  }
  if (of_b == nullptr) {
    if (!reduce_projection(b)) step(a);
  } else if (of_a == nullptr) {
    if (!reduce_projection(a)) step(b);
  } else if (Height(*of_a) > Height(*of_b)) {
    step(a);
  } else if (Height(*of_a) < Height(*of_b)) {
    step(b);
  } else {
    if (of_a == of_b && Node(*a).kind == ExprKind::kApp && Node(*b).kind == ExprKind::kApp &&
        Height(*of_a) != UINT64_MAX) {
      const uint64_t key = Pair(std::min(Index(*a), Index(*b)), std::max(Index(*a), Index(*b)));
      if (!different_arguments_.Contains(key)) {
        if (levels_.Equal(ListId{Node(Head(*a)).b}, ListId{Node(Head(*b)).b}) &&
            EqualArguments(*a, *b)) {
          return Answer::kYes;
        }
        different_arguments_.Set(key, 1);
      }
    }
    step(a);
    step(b);
  }
  return EqualQuickly(*a, *b);
}

TypeChecker::Answer TypeChecker::LazyDelta(ExprId* a, ExprId* b) {
  for (;;) {
    budget_.Tick();
    if (const Answer answer = EqualOffsets(*a, *b); answer != Answer::kUnknown) return answer;
    if ((!Node(*a).has_local() && !Node(*b).has_local()) || eager_) {
      if (const ExprId number = ReduceNat(*a); number != kNoExpr) {
        return ToAnswer(Equal(number, *b));
      }
      if (const ExprId number = ReduceNat(*b); number != kNoExpr) {
        return ToAnswer(Equal(*a, number));
      }
    }
    RefuseCompiled(*a);
    RefuseCompiled(*b);
    bool stuck = false;
    const Answer answer = LazyDeltaStep(a, b, &stuck);
    if (answer != Answer::kUnknown || stuck) return answer;
  }
}

// Source: lean4lean, lazyDeltaProjReduction. Of the same structure and field.
bool TypeChecker::EqualProjections(ExprId a, ExprId b) {
  ExprId x{Node(a).c};
  ExprId y{Node(b).c};
  for (;;) {
    budget_.Tick();
    bool stuck = false;
    const Answer answer = LazyDeltaStep(&x, &y, &stuck);
    if (answer == Answer::kYes) return true;
    if (answer == Answer::kUnknown && !stuck) continue;
    const ExprId of_x = ReduceProjOf(a, x);
    const ExprId of_y = ReduceProjOf(b, y);
    if (of_x != kNoExpr && of_y != kNoExpr) return Equal(of_x, of_y);
    return Equal(x, y);
  }
}

bool TypeChecker::EqualByEta(ExprId lambda, ExprId other) {
  if (Node(lambda).kind != ExprKind::kLambda || Node(other).kind == ExprKind::kLambda) return false;
  const ExprId type = Whnf(TypeOf(other));
  if (Node(type).kind != ExprKind::kForall) return false;
  const ExprId body = substitution_.App(other, terms_.Expr({.kind = ExprKind::kBVar, .a = 0}));
  const ExprId expanded =
      terms_.Expr({.kind = ExprKind::kLambda, .a = Node(type).a, .b = Index(body)});
  return Equal(lambda, expanded);
}

// Data cannot be projected out of what may be a proof.
bool TypeChecker::HasAType(ExprId projection) {
  try {
    TypeOf(projection);
    return true;
  } catch (const Refusal& refusal) {
    if (refusal.outcome == Decision::kDeclined) throw;
    return false;
  }
}

// Source: lean4lean, tryEtaStructCore.
bool TypeChecker::EqualByStructureEta(ExprId any, ExprId constructed) {
  ExprList arguments;
  const ExprId head = Spine(constructed, &arguments);
  if (Node(head).kind != ExprKind::kConst) return false;
  const auto* constructor = view_.FindAs<Constructor>(NameId{Node(head).a});
  if (constructor == nullptr || Structure(constructor->inductive) == nullptr ||
      arguments.size() != constructor->parameters + constructor->fields ||
      !Equal(TypeOf(any), TypeOf(constructed))) {
    return false;
  }
  const bool maybe_prop = !levels_.IsNeverZero(SortOf(TypeOf(any)));
  for (uint64_t i = constructor->parameters; i < arguments.size(); ++i) {
    const ExprId field = terms_.Expr({.kind = ExprKind::kProj,
                                      .a = Index(constructor->inductive),
                                      .b = static_cast<uint32_t>(i - constructor->parameters),
                                      .c = Index(any)});
    if (maybe_prop && !HasAType(field)) return false;
    if (!Equal(field, arguments[i])) return false;
  }
  return true;
}

TypeChecker::Answer TypeChecker::EqualByString(ExprId literal, ExprId other) {
  if (!Abbreviates(literal) || Node(other).kind != ExprKind::kApp) {
    return Answer::kUnknown;
  }
  const ExprId function{Node(other).a};
  if (!IsConst(function, known_.of_list) && !IsConst(function, known_.make)) {
    return Answer::kUnknown;
  }
  return ToAnswer(Equal(ExpandString(literal), other));
}

// Two terms of a type with one constructor that has no fields.
bool TypeChecker::EqualUnits(ExprId a, ExprId b) {
  const ExprId type = Whnf(TypeOf(a));
  const ExprId head = Head(type);
  if (Node(head).kind != ExprKind::kConst) return false;
  const Inductive* structure = Structure(NameId{Node(head).a});
  if (structure == nullptr) return false;
  const auto* constructor = view_.FindAs<Constructor>(structure->constructors[0]);
  return constructor != nullptr && constructor->fields == 0 && Equal(type, TypeOf(b));
}

// Source: lean4lean, isDefEqCore', step by step.
bool TypeChecker::EqualNew(ExprId a, ExprId b) {
  if (const Answer answer = EqualQuickly(a, b); answer != Answer::kUnknown) {
    return answer == Answer::kYes;
  }
  if (IsConst(b, known_.yes) && (!Node(a).has_local() || eager_) && IsConst(Whnf(a), known_.yes)) {
    return true;
  }
  ExprId x = WhnfCore(a, true);
  ExprId y = WhnfCore(b, true);
  if (x != a || y != b) {
    if (const Answer answer = EqualQuickly(x, y); answer != Answer::kUnknown) {
      return answer == Answer::kYes;
    }
  }
  if (const Answer answer = EqualProofs(x, y); answer != Answer::kUnknown) {
    return answer == Answer::kYes;
  }
  if (const Answer answer = LazyDelta(&x, &y); answer != Answer::kUnknown) {
    return answer == Answer::kYes;
  }
  if (Node(x).kind == ExprKind::kConst && Node(y).kind == ExprKind::kConst &&
      Node(x).a == Node(y).a && levels_.Equal(ListId{Node(x).b}, ListId{Node(y).b})) {
    return true;
  }
  if (Node(x).kind == ExprKind::kProj && Node(y).kind == ExprKind::kProj &&
      Node(x).a == Node(y).a && Node(x).b == Node(y).b && EqualProjections(x, y)) {
    return true;
  }
  const ExprId full_x = WhnfCore(x, false);
  const ExprId full_y = WhnfCore(y, false);
  if (full_x != x || full_y != y) return Equal(full_x, full_y);
  if (EqualApps(x, y)) return true;
  if (EqualByEta(x, y) || EqualByEta(y, x)) return true;
  if (EqualByStructureEta(x, y) || EqualByStructureEta(y, x)) return true;
  for (const auto& [literal, other] : {std::pair(x, y), std::pair(y, x)}) {
    const Answer answer = EqualByString(literal, other);
    if (answer != Answer::kUnknown) return answer == Answer::kYes;
  }
  return EqualUnits(x, y);
}

}  // namespace zermelo::kernel
