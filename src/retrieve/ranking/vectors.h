// Nearest neighbours of embeddings with FAISS, by inner product of normalised vectors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "retrieve/ranking/symbol_ranking.h"

namespace zermelo::retrieve {

/// Scales a vector to length 1; a zero vector stays as it is.
void Normalize(std::vector<float>* vector);

/// Encodes a normalised vector as its scale, a float, and one byte per dimension (the largest is
/// ±127): a quarter of the memory, with inner products accurate to about 0.5 %.
std::string Quantize(const std::vector<float>& vector);
/// Decodes a vector; empty if `bytes` is too short to hold one.
std::vector<float> Dequantize(std::string_view bytes);

/// Fewer than 4,000 vectors are compared one by one (IndexFlatIP). With more, 8 of √n cells are
/// searched (IndexIVFPQ, product quantizer with one byte for 4 dimensions or more) and the best
/// candidates compared again by their quantized vectors. About 500 bytes per premise with 384
/// dimensions.
class VectorIndex {
 public:
  /// Builds an index from the concatenated Quantize outputs of all ids, in the order of `ids`.
  /// kInput if their dimensions differ; kEnvironment if FAISS fails.
  static core::Result<std::unique_ptr<VectorIndex>> Build(std::vector<int64_t> ids,
                                                          std::string vectors, size_t dimension);
  /// Loads the files written by Save; the vectors are memory-mapped. kInput if they are malformed
  /// or missing.
  static core::Result<std::unique_ptr<VectorIndex>> Load(const std::filesystem::path& file);
  /// Writes two files, `file` and `file` + ".vectors", each atomically.
  core::Status Save(const std::filesystem::path& file, const std::string& fingerprint) const;
  ~VectorIndex();

  /// The `limit` premises nearest to `query`, a normalised vector of dimension(), among those that
  /// `offered` accepts (empty: all). Scores are inner products.
  Ranking Search(const std::vector<float>& query, size_t limit,
                 const std::function<bool(int64_t)>& offered) const;

  size_t size() const;
  size_t dimension() const;
  /// The fingerprint given to Save.
  const std::string& fingerprint() const;

 private:
  struct Impl;
  explicit VectorIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zermelo::retrieve
