#include "trust/axioms.h"

#include <algorithm>

#include "kernel/term/names.h"

namespace zermelo::trust {

std::vector<std::string> StandardAxioms() { return {"propext", "Classical.choice", "Quot.sound"}; }

std::string AxiomName(const Terms& terms, NameId name) {
  std::string text = terms.Print(name);
  const bool is_private = kernel::PrivatePrefix(terms, name) != NameId::kAnonymous;
  const bool poses = is_private && std::ranges::count(StandardAxioms(), text) > 0;
  return poses ? terms.PrintFull(name) : text;
}

}  // namespace zermelo::trust
