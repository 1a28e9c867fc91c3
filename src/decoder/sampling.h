// Chooses the next token from logits.
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace zermelo::decoder {

struct Choice {
  int32_t token = 0;
  double logprob = 0;  // of the token in the model's distribution, before temperature and top_p
};

/// Samples from softmax(logits / temperature), restricted to the most probable tokens whose
/// probabilities add up to `top_p` (arXiv 1904.09751). Temperature 0: the most probable token.
/// The same state of `random` gives the same choice on every machine.
Choice Sample(std::span<const float> logits, double temperature, double top_p,
              std::mt19937_64& random);

}  // namespace zermelo::decoder
