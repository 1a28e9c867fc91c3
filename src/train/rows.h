// Training examples: rows of a JSONL file as tokens, and several of them packed into tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "decoder/tokenizer/tokenizer.h"

namespace zermelo::train {

/// The tokens of a text, some of which the model learns to write.
struct Row {
  std::vector<decoder::Token> tokens;
  std::vector<bool> learnt;  // by token; the first never is, since nothing predicts it

  void Append(const std::vector<decoder::Token>& more, bool are_learnt);
};

/// Reads the rows that `zermelo export sft` writes: {"prompt", "completion"}, two texts or two
/// parts of a chat (decoder/tokenizer/chat.h), {"segments": [{"text", "loss"}, …]}, or {"messages":
/// [{"role", "content"}, …]}, a chat of which all of the assistant's messages are learnt; other
/// keys are ignored. What was judged to be wrong ("label" false, "reward" below 0) is left out. The
/// model also learns the end of text, if it has one, after each row. kInput with file and line:
/// malformed, without anything to learn, or longer than `context` tokens (unless `drop_long`); no
/// rows at all.
struct RowFile {
  std::vector<Row> rows;
  size_t dropped = 0;   // because they are too long
  size_t rejected = 0;  // because they were judged to be wrong
};
core::Result<RowFile> ReadRows(const std::filesystem::path& path,
                               const decoder::Tokenizer& tokenizer,
                               const std::vector<int32_t>& ends, size_t context, bool drop_long);

/// The texts of a file of rows (.jsonl), one for each, or the whole of another file. kInput.
core::Result<std::vector<std::string>> TextsOf(const std::filesystem::path& path);

/// Indices of rows that share a pack.
using Pack = std::vector<size_t>;

/// The packs of an epoch: rows in an order that seed and epoch determine, as many in each pack as
/// fit into `context` tokens (random concatenation, DeepSeek-Prover-V1.5, 3.1).
std::vector<Pack> MakePacks(std::span<const Row> rows, size_t context, uint64_t seed,
                            uint64_t epoch);

/// Packs as tensors, padded to the longest. Tokens attend only to earlier tokens of their own row.
struct PackedRows {
  at::Tensor tokens;     // [packs][length], int64
  at::Tensor positions;  // [packs][length], int64, from 0 in each row
  at::Tensor mask;       // [packs][1][length][length], 0 or -∞; undefined: causal, one row a pack
  at::Tensor places;     // [targets], int64: in [0, packs * length), where the next token is learnt
  at::Tensor targets;    // [targets], int64: that token
  at::Tensor owners;     // [targets], int64: its row, counted from 0 in the order of the packs
};
PackedRows Collate(std::span<const Row> rows, std::span<const Pack> packs);

}  // namespace zermelo::train
