// The premises available to a job: opens the index, and creates or updates it in the background if
// that is quick.
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
#include "llm/http/http_client.h"
#include "retrieve/premise_index.h"
#include "retrieve/ranking/embeddings.h"
#include "retrieve/retriever.h"

namespace zermelo::engine {

/// Requests embeddings from a configured model. Must outlive the result of Function.
class EmbeddingModel {
 public:
  /// kUsage: there is no such model, or its configuration is invalid.
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
  // The index is updated automatically if the compiled modules have at most this many bytes in
  // total; one core reads about 50 MB per second.
  uint64_t max_update_bytes = uint64_t{512} << 20U;
  core::Config config;  // must contain the model that embedded the index, if it has embeddings
};

/// Never delays a job: Search returns kEnvironment until the index is ready. All calls on the
/// executor's thread; a thread of its own updates the index.
class PremiseSource : public retrieve::Retriever {
 public:
  PremiseSource(core::Executor executor, PremiseSourceOptions options);
  /// Stops the update and joins its thread; modules indexed so far are kept.
  ~PremiseSource() override;

  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline deadline) override;
  /// The index, for queries other than a search. Errors: as Search. Valid until the next call of
  /// Search or Index, which may reopen the index.
  core::Result<retrieve::PremiseIndex*> Index();
  /// A sentence for the user about the state of the index; empty if there is nothing to report.
  std::string Note() const;

 private:
  enum class State { kWorking, kCurrent, kTooLarge, kFailed };
  void Update();
  core::Status OpenIndex();

  const core::Executor executor_;
  const PremiseSourceOptions options_;
  std::filesystem::path file_;

  // Shared with the thread that updates the index.
  std::atomic<State> state_ = State::kWorking;
  std::atomic<bool> stop_ = false;
  std::thread updating_;

  State opened_in_ = State::kWorking;  // the index is reopened when the state has changed
  std::unique_ptr<retrieve::PremiseIndex> index_;
  std::unique_ptr<EmbeddingModel> model_;
  std::unique_ptr<retrieve::IndexRetriever> retriever_;
  size_t searching_ = 0;
};

}  // namespace zermelo::engine
