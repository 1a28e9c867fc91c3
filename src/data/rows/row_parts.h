// Parts that rows of different kinds share.
//
// Pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/error.h"
#include "data/material.h"
#include "data/rows/rows.h"
#include "llm/prompt/format.h"

namespace zermelo::data {

/// A text, or llm::MessagesJson.
nlohmann::json PromptJson(const std::variant<std::string, std::vector<llm::Message>>& prompt);

Row RowOf(const Origin& origin, const std::string& kind, nlohmann::json fields);

/// Equal for rows that are the same apart from their source and perplexity.
std::string ContentKey(const nlohmann::json& row);

/// Where a proof goes on.
struct Place {
  std::string prefix;  // the proof so far, a block at column 0
  std::string state;   // the goals there, as Lean prints them
};

/// The prompt for the rest of a proof. kUsage: see Format::Build.
core::Result<nlohmann::json> PromptFor(const llm::Format& format, const syntax::Theorem& theorem,
                                       const Place& place, std::optional<size_t> header_bytes);

/// The places where the proof can be cut and Lean has reported a state (DeepSeek-Prover-V1.5,
/// section 3.1), in order. The rest of the proof begins after the prefix, on a new line.
std::vector<Place> CutsOf(const ProofExample& example);

}  // namespace zermelo::data
