// The lemmas of a recorded run, as its events tell of them: what each says, what it follows from,
// how far it got, who proved it and at what cost.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/run_journal.h"
#include "store/runs.h"

namespace zermelo::engine {

/// The kinds of events that ReadBlueprint looks at.
std::vector<std::string> BlueprintEvents();

/// {"theorems": [{"name", "line", "lemmas": [{"name", "statement", "status", "depends": [names],
/// "depth", "proof", "by", "reason", "calls", "tokens"}], "sketches": [{"of", "attempt", "lemmas",
/// "structure", "quality", "reward", "problem"}]}]}; what is not known is left out. The first lemma
/// is the theorem. Events in order; those that cannot be read are passed over.
nlohmann::json ReadBlueprint(const std::vector<store::Event>& events);

/// The same as a graph for Graphviz; an arrow leads from a lemma to what follows from it.
std::string BlueprintDot(const nlohmann::json& blueprint);

/// The same as text, a line for each lemma.
std::string BlueprintText(const nlohmann::json& blueprint);

}  // namespace zermelo::engine
