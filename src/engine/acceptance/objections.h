// What the rules for the text (trust/source/source_rules.h) object to in a candidate.
#pragma once

#include <string>
#include <vector>

#include "trust/reason.h"

namespace zermelo::engine {

struct Objections {
  std::vector<trust::Reason> reasons;  // with the line; empty: no objection
  /// What there is to say instead if an independent kernel accepts the compiled candidate. Empty:
  /// it is refused whatever a kernel says, or there is no objection.
  std::vector<trust::Reason> hints;
  bool has_programs = false;  // among the hints is code that runs inside Lean
};

/// Where comments and strings could hide code, all of the text is judged. `allow_programs`: code
/// that runs inside Lean may be a hint; otherwise it is refused whatever a kernel says.
Objections ObjectionsInSource(const std::string& original, const std::string& candidate,
                              bool allow_programs = false);

}  // namespace zermelo::engine
