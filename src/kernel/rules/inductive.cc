#include "kernel/rules/inductive.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/rules/inductive_block.h"

namespace zermelo::kernel {

// --- what the declarations claim ----------------------------------------------------------

const Declaration* InductiveBlock::Member(NameId name) const {
  checker_.budget().Tick(members_.size() / kComparedAStep);
  for (const Declaration* member : members_) {
    if (member->name == name) return member;
  }
  return nullptr;
}

void InductiveBlock::Gather() {
  const Declaration* first = nullptr;
  for (const Declaration* member : members_) {
    if (member->As<Inductive>() != nullptr && first == nullptr) first = member;
  }
  if (first == nullptr) Reject("its inductive type is not declared");
  size_t expected = first->all.size();
  for (const NameId name : first->all) {
    const Declaration* type = Member(name);
    const auto* inductive = type == nullptr ? nullptr : type->As<Inductive>();
    if (inductive == nullptr) Reject("its block has no type " + terms_.Print(name));
    const auto& leader = *first->As<Inductive>();
    if (std::count(first->all.begin(), first->all.end(), name) != 1 || type->all != first->all ||
        type->level_params != first->level_params || inductive->parameters != leader.parameters ||
        inductive->nested != leader.nested || inductive->is_unsafe) {
      Reject("the types of its block do not agree");
    }
    declared_.push_back(type);
    expected += inductive->constructors.size();
    types_.push_back({.name = name, .type = type->type});
  }
  level_params_ = first->level_params;
  parameter_count_ = first->As<Inductive>()->parameters;
  for (size_t i = level_params_.size(); i-- > 0;) {
    own_levels_ = terms_.Cons(levels_.Param(level_params_[i]), own_levels_);
  }
  for (size_t i = 0; i < types_.size(); ++i) {
    const auto& inductive = *declared_[i]->As<Inductive>();
    types_[i].constant = checker_.Const(types_[i].name, own_levels_);
    names_.Set(Index(types_[i].name), static_cast<uint32_t>(i));
    for (size_t j = 0; j < inductive.constructors.size(); ++j) {
      CheckClaimedConstructor(*declared_[i], inductive, j);
    }
  }
  const auto others = static_cast<size_t>(
      std::count_if(members_.begin(), members_.end(),
                    [](const Declaration* it) { return it->As<Recursor>() == nullptr; }));
  if (others != expected) Reject("a constructor is not listed by any type of its block");
}

void InductiveBlock::CheckClaimedConstructor(const Declaration& type, const Inductive& inductive,
                                             size_t index) {
  const NameId name = inductive.constructors[index];
  const Declaration* member = Member(name);
  const auto* constructor = member == nullptr ? nullptr : member->As<Constructor>();
  if (constructor == nullptr) Reject("it has no constructor " + terms_.Print(name));
  uint64_t arity = 0;
  for (ExprId e = member->type; Node(e).kind == ExprKind::kForall; e = ExprId{Node(e).b}) ++arity;
  if (constructor->inductive != type.name || constructor->index != index ||
      constructor->parameters != inductive.parameters || arity < inductive.parameters ||
      constructor->fields != arity - inductive.parameters || constructor->is_unsafe ||
      member->level_params != type.level_params) {
    Reject("the record of the constructor " + terms_.Print(name) + " is wrong");
  }
}

ExprId InductiveBlock::Local(ExprId type) {
  const ExprId whole = type;
  for (ExprId e = type; Node(e).kind == ExprKind::kApp;) {
    ExprList arguments;
    const ExprId head = checker_.Spine(e, &arguments);
    if (Node(head).kind != ExprKind::kConst) break;
    const NameId name{Node(head).a};
    const KnownNames& known = checker_.known();
    const bool two = name == known.opt_param || name == known.auto_param;
    if (arguments.size() != (two ? 2 : 1) ||
        (!two && name != known.out_param && name != known.semi_out_param))
      break;
    type = e = arguments[0];
  }
  return checker_.New(type == whole || checker_.Equal(type, whole) ? type : whole);
}

// --- types --------------------------------------------------------------------------------

// Makes the parameters from the first type.
void InductiveBlock::CheckType(BlockType& type, bool first) {
  checker_.CheckType(type.type);
  ExprId rest = checker_.Whnf(type.type);
  uint64_t count = 0;
  for (; count < parameter_count_ && Node(rest).kind == ExprKind::kForall; ++count) {
    const ExprId domain{Node(rest).a};
    if (first) {
      parameters_.push_back(Local(domain));
    } else if (!checker_.Equal(domain, ExprId{Node(parameters_[count]).a})) {
      Reject("the types of its block have different parameters");
    }
    rest = checker_.Whnf(substitution_.Instantiate(ExprId{Node(rest).b}, parameters_[count]));
  }
  if (count != parameter_count_) Reject("its type has fewer parameters than it says");
  const TypeChecker::Scope scope(checker_);
  for (; Node(rest).kind == ExprKind::kForall; ++type.indices) {
    const ExprId index = Local(ExprId{Node(rest).a});
    rest = checker_.Whnf(substitution_.Instantiate(ExprId{Node(rest).b}, index));
  }
  const LevelId level = checker_.EnsureSort(rest);
  if (first) {
    result_level_ = level;
  } else if (!levels_.Equal(level, result_level_)) {
    Reject("the types of its block, or those nested in it, live in different universes");
  }
}

// --- nested occurrences -------------------------------------------------------------------

bool InductiveBlock::Occurs(ExprId e) const {
  std::vector<ExprId> stack{e};
  IdMap seen;
  while (!stack.empty()) {
    checker_.budget().Tick();
    const ExprId at = stack.back();
    stack.pop_back();
    const ExprNode& node = Node(at);
    if ((node.kind == ExprKind::kConst || node.kind == ExprKind::kProj) &&
        names_.Contains(node.a)) {
      return true;
    }
    if (seen.Contains(Index(at))) continue;
    seen.Set(Index(at), 1);
    ForEachChild(node, [&](ExprId child) { stack.push_back(child); });
  }
  return false;
}

NameId InductiveBlock::FreshName() {
  // No other term can mention it: the arena has no such name yet.
  const NameId prefix = terms_.Name(NameId::kAnonymous, "_nested by the checker");
  for (;;) {
    const StringId number = terms_.Nat(uint64_t{auxiliary_names_++});
    NameId found{};
    if (!terms_.FindName(prefix, terms_.Text(number), true, &found)) {
      return terms_.Name(prefix, number, true);
    }
  }
}

ExprId InductiveBlock::WithoutParameters(ExprId type, std::span<const ExprId> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (Node(type).kind != ExprKind::kForall) Reject("a type nested in it is malformed");
    type = ExprId{Node(type).b};
  }
  return substitution_.Instantiate(type, values);
}

