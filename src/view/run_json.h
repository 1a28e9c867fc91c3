// The JSON of recorded runs. `--json` prints it, and the page and editors read it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "store/runs.h"
#include "syntax/goal/goal.h"

namespace zermelo::view {

/// A stored text as JSON; null if it is not JSON.
nlohmann::json Parsed(const std::string& text);

/// The run with this number. kUsage if there is none.
core::Result<store::Run> FindRun(store::Runs& runs, int64_t id);
/// All events of these kinds (empty: of all kinds).
core::Result<std::vector<store::Event>> AllEvents(store::Runs& runs, int64_t run,
                                                  const std::vector<std::string>& kinds);

/// {"id", "started", "state", "file", "seconds", "strategy", "dollars", "proved", "theorems"}; the
/// last three are null while they are unknown. "dollars" grows while the run goes on.
nlohmann::json SummaryJson(const store::Run& run);

/// What a run was asked for, without what its file imports: that is long, and other files have it.
nlohmann::json ShownRequest(const store::Run& run);

/// A run with everything but its events: the summary, "program", "lean", "request"
/// (ShownRequest), "results" (one for each theorem: engine::TheoremResult as JSON, always with
/// "message", without "proofs"), "events" (their numbers by kind), "subgoals" (subgoal_tree.h),
/// "blueprint" (blueprint.h), and what it has used so far: "roles" (llm::Spending; missing while it
/// is unknown), their sum "spent" (with "tokens", those of prompts and completions), "checks" and
/// "lean_seconds" of the search and, as "lean_by_role", of each role in it (lean::RoleUse); null
/// while they are unknown.
core::Result<nlohmann::json> RunJson(store::Runs& runs, const store::Run& run);

/// An event as one object: its number, time, kind and fields, a model's "request", and the reply as
/// "answer"; a new state also as "structured" goals (syntax::GoalJson), and the arms of a selection
/// with their "bonus". Requests and answers of more than `limit` bytes are left out, and "cut" is
/// true.
nlohmann::json EventJson(const store::Event& event, size_t limit = SIZE_MAX);

/// What the tactics of a run's new states changed.
class StepChanges {
 public:
  /// Adds "change" (syntax::ChangeJson) to a new state whose parent has been passed before, or is
  /// the theorem itself. Takes the objects of EventJson in their order.
  void AddTo(nlohmann::json& event);

 private:
  using Node = std::pair<int64_t, int64_t>;  // tree and number
  syntax::ProofState* ParentOf(const Node& node);
  void NoteRoot(const nlohmann::json& checked);

  std::map<Node, syntax::ProofState> states_;  // of the current theorem
  bool next_check_is_of_root_ = false;
  std::optional<syntax::ProofState> root_;  // of its searches, unless these may be of its parts
};

}  // namespace zermelo::view
