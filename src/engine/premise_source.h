// The premises that a job may use: an index that is opened when it is there, and made in the
// background when that is quick.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/config.h"
#include "llm/http_client.h"
#include "retrieve/embeddings.h"
#include "retrieve/premise_index.h"
#include "retrieve/retriever.h"

namespace zermelo::engine {

/// Asks a model of the configuration for embeddings. Must outlive what Function gives.
class EmbeddingModel {
 public:
  /// kUsage: there is no such model, or it is configured wrongly.
  static core::Result<std::unique_ptr<EmbeddingModel>> Create(const core::Executor& executor,
                                                              const core::Config& config,
                                                              const std::string& name);
  ~EmbeddingModel();
  retrieve::Embed Function();
  const std::string& name() const;

 private:
  struct Impl;
  explicit EmbeddingModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct PremiseSourceOptions {
  std::vector<std::filesystem::path> search_path;  // of the toolchain
  std::filesystem::path file;                      // the index; empty: DefaultIndexFile
  // Compiled modules of up to so many bytes are indexed without being asked, at some 50 MB a
  // second of one core.
  uint64_t max_update_bytes = uint64_t{512} << 20U;
  core::Config config;  // has the model that embedded the index, if there are embeddings
};

/// Never makes a job wait: until there is an index, Search answers with kEnvironment. All calls on
/// the executor's thread.
class PremiseSource : public retrieve::Retriever {
 public:
  PremiseSource(core::Executor executor, PremiseSourceOptions options);
  /// Stops the indexing; what it did is kept.
  ~PremiseSource() override;

  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline deadline) override;
  /// For questions that are no search. Errors as Search; the index may be another one the next
  /// time.
  core::Result<retrieve::PremiseIndex*> Index();
  /// What the user should know about it, in a sentence; empty: nothing.
  std::string Note() const;

 private:
  enum class State { kWorking, kCurrent, kTooLarge, kFailed };
  void Update();
  core::Status OpenIndex();

  const core::Executor executor_;
  const PremiseSourceOptions options_;
  std::filesystem::path file_;

  // Of the thread that brings the index up to date.
  std::atomic<State> state_ = State::kWorking;
  std::atomic<bool> stop_ = false;
  std::thread updating_;

  State opened_in_ = State::kWorking;  // an index opened while it was updated is opened again
  std::unique_ptr<retrieve::PremiseIndex> index_;
  std::unique_ptr<EmbeddingModel> model_;
  std::unique_ptr<retrieve::IndexRetriever> retriever_;
  size_t searching_ = 0;
};

}  // namespace zermelo::engine
