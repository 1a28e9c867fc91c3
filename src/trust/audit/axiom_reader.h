// Computes the axioms that each constant of compiled modules depends on, directly or not.
//
// Every object of a module's file is visited once: the axioms of an expression are those of its
// parts, and those of a constant are known before an expression that mentions it. So modules are
// read after those that they import, and no terms are built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "kernel/olean/olean.h"
#include "trust/audit/axiom_sets.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// What one constant of a module depends on.
struct ConstantAxioms {
  AxiomSets::Id axioms = AxiomSets::kEmpty;  // elements are the Index of a NameId of terms()
  bool mentions_sorry = false;               // its own type or value has `sorryAx`
};

class AxiomReader {
 public:
  AxiomReader();

  /// Computes the axioms of the constants of an opened module, in their order; what they mention is
  /// looked up among the modules that were read before, and in this one. The axioms that
  /// `native_decide` made for `D` count as one, `D._native.native_decide`; `Lean.reduceBool` and
  /// `Lean.reduceNat` count as axioms. kInput if the file is malformed.
  core::Result<std::vector<ConstantAxioms>> Read(OleanImage& image,
                                                 const kernel::ModuleObjects& module);

  Terms& terms() { return terms_; }
  const AxiomSets& sets() const { return sets_; }

 private:
  friend class ModuleWalk;
  enum class State : uint8_t { kUndeclared, kNew, kOpen, kDone };
  /// What is known of a name. While it is open, `axioms` is what the last pass found.
  struct Known {
    AxiomSets::Id axioms = AxiomSets::kEmpty;
    uint32_t local = 0;  // its number in the module that is being read
    State state = State::kUndeclared;
  };

  Terms terms_;
  AxiomSets sets_;
  std::vector<Known> known_;  // by NameId
  NameId sorry_;
};

}  // namespace zermelo::trust
