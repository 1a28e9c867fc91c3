#include <algorithm>

#include "kernel/rules/type_checker.h"

namespace zermelo::kernel {

ExprId TypeChecker::WhnfCore(ExprId e, bool cheap) {
  switch (Node(e).kind) {
    case ExprKind::kApp:
    case ExprKind::kLet:
    case ExprKind::kProj:
      break;
    default:
      return e;
  }
  if (const uint32_t known = whnf_core_.Find(Index(e)); known != IdMap::kAbsent) {
    return ExprId{known};
  }
  const ExprId result = WhnfCoreNew(e, cheap);
  if (!cheap) whnf_core_.Set(Index(e), Index(result));
  return result;
}

// Beta, zeta, projections, recursors and quotients; no definitions. If `cheap`, the structure of a
// projection is not unfolded either.
ExprId TypeChecker::WhnfCoreNew(ExprId e, bool cheap) {
  ExprList arguments;
  for (;;) {
    budget_.Tick();
    switch (Node(e).kind) {
      case ExprKind::kLet:
        e = substitution_.Instantiate(ExprId{Node(e).c}, ExprId{Node(e).b});
        continue;
      case ExprKind::kProj: {
        const ExprId field = ReduceProj(e, cheap);
        if (field == kNoExpr) return e;
        e = field;
        continue;
      }
      case ExprKind::kApp: {
        const ExprId head = Spine(e, &arguments);
        const std::span<const ExprId> all(arguments.data(), arguments.size());
        const ExprId reduced = WhnfCore(head, cheap);
        if (Node(reduced).kind == ExprKind::kLambda) {
          e = Beta(reduced, all);
          continue;
        }
        if (reduced != head) {
          e = substitution_.Apply(reduced, all);
          continue;
        }
        if (Node(head).kind != ExprKind::kConst) return e;
        const ExprId next = ReduceRecursor(head, all);
        if (next == kNoExpr) return e;
        e = next;
        continue;
      }
      default:
        return e;
    }
  }
}

ExprId TypeChecker::Beta(ExprId lambda, std::span<const ExprId> arguments) {
  size_t count = 0;
  while (count < arguments.size() && Node(lambda).kind == ExprKind::kLambda) {
    lambda = ExprId{Node(lambda).b};
    ++count;
  }
  return substitution_.Apply(substitution_.Instantiate(lambda, arguments.first(count)),
                             arguments.subspan(count));
}

ExprId TypeChecker::ReduceProj(ExprId e, bool cheap) {
  const ExprId structure{Node(e).c};
  return ReduceProjOf(e, cheap ? WhnfCore(structure, true) : Whnf(structure));
}

// Source: lean4#14631: the constructor must belong to the structure that the projection names.
ExprId TypeChecker::ReduceProjOf(ExprId projection, ExprId reduced) {
  if (Abbreviates(reduced)) reduced = Whnf(ExpandString(reduced));
  ExprList arguments;
  const ExprId head = Spine(reduced, &arguments);
  if (Node(head).kind != ExprKind::kConst) return kNoExpr;
  const auto* constructor = view_.FindAs<Constructor>(NameId{Node(head).a});
  if (constructor == nullptr || Index(constructor->inductive) != Node(projection).a) return kNoExpr;
  const uint64_t at = constructor->parameters + Node(projection).b;
  return at < arguments.size() ? arguments[at] : kNoExpr;
}

NameId TypeChecker::MajorInductive(const Declaration& declaration, const Recursor& recursor) {
  ExprId type = declaration.type;
  const uint64_t major =
      recursor.parameters + recursor.motives + recursor.minors + recursor.indices;
  for (uint64_t i = 0; i < major && Node(type).kind == ExprKind::kForall; ++i) {
    type = ExprId{Node(type).b};
  }
  if (Node(type).kind != ExprKind::kForall) return NameId::kAnonymous;
  const ExprId head = Head(ExprId{Node(type).a});
  return Node(head).kind == ExprKind::kConst ? NameId{Node(head).a} : NameId::kAnonymous;
}

// Source: lean4lean, toCtorWhenK: any proof of a K-like proposition is its constructor, if the
// indices of the types agree.
ExprId TypeChecker::ToConstructorByK(NameId inductive, const Recursor& recursor, ExprId major) {
  const ExprId type = Whnf(TypeOf(major));
  ExprList arguments;
  const ExprId head = Spine(type, &arguments);
  const auto* target = view_.FindAs<Inductive>(inductive);
  if (!IsConst(head, inductive) || target == nullptr || target->constructors.empty() ||
      arguments.size() < recursor.parameters) {
    return major;
  }
  const ExprId constructor = substitution_.Apply(
      Const(target->constructors[0], ListId{Node(head).b}),
      std::span<const ExprId>(arguments.data(), static_cast<size_t>(recursor.parameters)));
  return Equal(type, TypeOf(constructor)) ? constructor : major;
}

// Source: lean4lean, toCtorWhenStruct: not for what may be a proposition (lean4#14613).
ExprId TypeChecker::ToConstructorByEta(NameId inductive, ExprId major) {
  const Inductive* structure = Structure(inductive);
  if (structure == nullptr) return major;
  const ExprId old_head = Head(major);
  if (Node(old_head).kind == ExprKind::kConst &&
      view_.FindAs<Constructor>(NameId{Node(old_head).a}) != nullptr) {
    return major;
  }
  const ExprId type = Whnf(TypeOf(major));
  ExprList arguments;
  const ExprId head = Spine(type, &arguments);
  const auto* constructor = view_.FindAs<Constructor>(structure->constructors[0]);
  if (!IsConst(head, inductive) || constructor == nullptr ||
      arguments.size() != structure->parameters ||
      (constructor->fields > 0 && !levels_.IsNeverZero(SortOf(type)))) {
    return major;
  }
  ExprId result = substitution_.Apply(Const(structure->constructors[0], ListId{Node(head).b}),
                                      {arguments.data(), arguments.size()});
  for (uint32_t i = 0; i < constructor->fields; ++i) {
    budget_.Tick();
    result = substitution_.App(
        result,
        terms_.Expr({.kind = ExprKind::kProj, .a = Index(inductive), .b = i, .c = Index(major)}));
  }
  return result;
}

ExprId TypeChecker::ReduceQuotient(const Quotient& quotient, std::span<const ExprId> arguments) {
  size_t make_at = 0;
  if (quotient.kind == Quotient::Kind::kLift) make_at = 5;
  if (quotient.kind == Quotient::Kind::kInduction) make_at = 4;
  if (make_at == 0 || arguments.size() <= make_at) return kNoExpr;
  ExprList made;
  const ExprId head = Spine(Whnf(arguments[make_at]), &made);
  if (Node(head).kind != ExprKind::kConst || made.size() != 3) return kNoExpr;
  const auto* make = view_.FindAs<Quotient>(NameId{Node(head).a});
  if (make == nullptr || make->kind != Quotient::Kind::kMake) return kNoExpr;
  return substitution_.Apply(substitution_.App(arguments[3], made[2]),
                             arguments.subspan(make_at + 1));
}

// Source: lean4lean, inductiveReduceRec.
ExprId TypeChecker::ReduceRecursor(ExprId head, std::span<const ExprId> arguments) {
  const Declaration* declaration = view_.Find(NameId{Node(head).a});
  if (declaration == nullptr) return kNoExpr;
  if (const auto* quotient = declaration->As<Quotient>()) {
    return ReduceQuotient(*quotient, arguments);
  }
  const auto* recursor = declaration->As<Recursor>();
  if (recursor == nullptr) return kNoExpr;
  const uint64_t first_index = recursor->parameters + recursor->motives + recursor->minors;
  const uint64_t major_at = first_index + recursor->indices;
  if (major_at >= arguments.size()) return kNoExpr;
  const ListId levels{Node(head).b};
  if (terms_.Length(levels) != declaration->level_params.size()) return kNoExpr;
  const NameId inductive = MajorInductive(*declaration, *recursor);

  ExprId major = arguments[major_at];
  if (recursor->k) major = ToConstructorByK(inductive, *recursor, major);
  major = Whnf(major);
  if (Node(major).kind == ExprKind::kNat) {
    major = NatConstructor(major);
  } else if (Abbreviates(major)) {
    major = Whnf(ExpandString(major));
  } else {
    major = ToConstructorByEta(inductive, major);
  }
  ExprList fields;
  const ExprId constructor = Spine(major, &fields);
  if (Node(constructor).kind != ExprKind::kConst) return kNoExpr;
  const auto rule = std::find_if(
      recursor->rules.begin(), recursor->rules.end(),
      [&](const RecursorRule& it) { return Index(it.constructor) == Node(constructor).a; });
  if (rule == recursor->rules.end() || rule->fields > fields.size()) return kNoExpr;

  const uint64_t key = Pair(Index(head), static_cast<uint32_t>(rule - recursor->rules.begin()));
  ExprId value{rules_.Find(key)};
  if (value == kNoExpr) {
    value = substitution_.InstantiateLevels(rule->value, declaration->level_params, levels);
    rules_.Set(key, Index(value));
  }
  ExprList all(arguments.begin(), arguments.begin() + static_cast<ptrdiff_t>(first_index));
  all.insert(all.end(), fields.end() - static_cast<ptrdiff_t>(rule->fields), fields.end());
  all.insert(all.end(), arguments.begin() + static_cast<ptrdiff_t>(major_at) + 1, arguments.end());
  return Beta(value, {all.data(), all.size()});
}

// Theorems are unfolded, too, but last; opaque constants never.
const Declaration* TypeChecker::Unfoldable(ExprId e) const {
  const ExprId head = Head(e);
  if (Node(head).kind != ExprKind::kConst) return nullptr;
  const Declaration* declaration = view_.Find(NameId{Node(head).a});
  if (declaration == nullptr) return nullptr;
  const bool has_value =
      declaration->As<Definition>() != nullptr || declaration->As<Theorem>() != nullptr;
  return has_value && terms_.Length(ListId{Node(head).b}) == declaration->level_params.size()
             ? declaration
             : nullptr;
}

ExprId TypeChecker::Unfold(ExprId e) {
  const Declaration* declaration = Unfoldable(e);
  if (declaration == nullptr) return kNoExpr;
  ExprList arguments;
  const ExprId head = Spine(e, &arguments);
  ExprId value{unfolded_.Find(Index(head))};
  if (value == kNoExpr) {
    value = substitution_.InstantiateLevels(*declaration->Value(), declaration->level_params,
                                            ListId{Node(head).b});
    unfolded_.Set(Index(head), Index(value));
  }
  return Beta(value, {arguments.data(), arguments.size()});
}

// Its value would be what a compiler says it is.
void TypeChecker::RefuseCompiled(ExprId e) const {
  if (Node(e).kind != ExprKind::kApp) return;
  const ExprId function{Node(e).a};
  if (IsConst(function, known_.reduce_bool) || IsConst(function, known_.reduce_nat)) {
    Decline("it relies on compiled code (Lean.reduceBool or Lean.reduceNat)");
  }
}

ExprId TypeChecker::Whnf(ExprId e) {
  switch (Node(e).kind) {
    case ExprKind::kApp:
    case ExprKind::kConst:
    case ExprKind::kLet:
    case ExprKind::kProj:
      break;
    default:
      return e;
  }
  if (const uint32_t known = whnf_.Find(Index(e)); known != IdMap::kAbsent) return ExprId{known};
  ExprId result = e;
  for (;;) {
    budget_.Tick();
    result = WhnfCore(result, false);
    RefuseCompiled(result);
    if (const ExprId number = ReduceNat(result); number != kNoExpr) {
      result = number;
      break;
    }
    const ExprId next = Unfold(result);
    if (next == kNoExpr) break;
    result = next;
  }
  whnf_.Set(Index(e), Index(result));
  return result;
}

}  // namespace zermelo::kernel
