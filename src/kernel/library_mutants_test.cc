// Real declarations of the embedded Lean's library, changed in one place so that they are wrong:
// all are rejected. A program of its own (test e2e.library_mutants), with the embedded Lean in
// $ZERMELO_EMBEDDED. With $ZERMELO_TEST_ALL there are many more of them, also of Std and Lean.
//
// That a mutant is wrong does not rest on the kernel. Terms have one type up to definitional
// equality, so where an argument, whose type is the function's domain, is replaced by a term of
// another type, the application has no type. `Change` says for each change why the types differ:
//   - one of them is that of an axiom which nothing mentions, so no type of the library reduces to
//     it;
//   - or their heads differ, and neither can be unfolded: sorts of different levels, a sort, a
//     function type, inductive types of different names.
// The record, the recursors' types and the rules of an inductive type follow from its constructors,
// so any other ones are wrong.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "kernel/check.h"
#include "kernel/olean/imports.h"
#include "kernel/testing/mutants.h"

namespace zermelo::kernel {
namespace {

using Child = uint32_t ExprNode::*;

/// Calls f(member, whether it has one binder more around it) for each child of a node.
template <class F>
void ForEachPart(const ExprNode& node, F f) {
  switch (node.kind) {
    case ExprKind::kApp:
      f(&ExprNode::a, false);
      f(&ExprNode::b, false);
      return;
    case ExprKind::kLambda:
    case ExprKind::kForall:
      f(&ExprNode::a, false);
      f(&ExprNode::b, true);
      return;
    case ExprKind::kLet:
      f(&ExprNode::a, false);
      f(&ExprNode::b, false);
      f(&ExprNode::c, true);
      return;
    case ExprKind::kProj:
      f(&ExprNode::c, false);
      return;
    default:
      return;
  }
}

/// An application in a term, with the types of the binders around it.
struct Place {
  std::vector<std::pair<ExprId, Child>> path;  // from the root
  ExprId at{};
  std::vector<ExprId> binders;
};

/// The same in every run and with every standard library.
class Dice {
 public:
  size_t Below(size_t n) { return static_cast<size_t>(engine_() % n); }
  double Fraction() { return static_cast<double>(engine_() >> 11U) * 0x1.0p-53; }

 private:
  std::mt19937_64 engine_{20261126};
};

class TermMutator {
 public:
  TermMutator(const Environment& library, Dice& dice)
      : library_(library), terms_(library.terms()), dice_(dice) {
    marker_ = Const("zermelo_marker");
    nat_ = Const("Nat");
    string_ = Const("String");
    unknown_sort_ = Sort(terms_.Level({LevelKind::kParam, Index(terms_.ParseName("unknown"))}));
    for (uint32_t i = 0; i < library.declarations().size(); ++i) {
      if (!library.declarations()[i].IsUnsafe()) constants_.push_back(i);
    }
  }

  /// The axiom of a type that nothing in the library mentions.
  ExprId marker() const { return marker_; }

  /// A term that is wrong, or nullopt if this attempt found none. `why`: the change.
  std::optional<ExprId> Wrong(ExprId root, std::string* why) {
    const auto place = Pick(root);
    if (!place) return std::nullopt;
    const auto changed = Change(*place, why);
    if (!changed) return std::nullopt;
    return Rebuilt(*place, *changed);
  }

  /// Another term, perhaps with the same type.
  std::optional<ExprId> Other(ExprId root, std::string* why) {
    const auto place = Pick(root);
    if (!place) return std::nullopt;
    const ExprNode app = terms_[place->at];
    const ExprId function{app.a}, argument{app.b};
    *why = "the term is another";
    switch (dice_.Below(4)) {
      case 0:
        return Rebuilt(*place, function);
      case 1:
        return Rebuilt(*place, argument);
      case 2: {
        const ExprNode inner = terms_[function];
        if (inner.kind != ExprKind::kApp || inner.b == app.b) return std::nullopt;
        return Rebuilt(*place, App(App(ExprId{inner.a}, argument), ExprId{inner.b}));
      }
      default: {
        if (terms_[argument].kind != ExprKind::kBVar || place->binders.size() < 2)
          return std::nullopt;
        const ExprId other = BVar(dice_.Below(place->binders.size()));
        if (other == argument) return std::nullopt;
        return Rebuilt(*place, App(function, other));
      }
    }
  }

