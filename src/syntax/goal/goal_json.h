// Proof states and their changes as JSON, for every answer that has them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "syntax/goal/goal_change.h"

namespace zermelo::syntax {

/// {"hypotheses": [{"names", "type"[, "value"]}], "target"[, "case"][, "conv": true]}
nlohmann::json GoalJson(const Goal& goal);

/// {"closed": [goal], "goals": [{"before", "after"[, "added"][, "removed"][, "changed"]
/// [, "target"]}]}: numbers of goals from 0, hypotheses as above, "changed" as {"before", "after"},
/// and the new target if it is another.
nlohmann::json ChangeJson(const StateChange& change, const ProofState& after);

}  // namespace zermelo::syntax
