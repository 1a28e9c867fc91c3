// Finds what a proof depends on.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "trust/compare.h"
#include "trust/reason.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// The constants that a proof uses, directly or through the module's own constants. The walk stops
/// at imported constants.
struct Reached {
  std::vector<const Constant*> local;  // the proof itself first
  std::vector<const IndexedConstant*> imported;
  std::vector<NameId> names;     // of all of them
  std::vector<NameId> unknown;   // not declared anywhere
  std::vector<NameId> circular;  // local constants that use themselves
};

/// The names in a statement and in the local declarations that it depends on, with the constructors
/// of inductive types.
std::unordered_set<NameId> UsedByStatement(const Terms& terms, const IndexedModule& module,
                                           const Constant& constant);

class Dependencies {
 public:
  Dependencies(const Terms& terms, const IndexedModule& module, ImportedNames& imported);

  /// Collects what each constant uses. False if the module is so large, and its terms so shared,
  /// that checking would take minutes.
  bool Build();
  /// What a constant of the module depends on. Constants for which `stops` is true are left out,
  /// and their own dependencies are not followed.
  Reached From(
      const Constant& constant,
      const std::function<bool(const Constant&)>& stops = [](const auto&) { return false; });
  /// The module's constants whose own type or value mentions this name.
  std::vector<const Constant*> UsersOf(NameId name) const;
  /// The module's constants that use one of the chosen names, directly or through each other; those
  /// that are passed over do not count, nor what uses them.
  std::unordered_set<NameId> UsersThroughOthers(
      const std::function<bool(NameId)>& chosen,
      const std::function<bool(const Constant&)>& passed_over) const;
  /// Whether its type, value or a recursor rule has free variables.
  bool IsMalformed(const Constant& constant) const;

 private:
  bool CollectFrom(ExprId expr, uint32_t constant);
  void AddUse(NameId name, uint32_t constant);
  uint32_t Family(uint32_t constant) const;
  void FindCycles();

  const Terms& terms_;
  const IndexedModule& module_;
  ImportedNames& imported_;
  std::vector<std::vector<NameId>> uses_;  // by constant, each name once
  std::vector<bool> circular_;
  std::vector<uint32_t> seen_;     // by ExprId: the constant (+ 1) that saw it last
  std::vector<uint32_t> used_;     // by NameId, the same
  std::vector<uint32_t> reached_;  // by NameId: the call of From that reached it last
  uint32_t calls_ = 0;             // of From
  std::vector<ExprId> walk_;
  uint64_t work_ = 0;
};

}  // namespace zermelo::trust
