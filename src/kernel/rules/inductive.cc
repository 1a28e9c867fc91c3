#include "kernel/rules/inductive.h"

#include <algorithm>
#include <string>
#include <vector>

namespace zermelo::kernel {

namespace {

/// A constructor's type after the parameters, over the block's locals for them. Nested occurrences
/// are replaced by auxiliary types.
struct BlockConstructor {
  NameId name{};
  ExprId type{};     // after the parameters
  ExprId applied{};  // the constructor applied to the parameters, with nested types as they are
};

struct BlockType {
  NameId name{};      // of an auxiliary type, a name that nothing else has
  ExprId type{};      // with the parameters
  ExprId constant{};  // the type without arguments
  ExprId applied{};   // applied to the parameters; of an auxiliary type, the nested type: `List I`
  uint64_t indices = 0;
  std::vector<BlockConstructor> constructors;
};

/// What is generated for one type.
struct Generated {
  ExprId motive{};
  ExprList indices;
  ExprId major{};
};

/// A constructor's fields as locals; those that are recursive, with their place in the block.
struct Fields {
  ExprList all;
  ExprList recursive;
  ExprId result{};
};

class Block {
 public:
  Block(TypeChecker& checker, std::span<const Declaration* const> members)
      : checker_(checker),
        terms_(checker.terms()),
        levels_(checker.levels()),
        substitution_(checker.substitution()),
        view_(checker.view()),
        members_(members) {}

  void Check();

 private:
  /// A local for a binder. Lean drops annotations of its type. Source: lean4lean, withLocalDecl
  /// with consumeTypeAnnotations.
  ExprId Local(ExprId type);
  std::string Of(NameId name) const { return " of " + terms_.Print(name); }
  const ExprNode& Node(ExprId e) const { return terms_[e]; }
  std::span<const ExprId> parameters() const { return {parameters_.data(), parameters_.size()}; }
  static std::span<const ExprId> All(const ExprList& list) { return {list.data(), list.size()}; }

  void Gather();
  void CheckClaimedConstructor(const Declaration& type, const Inductive& inductive, size_t index);
  void CheckType(BlockType& type, bool first);
  void Eliminate();
  ExprId ReplaceNested(ExprId e);
  ExprId AuxiliaryFor(ExprId head, const Inductive& inductive, const Declaration& declaration,
                      std::span<const ExprId> arguments);
  ExprId WithoutParameters(ExprId type, std::span<const ExprId> values);
  NameId FreshName();
  bool Occurs(ExprId e) const;
  /// The type of the block that `e` is an application of, to exactly the parameters and to indices
  /// in which no type of the block occurs; or types_.size().
  size_t Applied(ExprId e) const;
  size_t RecursiveIn(ExprId type);
  void CheckPositive(ExprId type, NameId constructor, size_t field);
  void CheckConstructor(const BlockConstructor& constructor, size_t type);
  void CheckFlags();
  bool EliminatesIntoAll();
  bool IsK() const;
  Fields Open(ExprId type);
  void Generate();
  ExprId InductionHypothesis(ExprId field, bool value);
  void CompareRecursor(size_t type);
  ExprId Rule(size_t type, size_t constructor, size_t minor);
  ExprId Restore(ExprId e);
  void CheckAgain();
  void CheckRule(const Declaration& declaration, const Recursor& recursor,
                 const RecursorRule& rule);
  const Declaration& RecursorOf(size_t type) const;
  NameId RecursorName(size_t type) const;

  TypeChecker& checker_;
  Terms& terms_;
  Levels& levels_;
  Substitution& substitution_;
  View& view_;
  std::span<const Declaration* const> members_;

  std::vector<const Declaration*> declared_;  // the types, in the order of `all`
  std::vector<NameId> level_params_;
  ListId own_levels_ = ListId::kNil;
  uint64_t parameter_count_ = 0;
  ExprList parameters_;
  LevelId result_level_ = LevelId::kZero;
  std::vector<BlockType> types_;  // the declared ones, then the auxiliary ones
  size_t auxiliary_names_ = 0;
  IdMap names_;  // of types_