  /// Whether it can be shown, without any reduction, that these are no definitionally equal types.
  bool Differ(ExprId a, ExprId b, int depth = 8) const {
    const Head left = HeadOf(a), right = HeadOf(b);
    if (left.kind == Head::kUnknown || right.kind == Head::kUnknown || depth == 0) return false;
    if (left.kind != right.kind) return true;
    switch (left.kind) {
      case Head::kInductive:
        return left.name != right.name;
      case Head::kSort: {
        const auto first = Numeral(LevelId{terms_[a].a}), second = Numeral(LevelId{terms_[b].a});
        return first && second && *first != *second;
      }
      case Head::kFunction:
        return Differ(ExprId{terms_[a].a}, ExprId{terms_[b].a}, depth - 1) ||
               Differ(ExprId{terms_[a].b}, ExprId{terms_[b].b}, depth - 1);
      case Head::kUnknown:
        return false;
    }
    return false;
  }

 private:
  struct Head {
    enum Kind { kUnknown, kSort, kFunction, kInductive } kind = kUnknown;
    NameId name = NameId::kAnonymous;
  };

  ExprId Const(const char* name) {
    return terms_.Expr({.kind = ExprKind::kConst, .a = Index(terms_.ParseName(name))});
  }
  ExprId Sort(LevelId level) { return terms_.Expr({.kind = ExprKind::kSort, .a = Index(level)}); }
  ExprId App(ExprId function, ExprId argument) {
    return terms_.Expr({.kind = ExprKind::kApp, .a = Index(function), .b = Index(argument)});
  }
  ExprId BVar(size_t index) {
    return terms_.Expr({.kind = ExprKind::kBVar, .a = static_cast<uint32_t>(index)});
  }
  ExprId With(ExprNode node, Child part, ExprId value) {
    ExprNode copy{.kind = node.kind, .info = node.info, .a = node.a, .b = node.b, .c = node.c};
    copy.*part = Index(value);
    return terms_.Expr(copy);
  }

  std::optional<uint64_t> Numeral(LevelId level) const {
    uint64_t value = 0;
    for (; terms_[level].kind == LevelKind::kSucc; level = LevelId{terms_[level].a}) ++value;
    if (terms_[level].kind != LevelKind::kZero) return std::nullopt;
    return value;
  }

  ExprId FunctionOf(ExprId e, size_t* arguments) const {
    *arguments = 0;
    for (; terms_[e].kind == ExprKind::kApp; e = ExprId{terms_[e].a}) ++*arguments;
    return e;
  }

  Head HeadOf(ExprId type) const {
    if (terms_[type].kind == ExprKind::kSort) return {Head::kSort};
    if (terms_[type].kind == ExprKind::kForall) return {Head::kFunction};
    size_t ignored = 0;
    const ExprNode& head = terms_[FunctionOf(type, &ignored)];
    if (head.kind != ExprKind::kConst) return {};
    const Declaration* declaration = library_.Find(NameId{head.a});
    if (declaration == nullptr || declaration->As<Inductive>() == nullptr) return {};
    return {Head::kInductive, declaration->name};
  }

