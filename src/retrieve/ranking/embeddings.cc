#include "retrieve/ranking/embeddings.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <fmt/format.h>

#include "core/hash/hash.h"
#include "retrieve/indexer.h"
#include "retrieve/ranking/vectors.h"
#include "store/premises.h"

namespace zermelo::retrieve {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Status;
using core::Task;

namespace {

class EmbeddingRun {
 public:
  EmbeddingRun(store::Database& database, const EmbeddingRequest& request)
      : premises_(database), database_(database), request_(request) {}

  Task<Result<EmbeddingReport>> Run() {
    auto todo = premises_.WithoutVector(request_.model);
    if (!todo) co_return Fail(todo.error());
    todo_ = std::move(*todo);
    core::TaskGroup group(co_await boost::asio::this_coro::executor);
    for (size_t i = 0; i < request_.concurrency; ++i) group.Spawn(Lane());
    co_await group.Join();
    report_.stopped = Stopped();
    if (!failure_ && !report_.stopped) {
      if (auto built = BuildIndex(); !built) co_return Fail(built.error());
    }
    if (failure_) co_return Fail(*failure_);
    co_return report_;
  }

 private:
  bool Stopped() const { return request_.stop && request_.stop(); }

  Task<void> Lane() {
    while (!failure_ && !Stopped() && next_ < todo_.size()) {
      const size_t begin = next_;
      next_ = std::min(todo_.size(), begin + request_.batch);
      std::vector<int64_t> ids(todo_.begin() + static_cast<std::ptrdiff_t>(begin),
                               todo_.begin() + static_cast<std::ptrdiff_t>(next_));
      auto kept = co_await EmbedBatch(std::move(ids));
      if (!kept && !failure_) failure_ = kept.error();
    }
  }

  Task<Status> EmbedBatch(std::vector<int64_t> ids) {
    const auto rows = premises_.Rows(ids);
    if (!rows) co_return Fail(rows.error());
    std::vector<std::string> texts;
    for (const store::PremiseRow& row : *rows) texts.push_back(EmbeddedText(row));
    const auto deadline = core::Deadline::After(request_.call_time);
    auto vectors = co_await request_.embed(std::move(texts), deadline);
    if (!vectors) co_return Fail(vectors.error());
    if (vectors->size() != rows->size()) {
      co_return Fail(ErrorCode::kCrashed, fmt::format("{} embedded {} of {} texts", request_.model,
                                                      vectors->size(), rows->size()));
    }
    std::vector<std::pair<int64_t, std::string>> kept;
    for (size_t i = 0; i < rows->size(); ++i) {
      std::vector<float>& vector = (*vectors)[i];
      const bool finite =
          std::all_of(vector.begin(), vector.end(), [](float x) { return std::isfinite(x); });
      if (dimension_ == 0) dimension_ = vector.size();
      if (vector.empty() || vector.size() != dimension_ || !finite) {
        co_return Fail(ErrorCode::kInput,
                       fmt::format("{} returned vectors of {} and {} dimensions, or numbers that "
                                   "are not finite",
                                   request_.model, dimension_, vector.size()));
      }
      Normalize(&vector);
      kept.emplace_back((*rows)[i].content, Quantize(vector));
    }
    if (auto added = premises_.AddVectors(request_.model, kept); !added) co_return added;
    report_.embedded += kept.size();
    if (request_.progress) request_.progress(report_.embedded, todo_.size());
    co_return Status();
  }

  Status BuildIndex() {
    std::vector<int64_t> ids;
    std::string vectors;
    uint64_t fingerprint = core::Hash64(request_.model);
    size_t row_bytes = 0;
    bool uneven = false;
    auto read = premises_.EachVector(request_.model, [&](int64_t id, std::string_view row) {
      if (row_bytes == 0) row_bytes = row.size();
      uneven = uneven || row.size() != row_bytes;
      ids.push_back(id);
      vectors += row;
      fingerprint = core::Hash64(row, fingerprint + static_cast<uint64_t>(id));
    });
    if (!read) return read;
    if (uneven || row_bytes <= sizeof(float)) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the vectors of {} have different dimensions", request_.model),
                  "if the model behind that name has changed, configure it under a new name");
    }
    report_.vectors = ids.size();
    const std::string name = fmt::format("{:016x}", fingerprint);
    const auto known = premises_.Fact("vectors");
    if (known && *known == name && report_.embedded == 0 &&
        VectorIndex::Load(VectorFile(request_.index))) {
      return {};
    }
    const auto built =
        VectorIndex::Build(std::move(ids), std::move(vectors), row_bytes - sizeof(float));
    if (!built) return Fail(built.error());
    if (auto saved = (*built)->Save(VectorFile(request_.index), name); !saved) return saved;
    return database_.Try("write the premise index", [&] {
      store::Premises::Batch batch(database_);
      premises_.SetFact("embedding_model", request_.model);
      premises_.SetFact("vectors", name);
      batch.Commit();
    });
  }

  store::Premises premises_;
  store::Database& database_;
  const EmbeddingRequest& request_;
  EmbeddingReport report_;
  std::vector<int64_t> todo_;
  size_t next_ = 0;
  size_t dimension_ = 0;
  std::optional<core::Error> failure_;
};

}  // namespace

Task<Result<EmbeddingReport>> EmbedPremises(EmbeddingRequest request) {
  const auto database =
      store::Database::Open(request.index, store::Access::kCreate, store::Content::kPremises);
  if (!database) co_return Fail(database.error());
  EmbeddingRun run(**database, request);
  co_return co_await run.Run();
}

namespace {

RankingWeights WeightsFor(Rankings rankings, const RankingWeights& all) {
  switch (rankings) {
    case Rankings::kAll:
      return all;
    case Rankings::kWithoutModel:
      return kWithoutModel;
    case Rankings::kSymbols:
    case Rankings::kRewriting:
    case Rankings::kDefinitions:
    case Rankings::kNamesakes:
      return kSymbolsOnly;
  }
  return all;
}

}  // namespace

IndexRetriever::IndexRetriever(PremiseIndex& index, RankingWeights weights, Embed embed,
                               std::string model)
    : index_(index), weights_(weights), embed_(std::move(embed)), model_(std::move(model)) {}

Task<Result<std::vector<Premise>>> IndexRetriever::Search(PremiseQuery query,
                                                          core::Deadline deadline) {
  if (query.rankings == Rankings::kDefinitions) co_return index_.Definitions(query);
  if (query.rankings == Rankings::kNamesakes) co_return index_.Namesakes(query);
  const RankingWeights weights = WeightsFor(query.rankings, weights_);
  std::vector<float> embedding;
  if (weights.embeddings > 0 && embed_ && !model_.empty() && index_.embedding_model() == model_) {
    std::vector<std::string> texts;
    texts.push_back(query.text);
    auto vectors = co_await embed_(std::move(texts), deadline);
    if (!vectors) co_return Fail(vectors.error());
    if (!vectors->empty()) embedding = std::move(vectors->front());
    Normalize(&embedding);
  }
  co_return index_.Search(query, weights, embedding);
}

}  // namespace zermelo::retrieve
