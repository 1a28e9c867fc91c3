// The lemmas of a recorded run, read from its events: statement, dependencies, status, and which
// prover proved each at what cost.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/events.h"
#include "store/runs.h"

namespace zermelo::view {

namespace event = record::event;

/// The kinds of events that ReadBlueprint uses.
std::vector<std::string> BlueprintEvents();

/// {"theorems": [{"name", "line", "lemmas": [{"name", "statement", "status", "depends": [names],
/// "depth", "proof", "by", "reason", "calls", "tokens"}], "sketches": [{"of", "attempt", "lemmas",
/// "structure", "quality", "reward", "problem"}]}]}; unknown fields are left out. The first lemma
/// is the theorem itself. `events`: in order of their numbers; unreadable ones are skipped.
nlohmann::json ReadBlueprint(const std::vector<store::Event>& events);

/// A Graphviz graph of a blueprint; arrows lead from a lemma to the lemmas that use it.
std::string BlueprintDot(const nlohmann::json& blueprint);

/// A blueprint as text, one line per lemma and sketch.
std::string BlueprintText(const nlohmann::json& blueprint);

}  // namespace zermelo::view