// The auxiliary type for `head arguments`, made with those that were declared together with it
// unless there is one.
ExprId InductiveBlock::AuxiliaryFor(ExprId head, const Inductive& inductive,
                                    const Declaration& declaration,
                                    std::span<const ExprId> arguments) {
  const ListId levels{Node(head).b};
  const ExprId nested = substitution_.Apply(head, arguments);
  for (size_t i = declared_.size(); i < types_.size(); ++i) {
    if (types_[i].applied == nested) return types_[i].constant;
  }
  ExprId result = kNoExpr;
  for (const NameId name : declaration.all) {
    const Declaration* other = view_.Find(name);
    const auto* type = other == nullptr ? nullptr : other->As<Inductive>();
    if (type == nullptr || type->parameters != inductive.parameters ||
        other->level_params.size() != terms_.Length(levels)) {
      Reject("a type nested in it is malformed");
    }
    const auto specialized = [&](const Declaration& it) {
      return WithoutParameters(substitution_.InstantiateLevels(it.type, it.level_params, levels),
                               arguments);
    };
    BlockType auxiliary;
    auxiliary.name = FreshName();
    auxiliary.constant = checker_.Const(auxiliary.name, own_levels_);
    auxiliary.applied = substitution_.Apply(checker_.Const(name, levels), arguments);
    auxiliary.type = substitution_.Forall(parameters(), specialized(*other));
    for (const NameId constructor : type->constructors) {
      const Declaration* found = view_.Find(constructor);
      if (found == nullptr || found->level_params.size() != terms_.Length(levels)) {
        Reject("a type nested in it is malformed");
      }
      auxiliary.constructors.push_back(
          {constructor, specialized(*found),
           substitution_.Apply(checker_.Const(constructor, levels), arguments)});
    }
    names_.Set(Index(auxiliary.name), static_cast<uint32_t>(types_.size()));
    if (other == &declaration) result = auxiliary.constant;
    types_.push_back(std::move(auxiliary));
  }
  if (result == kNoExpr) Reject("a type nested in it is malformed");
  return result;
}

