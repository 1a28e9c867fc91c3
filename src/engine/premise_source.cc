#include "engine/premise_source.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <utility>

#include "engine/models/models.h"
#include "llm/client.h"
#include "retrieve/indexer.h"
#include "retrieve/library_modules.h"

namespace zermelo::engine {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

// ---- EmbeddingModel

struct EmbeddingModel::Impl {
  explicit Impl(const core::Executor& executor) : http(executor) {}
  llm::HttpClient http;
  std::unique_ptr<llm::Client> client;
};

EmbeddingModel::EmbeddingModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EmbeddingModel::~EmbeddingModel() = default;
const std::string& EmbeddingModel::name() const { return impl_->client->name(); }

Result<std::unique_ptr<EmbeddingModel>> EmbeddingModel::Create(const core::Executor& executor,
                                                               const core::Config& config,
                                                               const std::string& name) {
  auto client_config = ClientConfigFor(config, name);
  if (!client_config) return Fail(client_config.error());
  auto impl = std::make_unique<Impl>(executor);
  auto client = llm::Client::Create(impl->http, std::move(*client_config));
  if (!client) return Fail(client.error());
  impl->client = std::move(*client);
  return std::unique_ptr<EmbeddingModel>(new EmbeddingModel(std::move(impl)));
}

namespace {

using Vectors = std::vector<std::vector<float>>;

Task<Result<Vectors>> EmbedWith(llm::Embedder* embedder, std::vector<std::string> texts,
                                core::Deadline deadline) {
  llm::CallContext context;
  context.deadline = deadline;
  auto embedded = co_await embedder->Embed(std::move(texts), std::move(context));
  if (!embedded) co_return Fail(embedded.error());
  co_return std::move(embedded->vectors);
}

}  // namespace

retrieve::Embed EmbeddingModel::Function() {
  return [embedder = impl_->client.get()](std::vector<std::string> texts, core::Deadline deadline) {
    return EmbedWith(embedder, std::move(texts), deadline);
  };
}

// ---- PremiseSource

PremiseSource::PremiseSource(core::Executor executor, PremiseSourceOptions options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      file_(options_.file.empty() ? retrieve::DefaultIndexFile(options_.search_path)
                                  : options_.file),
      updating_([this] { Update(); }) {}

PremiseSource::~PremiseSource() {
  stop_ = true;
  updating_.join();
}

void PremiseSource::Update() {
  // Lean starts and searches meanwhile and takes precedence. On Linux, niceness is per thread.
  constexpr int kNice = 10;
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, kNice));
  if (retrieve::IsUpToDate(file_, options_.search_path)) {
    state_ = State::kCurrent;
    return;
  }
  uint64_t bytes = 0;
  for (const auto& module : retrieve::FindModules(options_.search_path)) bytes += module.bytes;
  if (bytes > options_.max_update_bytes) {
    state_ = State::kTooLarge;
    return;
  }
  retrieve::IndexRequest request;
  request.file = file_;
  request.search_path = options_.search_path;
  request.stop = &stop_;
  state_ = retrieve::UpdateIndex(request) ? State::kCurrent : State::kFailed;
}

core::Status PremiseSource::OpenIndex() {
  const State state = state_;
  if (retriever_ && (state == opened_in_ || searching_ > 0)) return {};
  // A partial index would offer whatever happened to be read first.
  if (state == State::kWorking) {
    return Fail(ErrorCode::kEnvironment, "the premise index is not ready yet");
  }
  auto opened = retrieve::PremiseIndex::Open(file_);
  if (!opened) return Fail(opened.error());
  index_ = std::move(*opened);
  opened_in_ = state;
  retrieve::Embed embed;
  if (!index_->embedding_model().empty()) {
    auto model = EmbeddingModel::Create(executor_, options_.config, index_->embedding_model());
    if (model) {
      model_ = std::move(*model);
      embed = model_->Function();
    }
  }
  retriever_ = std::make_unique<retrieve::IndexRetriever>(
      *index_, retrieve::RankingWeights(), std::move(embed), index_->embedding_model());
  return {};
}

Task<Result<std::vector<retrieve::Premise>>> PremiseSource::Search(retrieve::PremiseQuery query,
                                                                   core::Deadline deadline) {
  if (auto opened = OpenIndex(); !opened) co_return Fail(opened.error());
  ++searching_;
  auto found = co_await retriever_->Search(std::move(query), deadline);
  --searching_;
  co_return found;
}

Result<retrieve::PremiseIndex*> PremiseSource::Index() {
  if (auto opened = OpenIndex(); !opened) return Fail(opened.error());
  return index_.get();
}

std::string PremiseSource::Note() const {
  switch (state_) {
    case State::kTooLarge:
      return std::filesystem::exists(file_)
                 ? "the premise index is older than the library; run `zermelo index` to update it"
                 : "theorems of the library are not searched; run `zermelo index` to index them";
    case State::kFailed:
      return "the premise index could not be created; run `zermelo index` to see why";
    default:
      return "";
  }
}

}  // namespace zermelo::engine
