// Rows of training data: JSON objects with a text and the part of it that carries the loss
// (docs/training.md).
//
// Pure functions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/material.h"
#include "llm/prompt/format.h"

namespace zermelo::data {

struct Row {
  nlohmann::json json;
  std::string statement;  // StatementKey of its theorem
  std::string module;
  std::string kind;  // "proof", "proof_from_state", "tactic", "search_tactic", …
};

struct RowOptions {
  llm::Format format;
  /// Maximum number of rows per proof that begin in the middle of it, with the tactic state there.
  /// Only for formats with a place for the state and proofs that were traced.
  size_t cuts = 1;
  bool failed = false;   // also tactics that Lean refused and bad sketches, labelled as such
  bool replies = false;  // also what models wrote themselves, in the prompts that they answered
  std::optional<size_t> header_bytes;  // of what stands above the theorem (ShortHeader)
};

/// Rows for supervised training. Rows that the format cannot express are left out and counted in
/// `material.skipped`. kUsage: see Format::Build.
core::Result<std::vector<Row>> SftRows(Material& material, const RowOptions& options);

struct RlOptions {
  std::vector<llm::Format> formats;    // every prompt is written in each of them
  std::optional<size_t> header_bytes;  // as above; in the prompt only
  /// The share of prompts that begin in the middle of a known proof, with the tactic state there
  /// (DeepSeek-Prover-V1.5, figure 1): fewer, if the proofs have fewer places. 1: only these.
  double partial = 0;
  uint64_t seed = 0;    // for choosing the places
  bool guided = false;  // also prompts with what the models of runs were told (Guide)
};

/// Prompts for reinforcement learning, each with the share of samples that proved the theorem
/// (null: unknown). Attempts at the same theorem are added up, whatever the models were told. With
/// `partial`: kUsage if a format has no place for the state, kInput if no proof was traced.
core::Result<std::vector<Row>> RlRows(const Material& material, const RlOptions& options);

}  // namespace zermelo::data
