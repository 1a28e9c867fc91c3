// Byte-level BPE, as in Hugging Face's tokenizer.json (GPT-2, Llama 3, Qwen, and our own models).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "decoder/tokenizer/pre_tokenizer.h"

namespace zermelo::decoder {

using Token = int32_t;

/// Bytes [begin, end) of a text.
struct ByteRange {
  size_t begin = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};

class Tokenizer {
 public:
  /// kInput with the reason: another kind of tokenizer, another normalizer than NFC, a vocabulary
  /// without some byte, a merge of unknown tokens.
  static core::Result<Tokenizer> Read(const std::filesystem::path& path);
  static core::Result<Tokenizer> Create(const nlohmann::json& json);

  /// The tokens of a text, with those that the post-processor adds (a beginning of text, say).
  /// Added tokens that the text spells out are recognised, special ones not in `quoted`.
  std::vector<Token> Encode(std::string_view text, std::span<const ByteRange> quoted = {}) const;
  /// The same for a text that follows other text: without what the post-processor adds.
  std::vector<Token> EncodeContinuation(std::string_view text,
                                        std::span<const ByteRange> quoted = {}) const;
  /// The bytes of tokens, without those of special tokens. Unknown numbers have no bytes.
  std::string Decode(const std::vector<Token>& tokens) const;
  /// The bytes of one token; empty for special and unknown ones.
  std::string_view Bytes(Token token) const;

  /// The added token that is spelled like this; nullopt: there is none.
  std::optional<Token> Added(std::string_view text) const;

  /// One more than the largest token.
  size_t size() const { return bytes_.size(); }

 private:
  struct Merge {
    size_t rank = 0;  // lower ones are merged first
    Token result = 0;
  };

  explicit Tokenizer(PreTokenizer pre_tokenizer) : pre_tokenizer_(std::move(pre_tokenizer)) {}
  core::Status ReadVocabulary(const nlohmann::json& model);
  core::Status ReadMerges(const nlohmann::json& merges);
  core::Status ReadNormalizer(const nlohmann::json& json);
  void ReadAdded(const nlohmann::json& added);
  core::Status ReadPostProcessor(const nlohmann::json& json);
  void EncodePlain(std::string_view text, std::vector<Token>& out) const;
  void EncodePiece(std::string_view piece, std::vector<Token>& out) const;

  PreTokenizer pre_tokenizer_;
  bool composes_ = false;      // texts get Unicode's normal form C first
  bool whole_pieces_ = false;  // a piece that is a token is that one, whatever the merges say
  std::unordered_map<std::string, Token> tokens_;  // by their bytes
  std::vector<std::string> bytes_;                 // by token; special ones have none
  std::unordered_map<uint64_t, Merge> merges_;     // by the pair of tokens
  std::map<std::string, Token, std::less<>> added_;
  std::vector<Token> before_, after_;  // what the post-processor adds to a text
};

}  // namespace zermelo::decoder