  /// The type of a term as far as it is written down somewhere; of bound variables and universe
  /// parameters only where they stand is known.
  std::optional<ExprId> TypeOf(ExprId e, const std::vector<ExprId>& binders) {
    const ExprNode node = terms_[e];
    switch (node.kind) {
      case ExprKind::kNat:
        return nat_;
      case ExprKind::kString:
        return string_;
      case ExprKind::kSort:
        return Sort(terms_.Level({LevelKind::kSucc, node.a}));
      case ExprKind::kForall:
        return unknown_sort_;
      case ExprKind::kBVar:
        if (node.a >= binders.size()) return std::nullopt;
        return binders[binders.size() - 1 - node.a];
      case ExprKind::kConst:
      case ExprKind::kApp: {
        size_t arguments = 0;
        const ExprNode head = terms_[FunctionOf(e, &arguments)];
        if (head.kind != ExprKind::kConst) return std::nullopt;
        const Declaration* declaration = library_.Find(NameId{head.a});
        if (declaration == nullptr) return std::nullopt;
        ExprId type = declaration->type;
        for (; arguments > 0; --arguments) {
          if (terms_[type].kind != ExprKind::kForall) return std::nullopt;
          type = ExprId{terms_[type].b};
        }
        return type;
      }
      default:
        return std::nullopt;
    }
  }

  bool HaveDifferentTypes(ExprId a, ExprId b, const std::vector<ExprId>& binders) {
    const auto left = TypeOf(a, binders), right = TypeOf(b, binders);
    return left && right && Differ(*left, *right);
  }

  /// How many applications a term has, shared ones as often as they occur.
  double Applications(ExprId root) {
    if (const auto found = counts_.find(root); found != counts_.end()) return found->second;
    const ExprNode node = terms_[root];
    double count = node.kind == ExprKind::kApp ? 1 : 0;
    ForEachPart(node, [&](Child part, bool) { count += Applications(ExprId{node.*part}); });
    counts_[root] = std::min(count, 1e300);
    return counts_[root];
  }

  /// One of them, each with the same probability.
  std::optional<Place> Pick(ExprId root) {
    Place place;
    place.at = root;
    double chosen = dice_.Fraction() * Applications(root);
    for (;;) {
      const ExprNode node = terms_[place.at];
      if (node.kind == ExprKind::kApp) {
        if (chosen < 1) return place;
        chosen -= 1;
      }
      bool descended = false;
      ForEachPart(node, [&](Child part, bool bound) {
        if (descended) return;
        const double here = Applications(ExprId{node.*part});
        if (chosen >= here) {
          chosen -= here;
          return;
        }
        place.path.emplace_back(place.at, part);
        if (bound) place.binders.push_back(ExprId{node.a});
        place.at = ExprId{node.*part};
        descended = true;
      });
      if (!descended) return std::nullopt;
    }
  }

  ExprId Rebuilt(const Place& place, ExprId changed) {
    for (auto step = place.path.rbegin(); step != place.path.rend(); ++step)
      changed = With(terms_[step->first], step->second, changed);
    return changed;
  }

  /// The application at a place with something that makes it wrong.
  std::optional<ExprId> Change(const Place& place, std::string* why) {
    const ExprNode app = terms_[place.at];
    const ExprId function{app.a}, argument{app.b};
    const auto instead = [&](ExprId other) { return std::optional(App(function, other)); };
    switch (dice_.Below(9)) {
      case 0:
        *why = "an argument has a type that nothing mentions";
        return instead(marker_);
      case 1: {
        *why = "an argument is a constant of another type";
        const Declaration& other = RandomConstant();
        if (!other.level_params.empty()) return std::nullopt;
        const ExprId constant = terms_.Expr({.kind = ExprKind::kConst, .a = Index(other.name)});
        if (!HaveDifferentTypes(argument, constant, place.binders)) return std::nullopt;
        return instead(constant);
      }
      case 2: {
        *why = "an argument is a bound variable of another type";
        if (place.binders.empty()) return std::nullopt;
        const ExprId variable = BVar(dice_.Below(place.binders.size()));
        if (!HaveDifferentTypes(argument, variable, place.binders)) return std::nullopt;
        return instead(variable);
      }
      case 3: {
        *why = "two arguments of different types are swapped";
        const ExprNode inner = terms_[function];
        if (inner.kind != ExprKind::kApp ||
            !HaveDifferentTypes(ExprId{inner.b}, argument, place.binders))
          return std::nullopt;
        return App(App(ExprId{inner.a}, argument), ExprId{inner.b});
      }
      case 4:
        return ChangeFunction(place, why);
      case 5:
        return ChangeArguments(place, why);
      case 6:
        return ChangeLevels(place, why);
      default:
        return ChangeKind(place, why);
    }
  }

