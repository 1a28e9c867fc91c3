// Embeddings of premises: made in batches by any model, kept by content, and indexed by FAISS.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "retrieve/premise_index.h"

namespace zermelo::retrieve {

/// Vectors of texts, one each, in order. Errors as llm::Embedder's.
using Embed = std::function<core::Task<core::Result<std::vector<std::vector<float>>>>(
    std::vector<std::string> texts, core::Deadline deadline)>;

struct EmbeddingRequest {
  std::filesystem::path index;
  std::string model;  // what the vectors are kept under
  Embed embed;
  size_t batch = 64;       // texts a call
  size_t concurrency = 4;  // calls at once
  core::Duration call_time = std::chrono::minutes(5);
  std::function<void(size_t done, size_t count)> progress;  // may be empty
  std::function<bool()> stop;                               // likewise
};

struct EmbeddingReport {
  size_t embedded = 0;  // texts, now
  size_t vectors = 0;   // premises with a vector
  bool stopped = false;
};

/// Embeds what has no vector of this model, and indexes all vectors. A batch is kept as soon as it
/// is there: stopped, killed or failed, it goes on from there the next time. Errors: of `embed`;
/// kInput when the model's vectors are of different dimensions.
core::Task<core::Result<EmbeddingReport>> EmbedPremises(EmbeddingRequest request);

/// Answers with an index; questions are embedded first when it has vectors and `embed` is not
/// empty.
class IndexRetriever : public Retriever {
 public:
  /// `index` must outlive it. `model`: of `embed`; vectors of another one are not used.
  IndexRetriever(PremiseIndex& index, RankingWeights weights, Embed embed = {},
                 std::string model = {});
  core::Task<core::Result<std::vector<Premise>>> Search(PremiseQuery query,
                                                        core::Deadline deadline) override;

 private:
  PremiseIndex& index_;
  const RankingWeights weights_;
  const Embed embed_;
  const std::string model_;
};

}  // namespace zermelo::retrieve
