// Types, weak head normal forms and definitional equality.
//
// The rules and their order follow Lean's reference implementation as lean4lean's TypeChecker.lean
// describes it; deviations are marked where they are. infer.cc holds the typing rules, reduce.cc
// the reductions, nat.cc the arithmetic of literals, equal.cc definitional equality.
#pragma once

#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/budget.h"
#include "kernel/rules/view.h"
#include "kernel/term/id_map.h"
#include "kernel/term/level.h"
#include "kernel/term/substitute.h"
#include "kernel/term/term.h"

namespace zermelo::kernel {

using ExprList = boost::container::small_vector<ExprId, 8>;

/// Judges closed terms and terms over locals that New made. Functions throw Refusal. Terms that are
/// compared or reduced have been checked before (Check), or follow from checked ones.
///
/// A local is identified by its type and by the number of binders around it, so results are cached
/// and shared between contexts; Scope opens and closes them like a stack.
class TypeChecker {
 public:
  TypeChecker(Terms& terms, View& view, const KnownNames& known, const Builtins& builtins,
              Budget& budget);

  /// To be called before each declaration: drops all caches.
  void Begin(const std::vector<NameId>& level_params);
  /// Whether, since Begin, an operation on numbers was unfolded to its definition because that has
  /// not been shown to agree with Lean's. What was rejected may then be right.
  bool missed_shortcut() const { return missed_shortcut_; }
  /// Drops all caches, for a changed view; locals stay.
  void Forget();
  size_t cache_bytes() const;

  /// While it lives, the locals that were made in it stay distinct from others.
  class Scope {
   public:
    explicit Scope(TypeChecker& checker) : checker_(checker), depth_(checker.depth_) {}
    ~Scope() { checker_.depth_ = depth_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    TypeChecker& checker_;
    uint32_t depth_;
  };
  ExprId New(ExprId type);

  /// The type of a term after checking all of it.
  ExprId Check(ExprId e) { return Infer(e, true); }
  /// The type of a term that is known to have one.
  ExprId TypeOf(ExprId e) { return Infer(e, false); }
  /// The level of the sort that a term's type is; rejects if it is none.
  LevelId SortOf(ExprId type) { return EnsureSort(TypeOf(type)); }
  LevelId CheckType(ExprId type) { return EnsureSort(Check(type)); }
  LevelId EnsureSort(ExprId e);
  bool IsProp(ExprId type) { return levels_.IsZero(SortOf(type)); }

  ExprId Whnf(ExprId e);
  bool Equal(ExprId a, ExprId b);
  /// The same term but for binder information and the form of levels; no reductions.
  bool Same(ExprId a, ExprId b);

  /// The head of nested applications, and their arguments in order.
  ExprId Spine(ExprId e, ExprList* arguments) const;
  ExprId Head(ExprId e) const;
  ExprId Const(NameId name, ListId levels) {
    return terms_.Expr({.kind = ExprKind::kConst, .a = Index(name), .b = Index(levels)});
  }
  ExprId Sort(LevelId level) { return terms_.Expr({.kind = ExprKind::kSort, .a = Index(level)}); }
  ExprId NatLiteral(StringId nat) { return terms_.Expr({.kind = ExprKind::kNat, .a = Index(nat)}); }
  /// What a string literal abbreviates: `String.ofList [Char.ofNat 97, …]`.
  ExprId ExpandString(ExprId literal);

  Terms& terms() { return terms_; }
  View& view() { return view_; }
  const KnownNames& known() const { return known_; }
  Levels& levels() { return levels_; }
  Substitution& substitution() { return substitution_; }
  Budget& budget() { return budget_; }
  const std::vector<NameId>& level_params() const { return level_params_; }

  /// The type of a constant with its parameters replaced.
  ExprId ConstType(ExprId constant, const Declaration& declaration);
  /// A non-recursive inductive type without indices, with one constructor; null otherwise.
  const Inductive* Structure(NameId name) const;

 private:
  const ExprNode& Node(ExprId e) const { return terms_[e]; }
  bool IsConst(ExprId e, NameId name) const {
    return Node(e).kind == ExprKind::kConst && Node(e).a == Index(name);
  }