  const Declaration& RandomConstant() {
    return library_.declarations()[constants_[dice_.Below(constants_.size())]];
  }

  /// A function that is a constant becomes one whose domain is another type, or no function.
  std::optional<ExprId> ChangeFunction(const Place& place, std::string* why) {
    *why = "the function is another";
    const ExprNode app = terms_[place.at];
    const ExprNode head = terms_[ExprId{app.a}];
    if (head.kind != ExprKind::kConst) return std::nullopt;
    const Declaration* before = library_.Find(NameId{head.a});
    const Declaration& after = RandomConstant();
    if (before == nullptr || terms_[before->type].kind != ExprKind::kForall ||
        before->level_params.size() != after.level_params.size())
      return std::nullopt;
    const Head target = HeadOf(after.type);
    const bool no_function = target.kind == Head::kSort || target.kind == Head::kInductive;
    const bool other_domain = target.kind == Head::kFunction &&
                              Differ(ExprId{terms_[before->type].a}, ExprId{terms_[after.type].a});
    if (!no_function && !other_domain) return std::nullopt;
    return App(terms_.Expr({.kind = ExprKind::kConst, .a = Index(after.name), .b = head.b}),
               ExprId{app.b});
  }

  /// An argument that is an inductive type's or a sort's gets an argument, or lacks its last.
  std::optional<ExprId> ChangeArguments(const Place& place, std::string* why) {
    const ExprNode app = terms_[place.at];
    const ExprId argument{app.b};
    const auto type = TypeOf(argument, place.binders);
    if (!type) return std::nullopt;
    const Head head = HeadOf(*type);
    if (head.kind != Head::kSort && head.kind != Head::kInductive) return std::nullopt;
    const bool less = terms_[argument].kind == ExprKind::kApp && dice_.Below(2) == 0;
    *why = less ? "an argument lacks an argument" : "an argument that is no function is applied";
    return App(ExprId{app.a}, less ? ExprId{terms_[argument].a} : App(argument, marker_));
  }

  /// A constant gets a universe too many or too few; a sort becomes the next.
  std::optional<ExprId> ChangeLevels(const Place& place, std::string* why) {
    const ExprNode app = terms_[place.at];
    const bool in_function = dice_.Below(2) == 0;
    const ExprId changed{in_function ? app.a : app.b};
    const ExprNode node = terms_[changed];
    const auto with = [&](ExprId other) {
      return With(app, in_function ? &ExprNode::a : &ExprNode::b, other);
    };
    if (node.kind == ExprKind::kSort && !in_function) {
      *why = "an argument is a larger universe";
      return with(Sort(terms_.Level({LevelKind::kSucc, node.a})));
    }
    if (node.kind != ExprKind::kConst) return std::nullopt;
    const ListId levels{node.b};
    const bool less = levels != ListId::kNil && dice_.Below(2) == 0;
    *why = less ? "a constant lacks a universe" : "a constant has a universe too many";
    const ListId other = less ? terms_[levels].tail : terms_.Cons(LevelId::kZero, levels);
    return with(terms_.Expr({.kind = ExprKind::kConst, .a = node.a, .b = Index(other)}));
  }

