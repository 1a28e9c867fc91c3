#include "kernel/term/substitute.h"

namespace zermelo::kernel {

ExprId Substitution::Instantiate(ExprId e, std::span<const ExprId> values) {
  if (values.empty() || terms_[e].loose_bound == 0) return e;
  memo_.Clear();
  return InstantiateAt(e, values, 0);
}

ExprId Substitution::InstantiateAt(ExprId e, std::span<const ExprId> values, uint32_t binders) {
  const ExprNode node = terms_[e];
  if (node.loose_bound <= binders) return e;
  if (node.kind == ExprKind::kBVar) {
    const uint32_t index = node.a - binders;
    if (index < values.size()) return values[values.size() - 1 - index];
    return terms_.Expr(
        {.kind = ExprKind::kBVar, .a = node.a - static_cast<uint32_t>(values.size())});
  }
  budget_.Tick();
  const uint64_t key = Pair(Index(e), binders);
  if (const uint32_t known = memo_.Find(key); known != IdMap::kAbsent) return ExprId{known};
  const ExprId result = Map(node, [&](ExprId child, uint32_t more) {
    return InstantiateAt(child, values, binders + more);
  });
  memo_.Set(key, Index(result));
  return result;
}

ExprId Substitution::Abstract(ExprId e, std::span<const ExprId> locals) {
  if (locals.empty() || !terms_[e].has_local()) return e;
  memo_.Clear();
  return AbstractAt(e, locals, 0);
}

ExprId Substitution::AbstractAt(ExprId e, std::span<const ExprId> locals, uint32_t binders) {
  const ExprNode node = terms_[e];
  if (!node.has_local()) return e;
  if (node.kind == ExprKind::kLocal) {
    budget_.Tick(locals.size() / kComparedAStep);
    for (size_t i = locals.size(); i-- > 0;) {
      if (locals[i] != e) continue;
      const auto index = static_cast<uint32_t>(locals.size() - 1 - i);
      return terms_.Expr({.kind = ExprKind::kBVar, .a = binders + index});
    }
    return e;
  }
  budget_.Tick();
  const uint64_t key = Pair(Index(e), binders);
  if (const uint32_t known = memo_.Find(key); known != IdMap::kAbsent) return ExprId{known};
  const ExprId result = Map(
      node, [&](ExprId child, uint32_t more) { return AbstractAt(child, locals, binders + more); });
  memo_.Set(key, Index(result));
  return result;
}

ExprId Substitution::Bind(ExprKind kind, std::span<const ExprId> locals, ExprId body) {
  body = Abstract(body, locals);
  for (size_t i = locals.size(); i-- > 0;) {
    const ExprId type = Abstract(ExprId{terms_[locals[i]].a}, locals.first(i));
    body = terms_.Expr({.kind = kind, .a = Index(type), .b = Index(body)});
  }
  return body;
}

ExprId Substitution::InstantiateLevels(ExprId e, const std::vector<NameId>& names, ListId levels) {
  if (names.empty() || !terms_[e].has_level_param()) return e;
  memo_.Clear();
  return LevelsIn(e, names, levels);
}

ExprId Substitution::LevelsIn(ExprId e, const std::vector<NameId>& names, ListId levels) {
  budget_.Tick();
  const ExprNode node = terms_[e];
  if (!node.has_level_param()) return e;
  if (node.kind == ExprKind::kSort) {
    const ListId one =
        levels_.Instantiate(terms_.Cons(LevelId{node.a}, ListId::kNil), names, levels);
    return terms_.Expr({.kind = ExprKind::kSort, .a = terms_[one].head});
  }
  if (node.kind == ExprKind::kConst) {
    const ListId list = levels_.Instantiate(ListId{node.b}, names, levels);
    return terms_.Expr({.kind = ExprKind::kConst, .a = node.a, .b = Index(list)});
  }
  if (const uint32_t known = memo_.Find(Index(e)); known != IdMap::kAbsent) return ExprId{known};
  const ExprId result =
      Map(node, [&](ExprId child, uint32_t) { return LevelsIn(child, names, levels); });
  memo_.Set(Index(e), Index(result));
  return result;
}

}  // namespace zermelo::kernel