// `J Ds is`, where a type of the block occurs in the parameters Ds, becomes `aux parameters is`.
ExprId InductiveBlock::ReplaceNested(ExprId e) {
  return substitution_.Replace(e, [&](ExprId part) {
    if (Node(part).kind != ExprKind::kApp) return part;
    ExprList arguments;
    const ExprId head = checker_.Spine(part, &arguments);
    if (Node(head).kind != ExprKind::kConst || names_.Contains(Node(head).a)) return part;
    const Declaration* declaration = view_.Find(NameId{Node(head).a});
    const auto* inductive = declaration == nullptr ? nullptr : declaration->As<Inductive>();
    if (inductive == nullptr || inductive->parameters > arguments.size()) return part;
    const auto of_nested = static_cast<size_t>(inductive->parameters);
    const auto values = All(arguments).first(of_nested);
    if (std::none_of(values.begin(), values.end(), [&](ExprId it) { return Occurs(it); })) {
      return part;
    }
    for (const ExprId value : values) {
      if (Node(value).loose_bound > 0) Reject("a nested type depends on a field");
    }
    const ExprId auxiliary = AuxiliaryFor(head, *inductive, *declaration, values);
    return substitution_.Apply(substitution_.Apply(auxiliary, parameters()),
                               All(arguments).subspan(of_nested));
  });
}

void InductiveBlock::Eliminate() {
  for (size_t i = 0; i < declared_.size(); ++i) {
    types_[i].applied = substitution_.Apply(types_[i].constant, parameters());
    for (const NameId name : declared_[i]->As<Inductive>()->constructors) {
      const Declaration& declaration = *Member(name);
      types_[i].constructors.push_back(
          {name, WithoutParameters(declaration.type, parameters()),
           substitution_.Apply(checker_.Const(name, own_levels_), parameters())});
    }
  }
  for (size_t i = 0; i < types_.size(); ++i) {  // grows
    for (size_t j = 0; j < types_[i].constructors.size(); ++j) {
      checker_.budget().Tick();
      const ExprId replaced = ReplaceNested(types_[i].constructors[j].type);
      types_[i].constructors[j].type = replaced;
    }
  }
}

// --- constructors -------------------------------------------------------------------------

size_t InductiveBlock::Applied(ExprId e) const {
  checker_.budget().Tick(types_.size() / kComparedAStep);
  ExprList arguments;
  const ExprId head = checker_.Spine(e, &arguments);
  const auto at = std::find_if(types_.begin(), types_.end(),
                               [&](const BlockType& type) { return type.constant == head; });
  if (at == types_.end() || arguments.size() != parameters_.size() + at->indices ||
      !std::equal(parameters_.begin(), parameters_.end(), arguments.begin()) ||
      std::any_of(arguments.begin() + static_cast<ptrdiff_t>(parameters_.size()), arguments.end(),
                  [&](ExprId index) { return Occurs(index); })) {
    return types_.size();
  }
  return static_cast<size_t>(at - types_.begin());
}

