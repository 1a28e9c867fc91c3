// Nearest neighbours of embeddings, by FAISS: inner product of normalised vectors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "retrieve/symbol_ranking.h"

namespace zermelo::retrieve {

/// Of length 1; all zeros stay. What embeddings are compared by.
void Normalize(std::vector<float>* vector);

/// A normalised vector in a byte a dimension (the largest is ±127) after its scale, a float: a
/// quarter of the memory; inner products are right to about 0.5 %.
std::string Quantize(const std::vector<float>& vector);
/// Empty when the bytes are no such vector.
std::vector<float> Dequantize(std::string_view bytes);

/// Below 4,000 vectors they are compared one by one (IndexFlatIP). Above, the nearest of about
/// 2√n cells are looked at (IndexIVFPQ, product quantizer of one byte for 4 dimensions or more),
/// and the best compared again with the vectors in a byte a dimension. About 500 bytes a premise of
/// 384 dimensions.
class VectorIndex {
 public:
  /// Vectors of the ids, in a byte a dimension as of Quantize, all of one dimension.
  static core::Result<std::unique_ptr<VectorIndex>> Build(std::vector<int64_t> ids,
                                                          std::string vectors, size_t dimension);
  /// Reads what Save wrote; its larger part is mapped, not read. kInput when it is no such file.
  static core::Result<std::unique_ptr<VectorIndex>> Load(const std::filesystem::path& file);
  /// Writes two files, `file` and `file` + ".vectors", each whole or not at all.
  core::Status Save(const std::filesystem::path& file, const std::string& fingerprint) const;
  ~VectorIndex();

  /// The nearest `limit` premises that `offered` accepts (empty: all) to a normalised vector of
  /// dimension(); scores are inner products.
  Ranking Search(const std::vector<float>& query, size_t limit,
                 const std::function<bool(int64_t)>& offered) const;

  size_t size() const;
  size_t dimension() const;
  /// As given to Save.
  const std::string& fingerprint() const;

 private:
  struct Impl;
  explicit VectorIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zermelo::retrieve
