// Lean's errors in a proof, formatted for models.
#pragma once

#include <string>
#include <vector>

#include "lean/diagnostic.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::strategy {

/// The declaration as Lean checked it, including the commands that the proof puts before it, with
/// its errors marked in place (llm::MarkErrors).
std::string MarkedErrors(const syntax::SiteDocument& document,
                         const std::vector<lean::Diagnostic>& diagnostics);

}  // namespace zermelo::strategy
