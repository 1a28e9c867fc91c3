// Learns a tokenizer from texts: byte-level BPE (Sennrich et al., arXiv 1508.07909; GPT-2).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/error.h"

namespace zermelo::train {

/// A tokenizer.json with at most `size` tokens: `<|end|>`, the 256 bytes, and the pairs that are
/// most frequent, merged one after another (ties: the smaller tokens first). Fewer if no pair is
/// left that occurs twice. kUsage: `size` is less than 257.
core::Result<nlohmann::json> LearnTokenizer(const std::vector<std::string>& texts, size_t size);

}  // namespace zermelo::train
