// How probable a text is to a model.
#pragma once

#include <span>
#include <vector>

#include "decoder/decoder.h"
#include "decoder/tokenizer/tokenizer.h"

namespace zermelo::decoder {

/// The natural log-probability of each token after the first, given those before it:
/// [tokens.size() - 1]. `tokens`: from 1 to as many as the context has. Blocks.
std::vector<double> LogProbabilities(const Decoder& decoder, std::span<const Token> tokens);

}  // namespace zermelo::decoder
