// Compares the declarations of a candidate module with those of the original.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trust/reason.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// A module with its constants indexed by name.
struct IndexedModule {
  explicit IndexedModule(Module m);
  const Constant* Find(NameId name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : &module.constants[found->second];
  }
  Module module;
  std::unordered_map<NameId, uint32_t> by_name;
};

/// Compares declarations of two modules of one arena and everything inside the modules that they
/// depend on.
///
/// Two constants are equal if they have the same kind, universe parameters, type and fields and,
/// except for theorems, the same value (proofs of the same statement are interchangeable).
/// Expressions are equal if they are the same up to binder names and metadata, and the local
/// constants in them are equal in this sense: by content, under the same name or, if
/// they are theorems or definitions, under two auxiliary names. In the value of an original
/// definition, a `sorry` that stands for a proof equals whatever fills it; so does an auxiliary
/// theorem `f._proof_1 x y` that Lean made from such a `sorry`, since what fills it may take other
/// arguments.
class Comparison {
 public:
  Comparison(const Terms& terms, const IndexedModule& original, const IndexedModule& candidate);

  /// Adds a declaration of the original and one of the candidate to compare; Find has the result
  /// after Finish.
  void Add(const Constant& original, const Constant& candidate);
  /// Compares all added pairs.
  void Finish();

  struct Difference {
    ReasonCode code = ReasonCode::kNone;  // kNone: equal
    NameId name = NameId::kAnonymous;     // the declaration that differs, perhaps a dependency
  };
  /// The result for an added pair.
  Difference Find(const Constant& original, const Constant& candidate) const;

 private:
  struct Pair {
    const Constant* original = nullptr;
    const Constant* candidate = nullptr;
    ReasonCode code = ReasonCode::kNone;
    uint32_t cause = 0;           // the pair that differs
    std::vector<uint32_t> users;  // pairs that depend on this one
  };

  uint32_t PairOf(const Constant& original, const Constant& candidate);
  ReasonCode Compare(const Constant& o, const Constant& c);
  bool SameFields(const Constant& o, const Constant& c);
  bool SameName(NameId original, NameId candidate);
  bool IsRenamed(const Constant& o, const Constant& c);
  bool IsOfMacro(NameId name) const;
  bool SameNames(ListId original, ListId candidate);
  bool SameExpr(ExprId original, ExprId candidate, bool fill_holes);
  bool SameNode(const ExprNode& o, const ExprNode& c);
  bool IsProofHole(ExprId expr) const;
  void FindOpenProofs();
  bool IsLabelledSorry(ExprId expr) const;
  bool DependsOnAllIn(ExprId expr);

  const Terms& terms_;
  const IndexedModule& original_;
  const IndexedModule& candidate_;
  NameId sorry_ = NameId::kAnonymous;
  std::unordered_map<NameId, NameId> renamed_, renamed_back_;
  std::vector<NameId> literals_;            // what literals abbreviate
  std::unordered_set<NameId> open_proofs_;  // auxiliary theorems of the original with a `sorry`
  std::vector<Pair> pairs_;
  std::unordered_map<uint64_t, uint32_t> pair_ids_;
  uint32_t next_ = 0;

  // State of the pair under comparison.
  uint32_t current_ = 0;
  std::unordered_set<uint64_t> seen_pairs_;
  std::vector<uint32_t> seen_;  // by ExprId: the pair (+ 1) that saw the expression last
  std::vector<std::pair<ExprId, ExprId>> todo_;
  std::vector<ExprId> walk_;
};

}  // namespace zermelo::trust
