// The recursors of a block of inductive types: what they must be, compared with what is declared.
#include <algorithm>
#include <string>
#include <vector>

#include "kernel/rules/inductive_block.h"

namespace zermelo::kernel {

// Source: lean4lean, isLargeEliminator.
bool InductiveBlock::EliminatesIntoAll() {
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
bool InductiveBlock::IsK() const {
  return types_.size() == 1 && levels_.IsZero(result_level_) &&
         types_[0].constructors.size() == 1 &&
         Node(types_[0].constructors[0].type).kind != ExprKind::kForall;
}

// The locals stay until the caller's scope ends.
ConstructorFields InductiveBlock::Open(ExprId type) {
  ConstructorFields fields;
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
ExprId InductiveBlock::InductionHypothesis(ExprId field, bool value) {
  const TypeChecker::Scope scope(checker_);
  ExprList locals;
  ExprId type = checker_.Whnf(checker_.TypeOf(field));
  while (Node(type).kind == ExprKind::kForall) {
    locals.push_back(Local(ExprId{Node(type).a}));
    type = checker_.Whnf(substitution_.Instantiate(ExprId{Node(type).b}, locals.back()));
  }
  const size_t target = Applied(type);
  // What is left of an annotated type can be another type than the whole, if `optParam` is unusual.
  if (target == types_.size()) Reject("a recursive field is not of a type of its block");
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

NameId InductiveBlock::RecursorName(size_t type) const {
  if (type < declared_.size()) return terms_.Name(types_[type].name, "rec");
  const size_t number = type - declared_.size() + 1;
  return terms_.Name(types_[0].name, "rec_" + std::to_string(number));
}

const Declaration& InductiveBlock::RecursorOf(size_t type) const {
  const NameId name = RecursorName(type);
  const Declaration* member = Member(name);
  if (member != nullptr && member->As<Recursor>() != nullptr) return *member;
  Reject("the recursor " + terms_.Print(name) + " is missing");
}

// Motives, minor premises, indices and major premises as locals. Source: lean4lean, mkRecInfos.
void InductiveBlock::Generate() {
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
    GeneratedRecursor it;
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
        const ConstructorFields fields = Open(constructor.type);
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
ExprId InductiveBlock::Restore(ExprId e) {
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

ExprId InductiveBlock::Rule(size_t type, size_t constructor, size_t minor) {
  const TypeChecker::Scope scope(checker_);
  const ConstructorFields fields = Open(types_[type].constructors[constructor].type);
  ExprId value = substitution_.Apply(minors_[minor], All(fields.all));
  for (const ExprId field : fields.recursive) {
    value = substitution_.App(value, InductionHypothesis(field, true));
  }
  value = substitution_.Lambda(All(fields.all), value);
  value = substitution_.Lambda(All(motives_), substitution_.Lambda(All(minors_), value));
  return substitution_.Lambda(parameters(), Restore(value));
}

void InductiveBlock::CompareRecursor(size_t type) {
  const Declaration& declaration = RecursorOf(type);
  const auto& claimed = *declaration.As<Recursor>();
  const std::string name = terms_.Print(declaration.name);
  const GeneratedRecursor& own = generated_[type];
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

}  // namespace zermelo::kernel
