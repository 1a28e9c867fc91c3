#include <algorithm>

#include "kernel/rules/type_checker.h"

namespace zermelo::kernel {

TypeChecker::TypeChecker(Terms& terms, View& view, const KnownNames& known,
                         const Builtins& builtins, Budget& budget)
    : terms_(terms),
      view_(view),
      known_(known),
      builtins_(builtins),
      budget_(budget),
      levels_(terms, budget),
      substitution_(terms, levels_, budget) {}

void TypeChecker::Begin(const std::vector<NameId>& level_params) {
  level_params_ = level_params;
  depth_ = 0;
  eager_ = false;
  missed_shortcut_ = false;
  Forget();
}

void TypeChecker::Forget() {
  levels_.Clear();
  for (IdMap* map : {&inferred_[0], &inferred_[1], &whnf_core_, &whnf_, &const_types_, &unfolded_,
                     &rules_, &equal_, &different_arguments_, &checked_levels_}) {
    map->Clear();
  }
}

size_t TypeChecker::cache_bytes() const {
  size_t bytes = 0;
  for (const IdMap* map : {&inferred_[0], &inferred_[1], &whnf_core_, &whnf_, &const_types_,
                           &unfolded_, &rules_, &equal_, &different_arguments_}) {
    bytes += map->bytes();
  }
  return bytes;
}

ExprId TypeChecker::New(ExprId type) {
  return terms_.Expr({.kind = ExprKind::kLocal, .a = Index(type), .b = depth_++});
}

ExprId TypeChecker::Spine(ExprId e, ExprList* arguments) const {
  arguments->clear();
  for (; Node(e).kind == ExprKind::kApp; e = ExprId{Node(e).a}) {
    arguments->push_back(ExprId{Node(e).b});
  }
  std::reverse(arguments->begin(), arguments->end());
  return e;
}

ExprId TypeChecker::Head(ExprId e) const {
  while (Node(e).kind == ExprKind::kApp) e = ExprId{Node(e).a};
  return e;
}

LevelId TypeChecker::EnsureSort(ExprId e) {
  if (Node(e).kind != ExprKind::kSort) e = Whnf(e);
  if (Node(e).kind != ExprKind::kSort) Reject("a term is used as a type");
  return LevelId{Node(e).a};
}

const Inductive* TypeChecker::Structure(NameId name) const {
  const auto* inductive = view_.FindAs<Inductive>(name);
  const bool is = inductive != nullptr && inductive->constructors.size() == 1 &&
                  inductive->indices == 0 && !inductive->is_recursive;
  return is ? inductive : nullptr;
}

void TypeChecker::CheckLevel(LevelId level) {
  budget_.Tick();
  const LevelNode node = terms_[level];
  if (node.has_mvar) Reject("a universe level has a metavariable");
  if (!node.has_param || checked_levels_.Contains(Index(level))) return;
  if (node.kind == LevelKind::kParam) {
    if (std::find(level_params_.begin(), level_params_.end(), NameId{node.a}) ==
        level_params_.end()) {
      Reject("the universe parameter " + terms_.Print(NameId{node.a}) + " is not declared");
    }
    return;
  }
  CheckLevel(LevelId{node.a});
  if (node.kind != LevelKind::kSucc) CheckLevel(LevelId{node.b});
  checked_levels_.Set(Index(level), 1);
}

void TypeChecker::CheckLevels(ListId levels) {
  for (; levels != ListId::kNil; levels = terms_[levels].tail) {
    CheckLevel(LevelId{terms_[levels].head});
  }
}

ExprId TypeChecker::Infer(ExprId e, bool check) {
  if (const uint32_t known = inferred_[1].Find(Index(e)); known != IdMap::kAbsent) {
    return ExprId{known};
  }
  if (!check) {
    if (const uint32_t known = inferred_[0].Find(Index(e)); known != IdMap::kAbsent) {
      return ExprId{known};
    }
  }
  budget_.Tick();
  const ExprId type = InferNew(e, check);
  inferred_[check ? 1 : 0].Set(Index(e), Index(type));
  return type;
}

ExprId TypeChecker::InferNew(ExprId e, bool check) {
  const ExprNode& node = Node(e);
  switch (node.kind) {
    case ExprKind::kBVar:
      Reject("a bound variable has no binder");
    case ExprKind::kFVar:
      Reject("there is a free variable");
    case ExprKind::kMVar:
      Reject("there is a metavariable");
    case ExprKind::kLocal:
      return ExprId{node.a};
    case ExprKind::kSort: {
      const LevelId level{node.a};
      if (check) CheckLevel(level);
      return Sort(levels_.Succ(level));
    }
    case ExprKind::kConst:
      return InferConst(e, check);
    case ExprKind::kApp:
      return InferApp(e, check);
    case ExprKind::kLambda:
      return InferLambda(e, check);
    case ExprKind::kForall:
      return InferForall(e, check);
    case ExprKind::kLet:
      return InferLet(e, check);
    case ExprKind::kProj:
      return InferProj(e, check);
    case ExprKind::kNat:
    case ExprKind::kString:
      return InferLiteral(e);
  }
  Reject("there is a term of an unknown kind");
}

ExprId TypeChecker::ConstType(ExprId constant, const Declaration& declaration) {
  if (const uint32_t known = const_types_.Find(Index(constant)); known != IdMap::kAbsent) {
    return ExprId{known};
  }
  const ListId levels{Node(constant).b};
  if (terms_.Length(levels) != declaration.level_params.size()) {
    Reject(terms_.Print(declaration.name) + " has " +
           std::to_string(declaration.level_params.size()) + " universe parameters, not " +
           std::to_string(terms_.Length(levels)));
  }
  const ExprId type =
      substitution_.InstantiateLevels(declaration.type, declaration.level_params, levels);
  const_types_.Set(Index(constant), Index(type));
  return type;
}

ExprId TypeChecker::InferConst(ExprId e, bool check) {
  const NameId name{Node(e).a};
  const Declaration* declaration = view_.Find(name);
  if (declaration == nullptr) {
    const Declaration* hidden = view_.environment().Find(name);
    // No decline: Lean's own kernel would take what the import hides for what is declared here.
    if (hidden != nullptr && view_.IsLeftOut(name)) {
      Reject("it mentions the imported " + terms_.Print(name) +
             ", which rests on a name that its library hides and that is declared here");
    }
    if (hidden != nullptr && hidden->IsUnsafe()) {
      Reject("it mentions " + terms_.Print(name) + ", which is unsafe or partial");
    }
    Reject("it mentions " + terms_.Print(name) +
           (hidden == nullptr ? ", which is not declared" : ", which is not declared before it"));
  }
  if (check) CheckLevels(ListId{Node(e).b});
  return ConstType(e, *declaration);
}

ExprId TypeChecker::InferApp(ExprId e, bool check) {
  ExprList arguments;
  const ExprId function = Spine(e, &arguments);
  ExprId type = Infer(function, check);
  size_t first = 0;  // arguments from here on are not yet substituted in `type`
  const auto pending = [&](size_t end) {
    return std::span<const ExprId>(arguments.data() + first, end - first);
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (Node(type).kind != ExprKind::kForall) {
      type = Whnf(substitution_.Instantiate(type, pending(i)));
      first = i;
      if (Node(type).kind != ExprKind::kForall) Reject("a term that is not a function is applied");
    }
    if (check) {
      const ExprId domain = substitution_.Instantiate(ExprId{Node(type).a}, pending(i));
      const ExprId own = Infer(arguments[i], true);
      if (own != domain) {
        // Source: lean4lean, inferType', application case (`eagerReduce _ x`).
        const ExprNode& argument = Node(arguments[i]);
        const bool eager = argument.kind == ExprKind::kApp &&
                           Node(ExprId{argument.a}).kind == ExprKind::kApp &&
                           IsConst(ExprId{Node(ExprId{argument.a}).a}, known_.eager_reduce);
        const bool before = std::exchange(eager_, eager_ || eager);
        const bool equal = Equal(own, domain);
        eager_ = before;
        if (!equal) {
          const ExprId head = Head(function);
          Reject("an argument has the wrong type" +
                 (Node(head).kind == ExprKind::kConst
                      ? " (number " + std::to_string(i + 1) + " of " +
                            terms_.Print(NameId{Node(head).a}) + ")"
                      : std::string()));
        }
      }
    }
    type = ExprId{Node(type).b};
  }
  return substitution_.Instantiate(type, pending(arguments.size()));
}

ExprId TypeChecker::InferLambda(ExprId e, bool check) {
  const Scope scope(*this);
  ExprList locals;
  while (Node(e).kind == ExprKind::kLambda) {
    const ExprId domain =
        substitution_.Instantiate(ExprId{Node(e).a}, {locals.data(), locals.size()});
    if (check) CheckType(domain);
    locals.push_back(New(domain));
    e = ExprId{Node(e).b};
  }
  const std::span<const ExprId> all(locals.data(), locals.size());
  return substitution_.Forall(all, Infer(substitution_.Instantiate(e, all), check));
}

ExprId TypeChecker::InferForall(ExprId e, bool check) {
  const Scope scope(*this);
  ExprList locals;
  std::vector<LevelId> sorts;
  while (Node(e).kind == ExprKind::kForall) {
    const ExprId domain =
        substitution_.Instantiate(ExprId{Node(e).a}, {locals.data(), locals.size()});
    sorts.push_back(EnsureSort(Infer(domain, check)));
    locals.push_back(New(domain));
    e = ExprId{Node(e).b};
  }
  LevelId level =
      EnsureSort(Infer(substitution_.Instantiate(e, {locals.data(), locals.size()}), check));
  for (size_t i = sorts.size(); i-- > 0;) level = levels_.IMax(sorts[i], level);
  return Sort(level);
}

// The value replaces the variable at once, so there are no locals with values.
ExprId TypeChecker::InferLet(ExprId e, bool check) {
  ExprList values;
  while (Node(e).kind == ExprKind::kLet) {
    const std::span<const ExprId> before(values.data(), values.size());
    const ExprId value = substitution_.Instantiate(ExprId{Node(e).b}, before);
    if (check) {
      const ExprId type = substitution_.Instantiate(ExprId{Node(e).a}, before);
      CheckType(type);
      if (!Equal(Infer(value, true), type)) Reject("the value of a `let` has the wrong type");
    }
    values.push_back(value);
    e = ExprId{Node(e).c};
  }
  return Infer(substitution_.Instantiate(e, {values.data(), values.size()}), check);
}

// Sources: lean4lean, inferProj; lean4#14613 (Prop up to equality of levels), #14631 (the name of
// the structure), #14632 (large indices). A structure that may be a proposition has only
// propositions as fields that can be projected, and no field may depend on another kind of field.
ExprId TypeChecker::InferProj(ExprId e, bool check) {
  const NameId name{Node(e).a};
  const uint32_t field = Node(e).b;
  const ExprId structure{Node(e).c};
  const ExprId structure_type = Whnf(Infer(structure, check));
  ExprList arguments;
  const ExprId head = Spine(structure_type, &arguments);
  const auto* inductive = view_.FindAs<Inductive>(name);
  if (!IsConst(head, name) || inductive == nullptr || inductive->constructors.size() != 1 ||
      arguments.size() != inductive->parameters + inductive->indices) {
    Reject("a projection names the wrong structure");
  }
  const Declaration* constructor = view_.Find(inductive->constructors[0]);
  if (constructor == nullptr) Reject("a projection is of a structure that is not complete");
  const ExprId constant = Const(constructor->name, ListId{Node(head).b});
  ExprId type = ConstType(constant, *constructor);
  const auto next = [&] {
    type = Node(type).kind == ExprKind::kForall ? type : Whnf(type);
    if (Node(type).kind != ExprKind::kForall)
      Reject("a projection refers to a field that does not exist");
  };
  for (size_t i = 0; i < inductive->parameters; ++i) {
    next();
    type = substitution_.Instantiate(ExprId{Node(type).b}, arguments[i]);
  }
  const bool maybe_prop = !levels_.IsNeverZero(SortOf(structure_type));
  for (uint32_t i = 0;; ++i) {
    budget_.Tick();
    next();
    const ExprId domain{Node(type).a};
    const ExprId body{Node(type).b};
    const bool used = i == field || Node(body).loose_bound > 0;
    if (maybe_prop && used && !IsProp(domain)) {
      Reject("a projection extracts data from a proof");
    }
    if (i == field) return domain;
    const ExprId earlier =
        terms_.Expr({.kind = ExprKind::kProj, .a = Index(name), .b = i, .c = Index(structure)});
    type = substitution_.Instantiate(body, earlier);
  }
}

// What is usual is known of the whole environment. A literal may rest on earlier declarations only,
// or one of these could rest on the literal.
ExprId TypeChecker::InferLiteral(ExprId e) const {
  if (Node(e).kind == ExprKind::kNat) {
    if (!builtins_.nat || view_.Find(known_.nat) == nullptr)
      Reject("there is a number, but Nat is not declared as usual");
    return terms_.Expr({.kind = ExprKind::kConst, .a = Index(known_.nat)});
  }
  const auto is_earlier = [&](NameId name) { return view_.IsEarlier(name); };
  const bool abbreviates = builtins_.expands_strings &&
                           std::ranges::all_of(known_.PartsOfStrings(), is_earlier) &&
                           is_earlier(known_.MakerOfStrings(view_.environment()));
  const bool usual = abbreviates || (builtins_.string && !builtins_.expands_strings);
  if (!builtins_.nat || !usual || !is_earlier(known_.string)) {
    Reject("there is a string, but String is not declared as usual");
  }
  return terms_.Expr({.kind = ExprKind::kConst, .a = Index(known_.string)});
}

}  // namespace zermelo::kernel