  /// An argument becomes something of another kind.
  std::optional<ExprId> ChangeKind(const Place& place, std::string* why) {
    const ExprNode app = terms_[place.at];
    const ExprNode node = terms_[ExprId{app.b}];
    ExprNode other{.kind = node.kind, .info = node.info, .a = node.a, .b = node.b, .c = node.c};
    switch (node.kind) {
      case ExprKind::kLambda:
        *why = "a function is a function type";
        other.kind = ExprKind::kForall;
        break;
      case ExprKind::kForall:
        *why = "a function type is a function";
        other.kind = ExprKind::kLambda;
        break;
      case ExprKind::kNat:
        *why = "a number is a text";
        other = {.kind = ExprKind::kString, .a = Index(terms_.String("text"))};
        break;
      case ExprKind::kString:
        *why = "a text is a number";
        other = {.kind = ExprKind::kNat, .a = Index(terms_.Nat(7))};
        break;
      case ExprKind::kProj:
        if (dice_.Below(2) == 0) {
          *why = "a projection names a field that is not there";
          other.b = 1000;
        } else {
          *why = "a projection names another structure";
          other.a =
              Index(terms_.ParseName(terms_.ParseName("Prod") == NameId{node.a} ? "And" : "Prod"));
        }
        break;
      default:
        return std::nullopt;
    }
    return App(ExprId{app.a}, terms_.Expr(other));
  }

  const Environment& library_;
  Terms& terms_;
  Dice& dice_;
  ExprId marker_{}, nat_{}, string_{}, unknown_sort_{};
  std::vector<uint32_t> constants_;  // positions of those that may be mentioned
  std::unordered_map<ExprId, double> counts_;
};

/// Copies of the library's declarations under new names, right and wrong ones, judged together.
class Trial {
 public:
  Trial(const Environment& library, Dice& dice)
      : terms_(library.terms()),
        dice_(dice),
        mutator_(library, dice),
        environment_(library.terms()) {
    for (const Declaration& declaration : library.declarations())
      environment_.Add(declaration, Origin::kTrusted);
  }

  /// Adds a copy of a definition, theorem, opaque constant or axiom, and up to `count` mutants.
  void AddSingle(const Declaration& original, size_t count) {
    const size_t twin = Start("nothing is changed", original.name, kNone);
    AddCopy(original);
    std::unordered_set<uint64_t> seen;
    for (size_t i = 0; i < count; ++i) {
      std::string why;
      const auto mutant = SingleMutant(original, &why);
      if (!mutant || !seen.insert(Key(*mutant)).second) continue;
      Start(why, original.name, twin);
      AddCopy(*mutant);
    }
  }

  /// Adds a copy of a block of inductive types, and up to `count` mutants.
  void AddBlock(const std::vector<Declaration>& block, size_t count) {
    const size_t twin = Start("nothing is changed", block[0].name, kNone);
    AddRenamed(block);
    for (size_t i = 0; i < count; ++i) {
      std::vector<Declaration> mutant = block;
      std::string why;
      if (!ChangeMember(mutant[dice_.Below(mutant.size())], &why)) continue;
      Start(why, block[0].name, twin);
      AddRenamed(mutant);
    }
  }

  /// Judges all, and reports mutants that were not rejected although their original is accepted.
  void Judge() {
    CheckOptions options;
    options.order = Order::kByDependence;
    options.limits.time = std::chrono::minutes(10);
    options.keep_going = true;
    std::vector<Decision> outcomes(cases_.size(), Decision::kAccepted);
    options.on_verdict = [&](const CheckReport& verdict) {
      const auto found = case_of_.find(verdict.declaration);
      ASSERT_NE(found, case_of_.end()) << terms_.Print(verdict.declaration);
      Decision& outcome = outcomes[found->second];
      if (outcome != Decision::kRejected) outcome = verdict.outcome;
      reasons_[found->second] = verdict.reason;
    };
    Check(environment_, options);
    for (size_t i = 0; i < cases_.size(); ++i) {
      const Case& it = cases_[i];
      if (it.twin == kNone) {
        ++(outcomes[i] == Decision::kAccepted ? accepted_twins_ : refused_twins_);
        continue;
      }
      if (outcomes[it.twin] != Decision::kAccepted) continue;
      ++by_change_[it.why];
      ++mutants_;
      EXPECT_EQ(Name(outcomes[i]), std::string("rejected"))
          << terms_.Print(it.original) << ", " << it.why << ": " << reasons_[i];
    }
  }