  // infer.cc
  ExprId Infer(ExprId e, bool check);
  ExprId InferNew(ExprId e, bool check);
  ExprId InferConst(ExprId e, bool check);
  ExprId InferApp(ExprId e, bool check);
  ExprId InferLambda(ExprId e, bool check);
  ExprId InferForall(ExprId e, bool check);
  ExprId InferLet(ExprId e, bool check);
  ExprId InferProj(ExprId e, bool check);
  ExprId InferLiteral(ExprId e) const;
  void CheckLevels(ListId levels);
  void CheckLevel(LevelId level);

  // reduce.cc
  ExprId WhnfCore(ExprId e, bool cheap);
  ExprId WhnfCoreNew(ExprId e, bool cheap);
  ExprId Beta(ExprId lambda, std::span<const ExprId> arguments);
  ExprId ReduceProj(ExprId e, bool cheap);
  ExprId ReduceProjOf(ExprId projection, ExprId reduced);
  ExprId ReduceRecursor(ExprId head, std::span<const ExprId> arguments);
  ExprId ReduceQuotient(const Quotient& quotient, std::span<const ExprId> arguments);
  ExprId ToConstructorByK(NameId inductive, const Recursor& recursor, ExprId major);
  ExprId ToConstructorByEta(NameId inductive, ExprId major);
  /// Whether it is a string literal that ExpandString may replace.
  bool Abbreviates(ExprId e) const {
    return Node(e).kind == ExprKind::kString && builtins_.expands_strings;
  }
  NameId MajorInductive(const Declaration& declaration, const Recursor& recursor);
  /// The declaration that the head unfolds to, or null.
  const Declaration* Unfoldable(ExprId e) const;
  ExprId Unfold(ExprId e);
  void RefuseCompiled(ExprId e) const;

  // nat.cc
  ExprId ReduceNat(ExprId e);
  ExprId Compute(NatOperation operation, StringId a, StringId b);
  /// The number of a literal or of Nat.zero.
  std::optional<StringId> AsNat(ExprId e) const;
  /// What `e` is the successor of, or kNoExpr.
  ExprId Predecessor(ExprId e);
  std::string_view Limited(StringId number);
  ExprId NatConstructor(ExprId literal);

  // equal.cc
  bool SameIn(ExprId a, ExprId b, IdMap& done);
  enum class Answer : uint8_t { kNo, kYes, kUnknown };
  static Answer ToAnswer(bool yes) { return yes ? Answer::kYes : Answer::kNo; }
  bool EqualNew(ExprId a, ExprId b);
  Answer EqualQuickly(ExprId a, ExprId b);
  bool EqualBinders(ExprId a, ExprId b);
  bool EqualArguments(ExprId a, ExprId b);
  bool EqualApps(ExprId a, ExprId b);
  Answer EqualProofs(ExprId a, ExprId b);
  Answer EqualOffsets(ExprId a, ExprId b);
  Answer LazyDelta(ExprId* a, ExprId* b);
  Answer LazyDeltaStep(ExprId* a, ExprId* b, bool* stuck);
  bool EqualProjections(ExprId a, ExprId b);
  bool EqualByEta(ExprId lambda, ExprId other);
  bool HasAType(ExprId projection);
  bool EqualByStructureEta(ExprId any, ExprId constructor);
  Answer EqualByString(ExprId literal, ExprId other);
  bool EqualUnits(ExprId a, ExprId b);

  Terms& terms_;
  View& view_;
  const KnownNames& known_;
  const Builtins& builtins_;
  Budget& budget_;
  Levels levels_;
  Substitution substitution_;
  std::vector<NameId> level_params_;

  uint32_t depth_ = 0;
  bool missed_shortcut_ = false;
  bool eager_ = false;  // inside `eagerReduce`: arithmetic is computed in open terms, too
  IdMap inferred_[2];   // without and with checks
  IdMap whnf_core_;
  IdMap whnf_;
  IdMap const_types_;
  IdMap unfolded_;
  IdMap rules_;  // (constant, number of the rule): right-hand side
  IdMap equal_;  // pairs in both orders
  IdMap different_arguments_;
  IdMap checked_levels_;
};

}  // namespace zermelo::kernel
