// The subgoals of a recursive decomposition as an indented tree (events: docs/runs.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "store/runs.h"

namespace zermelo::view {

/// Of a subgoal or lemma in this state, which is "proved", "false", "proving", "divided" or an
/// `open` one.
const char* MarkOf(const std::string& state, const char* open);

/// The kinds of events from which the tree is built.
std::vector<std::string> SubgoalEventKinds();

/// One tree per theorem with subgoals. Each node is a line with a mark, its name and statement, its
/// state and the reason; its sketches follow, each with its subgoals. Empty if no theorem was
/// divided. `events` must be in order; unreadable ones are skipped.
std::string DrawSubgoals(const std::vector<store::Event>& events);

/// The same as an array of nodes: {"name", "statement", "state", "why", "depth", "used",
/// "sketches":
/// [{"attempt", "refinement", "refused", "subgoals": [nodes]}]}. "used": {"calls", "samples",
/// "tokens", "checks", "lean_seconds"} for the node, without those below it; null if it is unknown.
nlohmann::json SubgoalsJson(const std::vector<store::Event>& events);

}  // namespace zermelo::view