  size_t mutants() const { return mutants_; }
  size_t accepted_twins() const { return accepted_twins_; }
  size_t refused_twins() const { return refused_twins_; }
  const std::map<std::string, size_t>& by_change() const { return by_change_; }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  struct Case {
    std::string why;
    NameId original = NameId::kAnonymous;
    size_t twin = kNone;  // the copy without a change; kNone: it is one
  };

  size_t Start(std::string why, NameId original, size_t twin) {
    cases_.push_back({std::move(why), original, twin});
    return cases_.size() - 1;
  }

  static uint64_t Key(const Declaration& it) {
    const ExprId* value = it.Value();
    return (uint64_t{Index(it.type)} << 32U) + (value == nullptr ? 0 : Index(*value)) +
           it.level_params.size() + (uint64_t{it.info.index()} << 60U);
  }

  NameId Fresh(NameId name) const {
    return terms_.Name(name, "copy_" + std::to_string(cases_.size()));
  }

  void Add(Declaration declaration) {
    case_of_[declaration.name] = cases_.size() - 1;
    EXPECT_TRUE(environment_.Add(std::move(declaration)));
  }

  void AddCopy(Declaration copy) {
    copy.name = Fresh(copy.name);
    if (!copy.all.empty()) copy.all = {copy.name};
    Add(std::move(copy));
  }

  static ExprId* ValueOf(Declaration& it) {
    if (auto* definition = std::get_if<Definition>(&it.info)) return &definition->value;
    if (auto* theorem = std::get_if<Theorem>(&it.info)) return &theorem->value;
    auto* opaque = std::get_if<Opaque>(&it.info);
    return opaque == nullptr ? nullptr : &opaque->value;
  }

  std::optional<Declaration> SingleMutant(const Declaration& original, std::string* why) {
    Declaration mutant = original;
    ExprId* const value = ValueOf(mutant);
    switch (dice_.Below(8)) {
      case 0:
        if (value == nullptr) return std::nullopt;
        *why = "the value has a type that nothing mentions";
        *value = mutator_.marker();
        return mutant;
      case 1:
        if (value == nullptr) return std::nullopt;
        *why = "the type is one that nothing mentions";
        mutant.type =
            terms_.Expr({.kind = ExprKind::kConst, .a = Index(terms_.ParseName("ZermeloMarker"))});
        return mutant;
      case 2:
        return AsTheorem(std::move(mutant), why);
      case 3:
        *why = "a universe parameter is declared twice";
        if (mutant.level_params.empty()) return std::nullopt;
        mutant.level_params.push_back(mutant.level_params[0]);
        return mutant;
      default: {
        ExprId& changed = value != nullptr && dice_.Below(8) > 0 ? *value : mutant.type;
        const auto other = mutator_.Wrong(changed, why);
        if (!other) return std::nullopt;
        changed = *other;
        return mutant;
      }
    }
  }

  // A type of types, or a function to one, is in no case a proposition.
  std::optional<Declaration> AsTheorem(Declaration mutant, std::string* why) {
    *why = "a theorem states no proposition";
    ExprId target = mutant.type;
    while (terms_[target].kind == ExprKind::kForall) target = ExprId{terms_[target].b};
    if (mutant.Value() == nullptr || terms_[target].kind != ExprKind::kSort) return std::nullopt;
    mutant.info = Theorem{*mutant.Value()};
    return mutant;
  }

