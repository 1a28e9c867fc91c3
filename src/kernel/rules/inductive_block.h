// A block of inductive types that are declared together, and the checks of what Lean claims about
// it. Types, nested occurrences and constructors are in inductive.cc, recursors in recursors.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernel/rules/type_checker.h"

namespace zermelo::kernel {

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
struct GeneratedRecursor {
  ExprId motive{};
  ExprList indices;
  ExprId major{};
};

/// A constructor's fields as locals; those that are recursive, with their place in the block.
struct ConstructorFields {
  ExprList all;
  ExprList recursive;
  ExprId result{};
};

class InductiveBlock {
 public:
  InductiveBlock(TypeChecker& checker, std::span<const Declaration* const> members)
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

  const Declaration* Member(NameId name) const;  // of the block, or null
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
  ConstructorFields Open(ExprId type);
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
  std::vector<GeneratedRecursor> generated_;
  ExprList motives_;
  ExprList minors_;
};

}  // namespace zermelo::kernel