size_t InductiveBlock::RecursiveIn(ExprId type) {
  const TypeChecker::Scope scope(checker_);
  type = checker_.Whnf(type);
  while (Node(type).kind == ExprKind::kForall) {
    const ExprId argument = Local(ExprId{Node(type).a});
    type = checker_.Whnf(substitution_.Instantiate(ExprId{Node(type).b}, argument));
  }
  return Applied(type);
}

void InductiveBlock::CheckPositive(ExprId type, NameId constructor, size_t field) {
  const TypeChecker::Scope scope(checker_);
  const auto where = [&] { return " in field " + std::to_string(field + 1) + Of(constructor); };
  for (;;) {
    type = checker_.Whnf(type);
    if (!Occurs(type)) return;
    if (Node(type).kind != ExprKind::kForall) break;
    if (Occurs(ExprId{Node(type).a})) Reject("there is a non-positive occurrence" + where());
    const ExprId argument = Local(ExprId{Node(type).a});
    type = substitution_.Instantiate(ExprId{Node(type).b}, argument);
  }
  if (Applied(type) == types_.size()) Reject("there is an invalid occurrence" + where());
}

void InductiveBlock::CheckConstructor(const BlockConstructor& constructor, size_t type) {
  checker_.CheckType(substitution_.Forall(parameters(), constructor.type));
  const TypeChecker::Scope scope(checker_);
  ExprId rest = constructor.type;
  for (size_t i = 0; Node(rest).kind == ExprKind::kForall; ++i) {
    const ExprId domain{Node(rest).a};
    if (!levels_.IsZero(result_level_) && !levels_.Leq(checker_.SortOf(domain), result_level_)) {
      Reject("field " + std::to_string(i + 1) + Of(constructor.name) +
             " lives in a larger universe than the type");
    }
    CheckPositive(domain, constructor.name, i);
    rest = substitution_.Instantiate(ExprId{Node(rest).b}, Local(domain));
  }
  if (Applied(rest) != type)
    Reject("a constructor does not return its inductive type: " + terms_.Print(constructor.name));
}

// Sources: lean4lean, isRec and isReflexive; syntactic, and the same for the whole block.
void InductiveBlock::CheckFlags() {
  bool recursive = false, reflexive = false;
  for (const BlockType& type : types_) {
    for (const BlockConstructor& constructor : type.constructors) {
      for (ExprId e = constructor.type; Node(e).kind == ExprKind::kForall; e = ExprId{Node(e).b}) {
        const ExprId domain{Node(e).a};
        if (!Occurs(domain)) continue;
        recursive = true;
        reflexive = reflexive || Node(domain).kind == ExprKind::kForall;
      }
    }
  }
  for (size_t i = 0; i < declared_.size(); ++i) {
    const auto& claimed = *declared_[i]->As<Inductive>();
    if (claimed.indices != types_[i].indices || claimed.is_recursive != recursive ||
        claimed.is_reflexive != reflexive || claimed.nested != types_.size() - declared_.size()) {
      Reject("the record of the type " + terms_.Print(types_[i].name) + " is wrong");
    }
  }
}

// --- everything once more, as declared ----------------------------------------------------

