// What a declaration under check may mention: the environment up to it, and names that the kernel
// treats specially.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "kernel/environment.h"
#include "kernel/term/id_map.h"

namespace zermelo::kernel {

constexpr ExprId kNoExpr{UINT32_MAX};

/// The operations on natural numbers that are computed with whole numbers, in the order of
/// KnownNames::nat_operations. Source: lean4lean, reduceNat and Primitive.lean.
enum class NatOperation : uint8_t {
  kAdd,
  kSub,
  kMul,
  kPow,
  kBeq,
  kBle,
  kDiv,
  kMod,
  kGcd,
  kLand,
  kLor,
  kXor,
  kShiftLeft,
  kShiftRight,
};
constexpr size_t kNatOperations = 14;

/// Theorems that determine an operation (rules/nat_theorems.h), in the order of
/// KnownNames::nat_theorems; for each bitwise operation, the same five.
enum class NatTheorem : uint8_t {
  kDivAddMod,
  kModLt,
  kDivZero,
  kModZero,
  kGcdZeroLeft,
  kGcdRec,
  kZeroAnd,
  kAndZero,
  kAndSelf,
  kAndDivTwo,
  kAndModTwoPow,
  kZeroOr,
  kOrZero,
  kOrSelf,
  kOrDivTwo,
  kOrModTwoPow,
  kZeroXor,
  kXorZero,
  kXorSelf,
  kXorDivTwo,
  kXorModTwoPow,
};
constexpr size_t kNatTheorems = 21;

/// Names of Lean's prelude, interned before the check. view.cc says which rule each is for.
struct KnownNames {
  explicit KnownNames(Terms& terms);

  /// What a string literal abbreviates mentions these and Nat, and what makes the string.
  std::array<NameId, 5> PartsOfStrings() const { return {list, nil, cons, character, of_nat}; }
  /// `String.ofList`, in older versions of Lean `String.mk`; kAnonymous if neither is declared.
  NameId MakerOfStrings(const Environment& environment) const;

  NameId nat, zero, succ, pred, boolean, yes, no;
  NameId character, string, list, nil, cons, of_nat, of_list, make;
  NameId eq, refl, quot, quot_make, quot_lift, quot_ind;
  NameId reduce_bool, reduce_nat, eager_reduce;
  NameId opt_param, auto_param, out_param, semi_out_param;
  NameId le, le_refl, le_step;
  std::array<NameId, kNatOperations> nat_operations;
  std::array<NameId, kNatTheorems> nat_theorems;
};

/// Facts about the environment that shortcuts rely on; false: the shortcut is not taken.
struct Builtins {
  bool nat = false;  // Nat is the usual inductive type: literals mean what Lean means
  bool boolean = false;
  bool string = false;           // a string literal is a String
  bool expands_strings = false;  // namely the one that it abbreviates
  bool eq = false;
  std::array<bool, kNatOperations> operations{};
  bool cut_off = false;  // a limit was reached, so that a fact may be missing
};

/// Each declaration belongs to a unit, and units are checked in an order; those that nothing may
/// mention (unsafe and partial ones) have the rank kNever. Sources: lean4lean, addDecl' (what is
/// added was checked without itself) and inferConstant (no safe declaration mentions an unsafe or
/// partial one). Lean asks for the latter only where it checks a type; here, such a declaration is
/// never found.
class View {
 public:
  static constexpr uint32_t kNever = UINT32_MAX;

  View(const Environment& environment, const std::vector<uint32_t>& ranks)
      : environment_(environment), ranks_(ranks) {}

  /// What has a lower rank becomes visible; of the unit itself, nothing until ShowOwn. Source:
  /// lean4lean, Inductive/Add.lean: constructors and recursors are checked when the types are
  /// added.
  void MoveTo(uint32_t rank) {
    rank_ = rank;
    own_ = false;
    added_.clear();
    added_by_name_.Clear();
  }
  void ShowOwn() { own_ = true; }
  /// kNever if there is no such declaration.
  uint32_t RankOf(NameId name) const {
    const uint32_t index = environment_.IndexOf(name);
    return index == Environment::kAbsent ? kNever : ranks_[index];
  }
  /// Adds a declaration that hides one of the environment; for inductive types under check.
  void Add(Declaration declaration) {
    added_by_name_.Set(Index(declaration.name), static_cast<uint32_t>(added_.size()));
    added_.push_back(std::move(declaration));
  }
  void DropAdded() {
    added_.clear();
    added_by_name_.Clear();
  }

  /// Null if there is none that may be mentioned.
  const Declaration* Find(NameId name) const {
    if (const uint32_t at = added_by_name_.Find(Index(name)); at != IdMap::kAbsent) {
      return &added_[at];
    }
    const uint32_t index = environment_.IndexOf(name);
    if (index == Environment::kAbsent || ranks_[index] > rank_) return nullptr;
    if (ranks_[index] == kNever || (ranks_[index] == rank_ && !own_)) return nullptr;
    return &environment_.declarations()[index];
  }
  template <class T>
  const T* FindAs(NameId name) const {
    const Declaration* found = Find(name);
    return found == nullptr ? nullptr : found->As<T>();
  }
  /// Whether it belongs to an earlier unit.
  bool IsEarlier(NameId name) const {
    const uint32_t index = environment_.IndexOf(name);
    return index != Environment::kAbsent && ranks_[index] < rank_ &&
           added_by_name_.Find(Index(name)) == IdMap::kAbsent;
  }
  /// Whether it is trusted, but nothing may mention it (units.cc, LeaveOutIncomplete).
  bool IsLeftOut(NameId name) const {
    const uint32_t index = environment_.IndexOf(name);
    return index != Environment::kAbsent && ranks_[index] == kNever &&
           environment_.OriginOf(index) == Origin::kTrusted &&
           !environment_.declarations()[index].IsUnsafe();
  }
  const Environment& environment() const { return environment_; }

 private:
  const Environment& environment_;
  const std::vector<uint32_t>& ranks_;
  uint32_t rank_ = 0;
  bool own_ = false;
  std::deque<Declaration> added_;
  IdMap added_by_name_;
};

}  // namespace zermelo::kernel