  bool k_ = false;
  LevelId elimination_level_ = LevelId::kZero;
  ListId recursor_levels_ = ListId::kNil;
  std::vector<Generated> generated_;
  ExprList motives_;
  ExprList minors_;
};

// --- what the declarations claim ----------------------------------------------------------

void Block::Gather() {
  const auto find = [&](NameId name) -> const Declaration* {
    for (const Declaration* member : members_) {
      if (member->name == name) return member;
    }
    return nullptr;
  };
  const Declaration* first = nullptr;
  for (const Declaration* member : members_) {
    if (member->As<Inductive>() != nullptr && first == nullptr) first = member;
  }
  if (first == nullptr) Reject("its inductive type is not declared");
  size_t expected = first->all.size();
  for (const NameId name : first->all) {
    const Declaration* type = find(name);
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

void Block::CheckClaimedConstructor(const Declaration& type, const Inductive& inductive,
                                    size_t index) {
  const NameId name = inductive.constructors[index];
  const auto at = std::find_if(members_.begin(), members_.end(),
                               [&](const Declaration* it) { return it->name == name; });
  const auto* constructor = at == members_.end() ? nullptr : (*at)->As<Constructor>();
  if (constructor == nullptr) Reject("it has no constructor " + terms_.Print(name));
  uint64_t arity = 0;
  for (ExprId e = (*at)->type; Node(e).kind == ExprKind::kForall; e = ExprId{Node(e).b}) ++arity;
  if (constructor->inductive != type.name || constructor->index != index ||
      constructor->parameters != inductive.parameters || arity < inductive.parameters ||
      constructor->fields != arity - inductive.parameters || constructor->is_unsafe ||
      (*at)->level_params != type.level_params) {
    Reject("the record of the constructor " + terms_.Print(name) + " is wrong");
  }
}

ExprId Block::Local(ExprId type) {
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
  return checker_.New(type);
}

// --- types --------------------------------------------------------------------------------

// Makes the parameters from the first type.
void Block::CheckType(BlockType& type, bool first) {
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

bool Block::Occurs(ExprId e) const {
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

NameId Block::FreshName() {
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

ExprId Block::WithoutParameters(ExprId type, std::span<const ExprId> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (Node(type).kind != ExprKind::kForall) Reject("a type nested in it is malformed");
    type = ExprId{Node(type).b};
  }
  return substitution_.Instantiate(type, values);
}

// The auxiliary type for `head arguments`, made with those that were declared together with it
// unless there is one.
ExprId Block::AuxiliaryFor(ExprId head, const Inductive& inductive, const Declaration& declaration,
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
ExprId Block::ReplaceNested(ExprId e) {
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

void Block::Eliminate() {
  for (size_t i = 0; i < declared_.size(); ++i) {
    types_[i].applied = substitution_.Apply(types_[i].constant, parameters());
    for (const NameId name : declared_[i]->As<Inductive>()->constructors) {
      const Declaration& declaration =
          **std::find_if(members_.begin(), members_.end(),
                         [&](const Declaration* it) { return it->name == name; });
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

size_t Block::Applied(ExprId e) const {
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

size_t Block::RecursiveIn(ExprId type) {
  const TypeChecker::Scope scope(checker_);
  type = checker_.Whnf(type);
  while (Node(type).kind == ExprKind::kForall) {
    const ExprId argument = Local(ExprId{Node(type).a});
    type = checker_.Whnf(substitution_.Instantiate(ExprId{Node(type).b}, argument));
  }
  return Applied(type);
}

void Block::CheckPositive(ExprId type, NameId constructor, size_t field) {
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

void Block::CheckConstructor(const BlockConstructor& constructor, size_t type) {
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
void Block::CheckFlags() {
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

// --- recursors ----------------------------------------------------------------------------

// Source: lean4lean, isLargeEliminator.
bool Block::EliminatesIntoAll() {
  if (levels_.IsNeverZero(result_level_)) return true;
  if (types_.size() != 1 || types_[0].constructors.size() > 1) return false;
  if (types_[0].constructors.empty()) return true;
  const TypeChecker::Scope scope(checker_);
  ExprList data;
  ExprId rest = types_[0].constructors[0].type;
  while (Node(rest).kind == ExprKind::kForall) {
    const ExprId domain{Node(rest).a};
    const ExprId field = Local(domain);
    if (!checker_.IsProp(domain)) data.push_back(field);
    rest = substitution_.Instantiate(ExprId{Node(rest).b}, field);
  }
  ExprList arguments;
  checker_.Spine(rest, &arguments);
  return std::all_of(data.begin(), data.end(), [&](ExprId field) {
    return std::find(arguments.begin(), arguments.end(), field) != arguments.end();
  });
}

// Source: lean4lean, isKTarget.
bool Block::IsK() const {
  return types_.size() == 1 && levels_.IsZero(result_level_) &&
         types_[0].constructors.size() == 1 &&
         Node(types_[0].constructors[0].type).kind != ExprKind::kForall;
}

// The locals stay until the caller's scope ends.
Fields Block::Open(ExprId type) {
  Fields fields;
  while (Node(type).kind == ExprKind::kForall) {
    const ExprId domain{Node(type).a};
    const ExprId field = Local(domain);
    fields.all.push_back(field);
    if (RecursiveIn(domain) != types_.size()) fields.recursive.push_back(field);
    type = substitution_.Instantiate(ExprId{Node(type).b}, field);
  }
  fields.result = type;
  return fields;
}

// For a recursive field: the type of its induction hypothesis, or the value that a rule gives it.
ExprId Block::InductionHypothesis(ExprId field, bool value) {
  const TypeChecker::Scope scope(checker_);
  ExprList locals;
  ExprId type = checker_.Whnf(checker_.TypeOf(field));
  while (Node(type).kind == ExprKind::kForall) {
    locals.push_back(Local(ExprId{Node(type).a}));
    type = checker_.Whnf(substitution_.Instantiate(ExprId{Node(type).b}, locals.back()));
  }
  const size_t target = Applied(type);
  ExprList arguments;
  checker_.Spine(type, &arguments);
  const auto indices = All(arguments).subspan(parameters_.size());
  const ExprId major = substitution_.Apply(field, All(locals));
  if (!value) {
    const ExprId motive = substitution_.Apply(generated_[target].motive, indices);
    return substitution_.Forall(All(locals), substitution_.App(motive, major));
  }
  ExprId call = checker_.Const(RecursorName(target), recursor_levels_);
  for (const auto part : {parameters(), All(motives_), All(minors_), indices}) {
    call = substitution_.Apply(call, part);
  }
  return substitution_.Lambda(All(locals), substitution_.App(call, major));
}

NameId Block::RecursorName(size_t type) const {
  if (type < declared_.size()) return terms_.Name(types_[type].name, "rec");
  const size_t number = type - declared_.size() + 1;
  return terms_.Name(types_[0].name, "rec_" + std::to_string(number));
}

const Declaration& Block::RecursorOf(size_t type) const {
  const NameId name = RecursorName(type);
  for (const Declaration* member : members_) {
    if (member->name == name && member->As<Recursor>() != nullptr) return *member;
  }
  Reject("the recursor " + terms_.Print(name) + " is missing");
}

// Motives, minor premises, indices and major premises as locals. Source: lean4lean, mkRecInfos.
void Block::Generate() {
  k_ = IsK();
  const std::vector<NameId>& names = RecursorOf(0).level_params;
  const bool large = EliminatesIntoAll();
  std::vector<NameId> expected = level_params_;
  if (large && !names.empty()) expected.insert(expected.begin(), names[0]);
  if (names != expected || (large && names.size() != level_params_.size() + 1) ||
      (large &&
       std::find(level_params_.begin(), level_params_.end(), names[0]) != level_params_.end())) {
    Reject("its recursor has the wrong universe parameters");
  }
  recursor_levels_ = own_levels_;
  if (large) {
    elimination_level_ = levels_.Param(names[0]);
    recursor_levels_ = terms_.Cons(elimination_level_, own_levels_);
  }
  for (const BlockType& type : types_) {
    Generated it;
    ExprId rest = checker_.Whnf(type.type);
    for (const ExprId parameter : parameters_) {
      rest = checker_.Whnf(substitution_.Instantiate(ExprId{Node(rest).b}, parameter));
    }
    while (Node(rest).kind == ExprKind::kForall) {
      it.indices.push_back(Local(ExprId{Node(rest).a}));
      rest = checker_.Whnf(substitution_.Instantiate(ExprId{Node(rest).b}, it.indices.back()));
    }
    it.major = Local(
        substitution_.Apply(substitution_.Apply(type.constant, parameters()), All(it.indices)));
    const ExprId motive = substitution_.Forall(
        All(it.indices), substitution_.Forall({&it.major, 1}, checker_.Sort(elimination_level_)));
    it.motive = Local(motive);
    motives_.push_back(it.motive);
    generated_.push_back(std::move(it));
  }
  for (const BlockType& type : types_) {
    for (const BlockConstructor& constructor : type.constructors) {
      ExprId minor{};
      {
        const TypeChecker::Scope scope(checker_);
        const Fields fields = Open(constructor.type);
        ExprList hypotheses;
        for (const ExprId field : fields.recursive) {
          hypotheses.push_back(Local(InductionHypothesis(field, false)));
        }
        ExprList arguments;
        checker_.Spine(fields.result, &arguments);
        const ExprId motive = substitution_.Apply(generated_[Applied(fields.result)].motive,
                                                  All(arguments).subspan(parameters_.size()));
        const ExprId made = substitution_.Apply(constructor.applied, All(fields.all));
        minor = substitution_.Forall(
            All(fields.all),
            substitution_.Forall(All(hypotheses), substitution_.App(motive, made)));
      }
      minors_.push_back(Local(minor));
    }
  }
}

// Auxiliary types become the nested types again; over the locals for the parameters.
ExprId Block::Restore(ExprId e) {
  if (types_.size() == declared_.size()) return e;
  return substitution_.Replace(e, [&](ExprId part) {
    const ExprKind kind = Node(part).kind;
    if (kind != ExprKind::kApp && kind != ExprKind::kConst) return part;
    ExprList arguments;
    const ExprId head = checker_.Spine(part, &arguments);
    if (Node(head).kind != ExprKind::kConst) return part;
    const uint32_t type = names_.Find(Node(head).a);
    if (type == IdMap::kAbsent || type < declared_.size()) return part;
    if (arguments.size() < parameters_.size() ||
        !std::equal(parameters_.begin(), parameters_.end(), arguments.begin())) {
      Reject("a nested type is used with other parameters");  // lean4#14582
    }
    ExprId result = types_[type].applied;
    for (size_t i = parameters_.size(); i < arguments.size(); ++i) {
      result = substitution_.App(result, Restore(arguments[i]));
    }
    return result;
  });
}

ExprId Block::Rule(size_t type, size_t constructor, size_t minor) {
  const TypeChecker::Scope scope(checker_);
  const Fields fields = Open(types_[type].constructors[constructor].type);
  ExprId value = substitution_.Apply(minors_[minor], All(fields.all));
  for (const ExprId field : fields.recursive) {
    value = substitution_.App(value, InductionHypothesis(field, true));
  }
  value = substitution_.Lambda(All(fields.all), value);
  value = substitution_.Lambda(All(motives_), substitution_.Lambda(All(minors_), value));
  return substitution_.Lambda(parameters(), Restore(value));
}

void Block::CompareRecursor(size_t type) {
  const Declaration& declaration = RecursorOf(type);
  const auto& claimed = *declaration.As<Recursor>();
  const std::string name = terms_.Print(declaration.name);
  const Generated& own = generated_[type];
  std::vector<NameId> all;
  for (const Declaration* it : declared_) all.push_back(it->name);
  if (claimed.parameters != parameters_.size() || claimed.indices != own.indices.size() ||
      claimed.motives != motives_.size() || claimed.minors != minors_.size() || claimed.k != k_ ||
      claimed.is_unsafe || declaration.level_params != RecursorOf(0).level_params ||
      declaration.all != all || claimed.rules.size() != types_[type].constructors.size()) {
    Reject("the record of the recursor " + name + " is wrong");
  }
  ExprId expected = substitution_.App(substitution_.Apply(own.motive, All(own.indices)), own.major);
  expected =
      substitution_.Forall(All(own.indices), substitution_.Forall({&own.major, 1}, expected));
  expected = substitution_.Forall(All(motives_), substitution_.Forall(All(minors_), expected));
  expected = substitution_.Forall(parameters(), Restore(expected));
  if (!checker_.Same(expected, declaration.type)) {
    Reject("the type of the recursor " + name + " is wrong");
  }
  size_t minor = 0;
  for (size_t i = 0; i < type; ++i) minor += types_[i].constructors.size();
  for (size_t i = 0; i < claimed.rules.size(); ++i) {
    const BlockConstructor& constructor = types_[type].constructors[i];
    uint64_t fields = 0;
    for (ExprId e = constructor.type; Node(e).kind == ExprKind::kForall; e = ExprId{Node(e).b}) {
      ++fields;
    }
    if (claimed.rules[i].constructor != constructor.name || claimed.rules[i].fields != fields ||
        !checker_.Same(Rule(type, i, minor + i), claimed.rules[i].value)) {
      Reject("rule " + std::to_string(i + 1) + " of the recursor " + name + " is wrong");
    }
  }
}

// --- everything once more, as declared ----------------------------------------------------

// Both sides of a rule have the same type. Source: lean4#14808.
void Block::CheckRule(const Declaration& declaration, const Recursor& recursor,
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
void Block::CheckAgain() {
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

void Block::Check() {
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

}  // namespace

void CheckInductive(TypeChecker& checker, std::span<const Declaration* const> members) {
  Block(checker, members).Check();
}

}  // namespace zermelo::kernel
