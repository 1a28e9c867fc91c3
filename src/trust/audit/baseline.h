// The findings of an audit that a project has accepted, as a file that is committed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "trust/audit/audit.h"

namespace zermelo::trust {

/// {"declaration", "finding", "detail", "private_in", "statement"}; the last three only if they are
/// not empty.
nlohmann::json ToJson(const AuditFinding& finding);

/// The text of a baseline: one finding a line, so that branches merge. Places are left out.
std::string BaselineText(const std::vector<AuditFinding>& findings);

/// The findings of a baseline, sorted. kInput if it is malformed, or of another version.
core::Result<std::vector<AuditFinding>> ReadBaseline(const std::string& text);

struct AuditChanges {
  std::vector<AuditFinding> added;  // not in the baseline
  std::vector<AuditFinding> gone;   // in the baseline only
};
/// Both sorted.
AuditChanges CompareFindings(const std::vector<AuditFinding>& baseline,
                             const std::vector<AuditFinding>& now);

}  // namespace zermelo::trust
