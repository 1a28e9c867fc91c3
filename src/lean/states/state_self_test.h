// What a state server is asked before it is used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lean/states/state_server.h"

namespace zermelo::lean {

/// Runs whose answers are known, all from one hole of a small theorem.
std::vector<StateQuery> SelfTestQueries();
/// Whether the answer to the query with this index is the known one; nullopt: it is. Otherwise what
/// is wrong: "after the tactics of its self-test (…) it answers …".
std::optional<std::string> SelfTestComplaint(size_t query, const StateRun& run);

/// A run in the same hole that uses what is slow the first time: the index of `exact?`.
StateQuery WarmingQuery(core::Duration limit);

}  // namespace zermelo::lean