  bool ChangeMember(Declaration& member, std::string* why) {
    std::vector<Declaration> records = testing::RecordMutants(terms_, member);
    auto* recursor = std::get_if<Recursor>(&member.info);
    const size_t rules = recursor == nullptr ? 0 : recursor->rules.size();
    switch (dice_.Below(3)) {
      case 0:
        *why = "the record is another";
        member = records[dice_.Below(records.size())];
        return true;
      case 1: {
        if (rules == 0) break;
        ExprId& value = recursor->rules[dice_.Below(rules)].value;
        const auto other = mutator_.Other(value, why);
        if (other) value = *other;
        *why += " (a recursor's rule)";
        return other.has_value();
      }
      default:
        break;
    }
    const auto other =
        recursor == nullptr ? mutator_.Wrong(member.type, why) : mutator_.Other(member.type, why);
    if (other) member.type = *other;
    *why += " (a type of a block)";
    return other.has_value();
  }

  void AddRenamed(const std::vector<Declaration>& block) {
    names_.clear();
    renamed_.clear();
    for (const Declaration& member : block) {
      if (member.As<Inductive>() != nullptr) names_[member.name] = Fresh(member.name);
    }
    for (const Declaration& member : block) {
      const NameNode& name = terms_[member.name];
      const auto type = names_.find(name.prefix);
      if (member.As<Inductive>() != nullptr) continue;
      // A private constructor of a public type has another prefix.
      names_[member.name] = type == names_.end()
                                ? Fresh(member.name)
                                : terms_.Name(type->second, name.part, name.numeric);
    }
    for (Declaration member : block) {
      member.name = Renamed(member.name);
      member.type = Renamed(member.type);
      for (NameId& name : member.all) name = Renamed(name);
      if (auto* inductive = std::get_if<Inductive>(&member.info)) {
        for (NameId& name : inductive->constructors) name = Renamed(name);
      } else if (auto* constructor = std::get_if<Constructor>(&member.info)) {
        constructor->inductive = Renamed(constructor->inductive);
      } else if (auto* recursor = std::get_if<Recursor>(&member.info)) {
        for (RecursorRule& rule : recursor->rules) {
          rule.constructor = Renamed(rule.constructor);
          rule.value = Renamed(rule.value);
        }
      }
      Add(std::move(member));
    }
  }

  NameId Renamed(NameId name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? name : found->second;
  }

  ExprId Renamed(ExprId e) {
    if (const auto found = renamed_.find(e); found != renamed_.end()) return found->second;
    const ExprNode node = terms_[e];
    ExprNode copy{.kind = node.kind, .info = node.info, .a = node.a, .b = node.b, .c = node.c};
    if (node.kind == ExprKind::kConst || node.kind == ExprKind::kProj)
      copy.a = Index(Renamed(NameId{node.a}));
    ForEachPart(node, [&](Child part, bool) { copy.*part = Index(Renamed(ExprId{node.*part})); });
    return renamed_[e] = terms_.Expr(copy);
  }

  Terms& terms_;
  Dice& dice_;
  TermMutator mutator_;
  Environment environment_;
  std::vector<Case> cases_;
  std::unordered_map<NameId, size_t> case_of_;  // by the name of a copy
  std::unordered_map<size_t, std::string> reasons_;
  std::unordered_map<NameId, NameId> names_;    // of one renaming
  std::unordered_map<ExprId, ExprId> renamed_;  // of one renaming
  size_t mutants_ = 0, accepted_twins_ = 0, refused_twins_ = 0;
  std::map<std::string, size_t> by_change_;
};

/// The members of the block whose first type this is; empty if the library lacks one of them.
std::vector<Declaration> BlockOf(const Environment& library, const Declaration& first) {
  Terms& terms = library.terms();
  std::vector<Declaration> block;
  bool complete = true;
  const auto take = [&](NameId name) {
    const Declaration* found = library.Find(name);
    if (found == nullptr || found->IsUnsafe()) complete = false;
    if (found != nullptr) block.push_back(*found);
  };
  for (const NameId type : first.all) {
    take(type);
    if (block.empty() || block.back().As<Inductive>() == nullptr) return {};
    for (const NameId constructor : std::vector(block.back().As<Inductive>()->constructors))
      take(constructor);
    take(terms.Name(type, "rec"));
  }
  for (uint64_t i = 1; i <= first.As<Inductive>()->nested; ++i)
    take(terms.Name(first.name, "rec_" + std::to_string(i)));
  return complete ? block : std::vector<Declaration>();
}

class LibraryMutants : public ::testing::Test {
 protected:
  LibraryMutants() : library_(terms_) {}

