// Premise embeddings: computed in batches by any model, cached by content, indexed by FAISS.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "retrieve/premise_index.h"

namespace zermelo::retrieve {

/// Returns one vector for each text, in the same order. Errors: those of llm::Embedder.
using Embed = std::function<core::Task<core::Result<std::vector<std::vector<float>>>>(
    std::vector<std::string> texts, core::Deadline deadline)>;

struct EmbeddingRequest {
  std::filesystem::path index;
  std::string model;  // the name under which the vectors are stored
  Embed embed;
  size_t batch = 64;                                        // texts per call
  size_t concurrency = 4;                                   // concurrent calls
  core::Duration call_time = std::chrono::minutes(5);       // time limit of one call
  std::function<void(size_t done, size_t count)> progress;  // in texts; may be empty
  std::function<bool()> stop;                               // polled between batches; may be empty
};

struct EmbeddingReport {
  size_t embedded = 0;  // texts embedded by this call
  size_t vectors = 0;   // premises with a vector
  bool stopped = false;
};

/// Embeds every premise that has no vector of this model yet, then indexes all vectors. Each batch
/// is stored when it arrives, so a call after a stop, kill or failure resumes where this one ended.
/// Errors: those of `embed`; kInput when the model's vectors differ in dimension.
core::Task<core::Result<EmbeddingReport>> EmbedPremises(EmbeddingRequest request);

/// Searches a premise index. Queries are embedded first if the index has vectors and `embed` is not
/// empty.
class IndexRetriever : public Retriever {
 public:
  /// `index` must outlive this object. `model` is the model behind `embed`; an index with vectors
  /// of another model is searched without them.
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
