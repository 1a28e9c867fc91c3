// What Lean found wrong with a proof, as models are told it.
#pragma once

#include <string>
#include <vector>

#include "lean/diagnostic.h"
#include "lean/proof_site.h"

namespace zermelo::strategy {

/// The declaration as Lean saw it, with what the proof puts before it, and its errors marked there
/// (llm::MarkErrors).
std::string MarkedErrors(const lean::SiteDocument& document,
                         const std::vector<lean::Diagnostic>& diagnostics);

}  // namespace zermelo::strategy
