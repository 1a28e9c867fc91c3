#include "decoder/model_folder.h"

#include <fmt/format.h>

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;
using core::Result;

Result<DecoderAndTokenizer> LoadModelFolder(const std::filesystem::path& folder) {
  auto decoder = Decoder::Load(folder);
  if (!decoder) return Fail(decoder.error());
  auto tokenizer = Tokenizer::Read(folder / "tokenizer.json");
  if (!tokenizer) return Fail(tokenizer.error());
  if (tokenizer->size() > decoder->config().vocabulary) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: tokenizer.json has {} tokens, but the model knows {}",
                            folder.string(), tokenizer->size(), decoder->config().vocabulary));
  }
  return DecoderAndTokenizer{std::move(*decoder), std::move(*tokenizer)};
}

}  // namespace zermelo::decoder
