// What one compiled module offers: its declarations with readable signatures and the symbols that
// their types are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "retrieve/shape.h"
#include "trust/olean.h"

namespace zermelo::retrieve {

/// A constant in a type. It is relevant (rel of Lean's LibrarySuggestions) unless it occurs in
/// proofs and instance-implicit arguments only.
struct SymbolUse {
  NameId name = NameId::kAnonymous;
  bool relevant = false;
};

struct ModulePremise {
  NameId id = NameId::kAnonymous;
  std::string name;
  std::string kind;  // as in Premise
  std::string signature;
  std::string docstring;
  uint64_t first_line = 0;  // in the source, from 1; 0: not known
  uint64_t last_line = 0;
  bool ranked = false;             // a theorem that the symbol rankings offer
  std::vector<SymbolUse> symbols;  // of its type, if `ranked`; each name once
};

/// A theorem whose proof is in the file; also one that Lean generated.
struct ProvedTheorem {
  NameId id = NameId::kAnonymous;
  std::string name;
  std::string statement;     // as a signature
  std::vector<NameId> uses;  // constants of the proof
};

struct ModulePremises {
  std::vector<std::string> imports;
  std::vector<ModulePremise> premises;  // those that a user may want: no internal, generated or
                                        // deprecated names, no recursors
  std::vector<ProvedTheorem> proved;    // if they were asked for
  std::vector<NameId> shaped;           // constants whose shapes this module added
};

/// Reads an opened image and adds the shapes of its constants. Imports must have been read before.
core::Result<ModulePremises> ReadModulePremises(trust::OleanImage& image, trust::Terms& terms,
                                                const std::string& module, Shapes* shapes,
                                                bool with_proofs = false);

}  // namespace zermelo::retrieve
