#include "record/call_store.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/json.h"
#include "record/answer_json.h"

namespace zermelo::record {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;
using store::ModelCall;

namespace {

/// Where two texts differ: "from byte 12 on: `…` instead of `…`".
std::string TextDifference(const std::string& wanted, const std::string& recorded) {
  constexpr size_t kBefore = 8, kShown = 40;
  size_t at = 0;
  while (at < std::min(wanted.size(), recorded.size()) && wanted[at] == recorded[at]) ++at;
  const auto shown = [&](const std::string& text) {
    const size_t begin = at - std::min(at, kBefore);
    return core::Dump(text.substr(std::min(begin, text.size()), kShown));
  };
  return fmt::format("from byte {} on: {} instead of {}", at, shown(wanted), shown(recorded));
}

/// Every place in which two requests differ, in words.
std::vector<std::string> Differences(const json& wanted, const json& recorded) {
  std::vector<std::string> differences;
  const json a = wanted.flatten(), b = recorded.flatten();
  for (const auto& [place, value] : a.items()) {
    if (!b.contains(place)) {
      differences.push_back(fmt::format("{} is new", place));
    } else if (b[place] != value) {
      differences.push_back(
          value.is_string() && b[place].is_string()
              ? fmt::format("{} {}", place, TextDifference(value, b[place]))
              : fmt::format("{}: {} instead of {}", place, value.dump(), b[place].dump()));
    }
  }
  for (const auto& [place, value] : b.items()) {
    if (!a.contains(place)) differences.push_back(fmt::format("{} is missing", place));
  }
  return differences;
}

/// The differences between a request and the most similar one; nullopt if none can be read.
std::optional<std::vector<std::string>> FromNearest(const std::string& request,
                                                    const std::vector<ModelCall>& recorded) {
  std::optional<std::vector<std::string>> nearest;
  const json wanted = core::JsonOrDiscarded(request);
  for (const ModelCall& other : recorded) {
    const json known = core::JsonOrDiscarded(other.request);
    if (!known.is_object()) continue;
    auto differences = Differences(wanted, known);
    if (!nearest || differences.size() < nearest->size()) nearest = std::move(differences);
  }
  return nearest;
}

/// The answer without its cost.
json FreeOfCharge(ModelAnswer answer) {
  answer.outcome->usage = {};
  answer.outcome->attempts = 0;
  answer.outcome->seconds = 0;
  return ToJson(answer);
}

}  // namespace

ModelCall MakeRow(const ExternalCall& call, int64_t nth, const json& answer) {
  return {.model = call.model,
          .key = call.key,
          .nth = nth,
          .request = call.request,
          .reply = TextOf(answer)};
}

Result<std::unique_ptr<CallStore>> CallStore::Open(const std::filesystem::path& database,
                                                   StoreMode mode) {
  auto opened = store::Database::Open(
      database, mode == StoreMode::kReplay ? store::Access::kReadOnly : store::Access::kCreate);
  if (!opened) return Fail(opened.error());
  return std::unique_ptr<CallStore>(new CallStore(std::move(*opened), mode));
}

CallStore::CallStore(std::unique_ptr<store::Database> database, StoreMode mode)
    : database_(std::move(database)), mode_(mode), calls_(*database_) {}

Task<Result<json>> CallStore::Perform(ExternalCall call) {
  if (mode_ == StoreMode::kReplay) co_return Replay(call);
  if (mode_ == StoreMode::kRecord) co_return co_await Record(std::move(call));
  if (call.reusable) co_return co_await ReuseOrPerform(std::move(call));
  co_return co_await call.perform();
}

Task<Result<json>> CallStore::Record(ExternalCall call) {
  const auto nth = NumberOf(call.key);
  if (!nth) co_return Fail(nth.error());
  json answer = co_await call.perform();
  const auto recorded = calls_.Append(MakeRow(call, *nth, answer));
  if (!recorded) co_return Fail(recorded.error());
  co_return answer;
}

Result<json> CallStore::Replay(const ExternalCall& call) {
  const int64_t nth = next_[call.key]++;
  const auto found = calls_.Find(call.key, nth);
  if (!found) return Fail(found.error());
  const std::optional<ModelCall>& known = *found;
  if (!known || known->request != call.request) return Fail(Missing(call, nth));
  json answer = FromText(known->reply);
  if (const auto error = ErrorIn(answer); error && error->code == ErrorCode::kCancelled) {
    return ToJson(ModelAnswer());
  }
  return answer;
}

Task<Result<json>> CallStore::ReuseOrPerform(ExternalCall call) {
  const auto found = calls_.Find(call.key, 0);
  if (!found) co_return Fail(found.error());
  const std::optional<ModelCall>& known = *found;
  if (known && known->request == call.request) {
    auto read = AnswerOf<ModelAnswer>(FromText(known->reply));
    if (!read) co_return Fail(read.error());
    if (read->outcome) co_return FreeOfCharge(*std::move(read));
  }
  json answer = co_await call.perform();
  if (!call.reusable(answer)) co_return answer;
  // An equal concurrent call may have ended first; its answer stays.
  const auto meanwhile = calls_.Find(call.key, 0);
  if (!meanwhile || *meanwhile) co_return answer;
  const auto kept = calls_.Append(MakeRow(call, 0, answer));
  if (!kept) co_return Fail(kept.error());
  co_return answer;
}

/// The next number among equal calls.
Result<int64_t> CallStore::NumberOf(const std::string& key) {
  if (const auto known = next_.find(key); known != next_.end()) return known->second++;
  const auto next = calls_.NextOf(key);
  if (!next) return Fail(next.error());
  next_[key] = *next + 1;
  return *next;
}

/// Why a call cannot be replayed.
core::Error CallStore::Missing(const ExternalCall& call, int64_t nth) {
  const auto miss = [](std::string message) {
    return core::Error{ErrorCode::kInput, std::move(message)};
  };
  const auto next = calls_.NextOf(call.key);
  if (!next) return next.error();
  if (*next > 0) {
    return miss(
        fmt::format("call {} of model {} with this request is not recorded; recorded calls: {}",
                    nth + 1, call.model, *next));
  }
  const auto recorded = calls_.OfModel(call.model);
  if (!recorded) return recorded.error();
  if (const auto nearest = FromNearest(call.request, *recorded)) {
    return miss(
        fmt::format("the record of model {} has no call with this request; the nearest one "
                    "differs in {}",
                    call.model, fmt::join(*nearest, "; ")));
  }
  if (!recorded->empty()) {
    return miss(fmt::format("the {} recorded calls of model {} cannot be read", recorded->size(),
                            call.model));
  }
  const auto others = calls_.Models();
  if (!others) return others.error();
  return miss(
      fmt::format("no call of model {} is recorded; the record has calls of: {}", call.model,
                  others->empty() ? "no model" : fmt::format("{}", fmt::join(*others, ", "))));
}

}  // namespace zermelo::record
