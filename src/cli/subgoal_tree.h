// What a strategy that divides theorems did, as an indented tree (events of docs/runs.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "store/runs.h"

namespace zermelo::cli {

/// The kinds of events that it is drawn from.
std::vector<std::string> SubgoalEventKinds();

/// One tree a theorem that has subgoals, each node a line: what became of it, its name and
/// statement, by whom; below it its sketches with their subgoals. Empty when no theorem was
/// divided. Events in their order; those that cannot be read are left out.
std::string DrawSubgoals(const std::vector<store::Event>& events);

/// The same as an array of nodes: {"name", "statement", "state", "why", "depth", "sketches":
/// [{"attempt", "refinement", "refused", "subgoals": [nodes]}]}.
nlohmann::json SubgoalsJson(const std::vector<store::Event>& events);

}  // namespace zermelo::cli
