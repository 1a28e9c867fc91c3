#include "decoder/scoring.h"

#include <algorithm>
#include <cmath>

namespace zermelo::decoder {

namespace {

double LogProbability(std::span<const float> logits, Token token) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - most);
  return logits[static_cast<size_t>(token)] - most - std::log(sum);
}

}  // namespace

std::vector<double> LogProbabilities(const Decoder& decoder, std::span<const Token> tokens) {
  constexpr size_t kAtOnce = 128;  // bounds the memory for logits
  const size_t vocabulary = decoder.config().vocabulary;
  const auto predicting = tokens.first(tokens.size() - 1);
  std::vector<double> logprobs;
  Sequence sequence;
  for (size_t begin = 0; begin < predicting.size(); begin += kAtOnce) {
    const auto part = predicting.subspan(begin, std::min(kAtOnce, predicting.size() - begin));
    const Decoder::Step step{.sequence = &sequence, .tokens = {part.begin(), part.end()}};
    const std::vector<float> logits = decoder.Append({&step, 1}, Decoder::Logits::kAll);
    for (size_t i = 0; i < part.size(); ++i) {
      logprobs.push_back(
          LogProbability({&logits[i * vocabulary], vocabulary}, tokens[begin + i + 1]));
    }
  }
  return logprobs;
}

}  // namespace zermelo::decoder
