// Divides a text into pieces that a tokenizer encodes one by one, as the `pre_tokenizer` of
// Hugging Face's tokenizer.json says.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace zermelo::decoder {

class PreTokenizer {
 public:
  /// Understands ByteLevel, Split with a pattern and the behavior Isolated, and sequences of these.
  /// kInput for all others.
  static core::Result<PreTokenizer> Create(const nlohmann::json& json);
  PreTokenizer(PreTokenizer&&) noexcept;
  PreTokenizer& operator=(PreTokenizer&&) noexcept;
  ~PreTokenizer();

  /// The pieces, whose concatenation is `text`. A byte that is not valid UTF-8 belongs to no match.
  std::vector<std::string_view> Divide(std::string_view text) const;

 private:
  class Pattern;
  PreTokenizer();
  core::Status Add(const nlohmann::json& step);

  std::vector<std::unique_ptr<Pattern>> patterns_;  // each divides the pieces of the one before it
};

}  // namespace zermelo::decoder
