// The axioms that proofs may rest on, by name.
#pragma once

#include <string>
#include <vector>

#include "trust/terms.h"

namespace zermelo::trust {

/// The axioms that Lean's own library uses: propext, Classical.choice, Quot.sound.
std::vector<std::string> StandardAxioms();

/// The name of an axiom as users write it. A private axiom that would print as a standard one is
/// not that one, and has its full name.
std::string AxiomName(const Terms& terms, NameId name);

}  // namespace zermelo::trust