  // All that these modules and their imports declare.
  void Read(const std::vector<const char*>& modules) {
    const char* embedded = std::getenv("ZERMELO_EMBEDDED");
    ASSERT_NE(embedded, nullptr) << "the folder `embedded`";
    Library files({std::filesystem::path(embedded) / "lib" / "lean"});
    std::vector<NameId> names;
    for (const char* module : modules) names.push_back(terms_.ParseName(module));
    ImportOptions options;
    options.mode = ImportOptions::Mode::kChecked;
    const auto added = AddImports(names, files, options, library_);
    ASSERT_TRUE(added) << added.error().message;
    ASSERT_FALSE(added->violation);
    const auto axiom = [&](const char* name, ExprId type) {
      Declaration declaration;
      declaration.name = terms_.ParseName(name);
      declaration.type = type;
      declaration.info = Axiom{};
      ASSERT_TRUE(library_.Add(declaration));
    };
    const LevelId one = terms_.Level({LevelKind::kSucc, Index(LevelId::kZero)});
    axiom("ZermeloMarker", terms_.Expr({.kind = ExprKind::kSort, .a = Index(one)}));
    axiom("zermelo_marker",
          terms_.Expr({.kind = ExprKind::kConst, .a = Index(terms_.ParseName("ZermeloMarker"))}));
  }

  void Judge(size_t singles, size_t blocks) {
    Dice dice;
    Trial trial(library_, dice);
    const std::vector<Declaration>& all = library_.declarations();
    while (singles > 0) {
      const Declaration& it = all[dice.Below(all.size())];
      const bool single = it.Value() != nullptr || it.As<Axiom>() != nullptr;
      if (!single || it.IsUnsafe()) continue;
      trial.AddSingle(it, 6);
      --singles;
    }
    while (blocks > 0) {
      const Declaration& it = all[dice.Below(all.size())];
      if (it.As<Inductive>() == nullptr || it.IsUnsafe() || it.all.empty() || it.all[0] != it.name)
        continue;
      if (it.name == terms_.ParseName("Bool")) continue;  // what other records are made to mention
      const std::vector<Declaration> block = BlockOf(library_, it);
      if (block.empty()) continue;
      trial.AddBlock(block, 8);
      --blocks;
    }
    trial.Judge();
    for (const auto& [change, count] : trial.by_change())
      std::printf("%7zu  %s\n", count, change.c_str());
    EXPECT_GT(trial.by_change().size(), 30U) << "every change is tried";
    std::printf("%7zu mutants of %zu declarations; %zu more are not accepted as they are\n",
                trial.mutants(), trial.accepted_twins(), trial.refused_twins());
    EXPECT_LT(trial.refused_twins() * 20, trial.accepted_twins());
    mutants_ = trial.mutants();
  }

  Terms terms_;
  Environment library_;
  size_t mutants_ = 0;
};

TEST_F(LibraryMutants, AreRejected) {
  Read({"Init"});
  Judge(12000, 1500);
  EXPECT_GT(mutants_, 25000U);
}

TEST_F(LibraryMutants, AreRejectedInTheWholeLibrary) {
  if (std::getenv("ZERMELO_TEST_ALL") == nullptr) GTEST_SKIP() << "ZERMELO_TEST_ALL is not set";
  Read({"Init", "Std", "Lean"});
  Judge(100000, 5000);
  EXPECT_GT(mutants_, 150000U);
}

}  // namespace
}  // namespace zermelo::kernel