// Both sides of a rule have the same type. Source: lean4#14808.
void InductiveBlock::CheckRule(const Declaration& declaration, const Recursor& recursor,
                               const RecursorRule& rule) {
  const TypeChecker::Scope scope(checker_);
  checker_.Check(rule.value);
  const uint64_t before = recursor.parameters + recursor.motives + recursor.minors;
  ExprList locals;
  ExprId right = rule.value;
  for (uint64_t i = 0; i < before + rule.fields; ++i) {
    locals.push_back(Local(substitution_.Instantiate(ExprId{Node(right).a}, All(locals))));
    right = ExprId{Node(right).b};
  }
  right = substitution_.Instantiate(right, All(locals));
  const auto shared = All(locals).first(static_cast<size_t>(before));
  ExprId rest = declaration.type;
  for (uint64_t i = 0; i < before + recursor.indices; ++i) rest = ExprId{Node(rest).b};
  const ExprId left_function =
      substitution_.Apply(checker_.Const(declaration.name, recursor_levels_), shared);
  // The indices are not substituted: the parameters of the major premise's type do not have them.
  ExprList arguments;
  const ExprId head = checker_.Spine(ExprId{Node(rest).a}, &arguments);
  const auto* constructor = view_.FindAs<Constructor>(rule.constructor);
  if (constructor == nullptr || constructor->parameters > arguments.size()) {
    Reject("a recursor rule belongs to a constructor of another type");
  }
  ExprId made = checker_.Const(rule.constructor, ListId{Node(head).b});
  ExprList padded(shared.begin(), shared.end());
  padded.resize(padded.size() + static_cast<size_t>(recursor.indices),
                parameters_.empty() ? right : parameters_[0]);
  for (uint64_t i = 0; i < constructor->parameters; ++i) {
    made = substitution_.App(made, substitution_.Instantiate(arguments[i], All(padded)));
  }
  made = substitution_.Apply(made, All(locals).subspan(static_cast<size_t>(before)));
  ExprList indices;
  checker_.Spine(checker_.Whnf(checker_.Check(made)), &indices);
  const ExprId left = substitution_.App(
      substitution_.Apply(left_function,
                          All(indices).subspan(static_cast<size_t>(constructor->parameters))),
      made);
  if (!checker_.Equal(checker_.Check(left), checker_.TypeOf(right))) {
    Reject("a rule of a recursor changes the type");
  }
}

// Source: lean4#14577 (arguments that no auxiliary type has) and #14621.
void InductiveBlock::CheckAgain() {
  view_.DropAdded();
  view_.ShowOwn();
  checker_.Forget();
  for (size_t i = declared_.size(); i < types_.size(); ++i) checker_.Check(types_[i].applied);
  for (const Declaration* member : members_) {
    if (member->As<Recursor>() == nullptr) checker_.CheckType(member->type);
  }
  const std::vector<NameId> recursor_params = RecursorOf(0).level_params;
  checker_.Begin(recursor_params);
  for (const Declaration* member : members_) {
    const auto* recursor = member->As<Recursor>();
    if (recursor == nullptr) continue;
    checker_.CheckType(member->type);
    for (const RecursorRule& rule : recursor->rules) CheckRule(*member, *recursor, rule);
  }
}

void InductiveBlock::Check() {
  Gather();
  checker_.Begin(level_params_);
  for (size_t i = 0; i < types_.size(); ++i) CheckType(types_[i], i == 0);
  Eliminate();
  for (size_t i = declared_.size(); i < types_.size(); ++i) CheckType(types_[i], false);
  for (const BlockType& type : types_) {
    view_.Add(
        {.name = type.name, .level_params = level_params_, .type = type.type, .info = Axiom{}});
  }
  for (const Declaration* member : members_) {
    if (member->As<Constructor>() == nullptr) continue;
    checker_.CheckType(member->type);
    ExprId rest = member->type;
    for (const ExprId parameter : parameters_) {
      if (!checker_.Equal(ExprId{Node(rest).a}, ExprId{Node(parameter).a})) {
        Reject("the parameters of " + terms_.Print(member->name) + " differ from the type's");
      }
      rest = substitution_.Instantiate(ExprId{Node(rest).b}, parameter);
    }
  }
  for (size_t i = 0; i < types_.size(); ++i) {
    for (const BlockConstructor& constructor : types_[i].constructors) {
      CheckConstructor(constructor, i);
    }
  }
  CheckFlags();
  Generate();
  size_t recursors = 0;
  for (const Declaration* member : members_) recursors += member->As<Recursor>() != nullptr ? 1 : 0;
  if (recursors != types_.size()) Reject("its block has the wrong number of recursors");
  for (size_t i = 0; i < types_.size(); ++i) CompareRecursor(i);
  CheckAgain();
}

void CheckInductive(TypeChecker& checker, std::span<const Declaration* const> members) {
  InductiveBlock(checker, members).Check();
}

}  // namespace zermelo::kernel