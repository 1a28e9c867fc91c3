// Leaves out the rows that a model finds most and least predictable (BFS-Prover-V2, arXiv
// 2509.06493: both tails of the tactics' perplexity).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "core/error.h"
#include "data/export.h"

namespace zermelo::data {

/// exp of the mean negative log-probability of a row's tokens that carry loss, end of text
/// included, so of the loss that `train sft` reports; of all tokens of a prompt for reinforcement
/// learning. nullopt: unknown.
using Perplexity = std::function<core::Result<std::optional<double>>(const Row&)>;

/// `source`: the folder of a small model (decoder::LoadModelFolder), which computes it, or a JSONL
/// file with rows that have a `perplexity`, known by their text. A row that is longer than the
/// model's context, or not in the file, is unknown. kInput if the source cannot be read. The result
/// blocks; it fails with kUsage for a row that is a chat, which has no text, if there is a model.
core::Result<Perplexity> PerplexityFrom(const std::filesystem::path& source);

struct Tails {
  double lower = 0.1, upper = 0.1;  // shares of the rows, together below 1
};

/// Adds `perplexity` to the rows, and removes those where it is unknown and, of each kind of row,
/// the shares with the lowest and the highest.
core::Status DropTails(const Perplexity& perplexity, const Tails& tails, Filtered& filtered);

}  // namespace zermelo::data
