#include "llm/record.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "llm/call_json.h"

namespace zermelo::llm {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

constexpr std::array kErrorCodes{
    ErrorCode::kUsage,     ErrorCode::kInput,   ErrorCode::kEnvironment, ErrorCode::kTimeout,
    ErrorCode::kCancelled, ErrorCode::kCrashed, ErrorCode::kInternal};

/// FNV-1a, 64 bits. Collisions are found by comparing the requests.
std::string Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

core::Error ErrorOf(const json& value) {
  core::Error error{ErrorCode::kInternal, value.value("message", ""), value.value("hint", "")};
  for (const ErrorCode code : kErrorCodes) {
    if (value.value("code", "") == core::Name(code)) error.code = code;
  }
  return error;
}

/// Where two texts differ: "from byte 12 on: `…` instead of `…`".
std::string TextDifference(const std::string& wanted, const std::string& recorded) {
  constexpr size_t kBefore = 8, kShown = 40;
  size_t at = 0;
  while (at < std::min(wanted.size(), recorded.size()) && wanted[at] == recorded[at]) ++at;
  const auto shown = [&](const std::string& text) {
    const size_t begin = at - std::min(at, kBefore);
    return json(text.substr(std::min(begin, text.size()), kShown))
        .dump(-1, ' ', false, json::error_handler_t::replace);
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

core::Error NothingRecorded(CallLog& log, const std::string& model, size_t unreadable) {
  if (unreadable > 0) {
    return {ErrorCode::kInput,
            fmt::format("the {} recorded calls of model {} cannot be read", unreadable, model)};
  }
  const auto others = log.Models();
  if (!others) return others.error();
  return {ErrorCode::kInput,
          fmt::format("no call of model {} is recorded; the record has calls of: {}", model,
                      others->empty() ? "no model" : fmt::format("{}", fmt::join(*others, ", ")))};
}

core::Error Miss(CallLog& log, const RecordedCall& call) {
  const auto next = log.NextOf(call.key);
  if (!next) return next.error();
  if (*next > 0) {
    return {ErrorCode::kInput,
            fmt::format("call {} of model {} with this request is not recorded; recorded calls: {}",
                        call.nth + 1, call.model, *next)};
  }
  const auto recorded = log.OfModel(call.model);
  if (!recorded) return recorded.error();
  std::optional<std::vector<std::string>> nearest;
  const json wanted = json::parse(call.request);
  for (const RecordedCall& other : *recorded) {
    const json request = json::parse(other.request, nullptr, false);
    if (!request.is_object()) continue;
    auto differences = Differences(wanted, request);
    if (!nearest || differences.size() < nearest->size()) nearest = std::move(differences);
  }
  if (!nearest) return NothingRecorded(log, call.model, recorded->size());
  return {ErrorCode::kInput,
          fmt::format("the record of model {} has no call with this request; the nearest one "
                      "differs in {}",
                      call.model, fmt::join(*nearest, "; "))};
}

/// Numbers equal calls.
class Counter {
 public:
  Result<int64_t> Take(CallLog& log, const std::string& key) {
    auto known = next_.find(key);
    if (known == next_.end()) {
      const auto next = log.NextOf(key);
      if (!next) return Fail(next.error());
      known = next_.emplace(key, *next).first;
    }
    return known->second++;
  }
  int64_t TakeFromStart(const std::string& key) { return next_[key]++; }

 private:
  std::map<std::string, int64_t> next_;
};

class RecordingModel : public Model {
 public:
  RecordingModel(Model& inner, CallLog& log, std::string settings)
      : inner_(inner), log_(log), settings_(std::move(settings)) {}

  const std::string& name() const override { return inner_.name(); }

  Task<Result<Reply>> Generate(Request request, CallContext context) override {
    RecordedCall call = DescribeCall(name(), settings_, request);
    const auto nth = counter_.Take(log_, call.key);
    if (!nth) co_return Fail(nth.error());
    call.nth = *nth;
    const auto arrived = std::make_shared<std::vector<Completion>>();
    context.on_completion = [arrived, tell = context.on_completion](const Completion& completion) {
      arrived->push_back(completion);
      if (tell) tell(completion);
    };
    auto outcome = co_await inner_.Generate(std::move(request), std::move(context));
    call.outcome = OutcomeText(outcome, *arrived);
    const auto recorded = log_.Append(call);
    if (!recorded) co_return Fail(recorded.error());
    co_return outcome;
  }

 private:
  Model& inner_;
  CallLog& log_;
  const std::string settings_;
  Counter counter_;
};

class ReplayingModel : public Model {
 public:
  ReplayingModel(std::string name, CallLog& log, std::string settings)
      : name_(std::move(name)), log_(log), settings_(std::move(settings)) {}

  const std::string& name() const override { return name_; }

  Task<Result<Reply>> Generate(Request request, CallContext context) override {
    RecordedCall call = DescribeCall(name_, settings_, request);
    call.nth = counter_.TakeFromStart(call.key);
    const auto found = log_.Find(call.key, call.nth);
    if (!found) co_return Fail(found.error());
    const std::optional<RecordedCall>& known = *found;
    if (!known || known->request != call.request) co_return Fail(Miss(log_, call));
    auto recorded = ReadOutcome(known->outcome);
    if (!recorded) co_return Fail(recorded.error());
    if (!recorded->outcome && recorded->outcome.error().code == ErrorCode::kCancelled) {
      co_return Reply();
    }
    for (const Completion& completion : recorded->arrived) {
      if (context.on_completion) context.on_completion(completion);
    }
    co_return std::move(recorded->outcome);
  }

 private:
  const std::string name_;
  CallLog& log_;
  const std::string settings_;
  Counter counter_;
};

bool IsWhole(const Reply& reply) {
  return std::none_of(reply.completions.begin(), reply.completions.end(),
                      [](const Completion& c) { return c.finish == FinishReason::kBroken; });
}

class CachingModel : public Model {
 public:
  CachingModel(Model& inner, CallLog& log, std::string settings)
      : inner_(inner), log_(log), settings_(std::move(settings)) {}

  const std::string& name() const override { return inner_.name(); }

  Task<Result<Reply>> Generate(Request request, CallContext context) override {
    if (!request.sampling.seed) {
      co_return co_await inner_.Generate(std::move(request), std::move(context));
    }
    RecordedCall call = DescribeCall(name(), settings_, request);
    const auto looked_up = Lookup(call);
    if (!looked_up) co_return Fail(looked_up.error());
    if (const std::optional<Reply>& known = *looked_up; known) {
      for (const Completion& completion : known->completions) {
        if (context.on_completion) context.on_completion(completion);
      }
      co_return *known;
    }
    const int wanted = request.sampling.n;
    auto reply = co_await inner_.Generate(std::move(request), std::move(context));
    if (!reply || !IsWhole(*reply) || static_cast<int>(reply->completions.size()) != wanted) {
      co_return reply;
    }
    // An equal concurrent call may have ended first; its answer stays.
    const auto meanwhile = log_.Find(call.key, 0);
    if (meanwhile && !*meanwhile) {
      call.outcome = OutcomeText(reply, reply->completions);
      const auto kept = log_.Append(call);
      if (!kept) co_return Fail(kept.error());
    }
    co_return reply;
  }

 private:
  Result<std::optional<Reply>> Lookup(const RecordedCall& call) {
    const auto found = log_.Find(call.key, 0);
    if (!found) return Fail(found.error());
    const std::optional<RecordedCall>& known = *found;
    if (!known || known->request != call.request) return std::nullopt;
    auto recorded = ReadOutcome(known->outcome);
    if (!recorded) return Fail(recorded.error());
    if (!recorded->outcome) return std::nullopt;
    Reply reply = *std::move(recorded->outcome);
    reply.usage = {};
    reply.attempts = 0;
    reply.seconds = 0;
    return reply;
  }

  Model& inner_;
  CallLog& log_;
  const std::string settings_;
};

}  // namespace

RecordedCall DescribeCall(const std::string& model, const std::string& settings,
                          const Request& request) {
  const json canonical{{"model", model}, {"settings", settings}, {"request", ToJson(request)}};
  RecordedCall call;
  call.model = model;
  call.request = canonical.dump();
  call.key = Hash(call.request);
  return call;
}

std::string OutcomeText(const Result<Reply>& outcome, const std::vector<Completion>& arrived) {
  json text;
  if (outcome) {
    text["reply"] = ToJson(*outcome);
  } else {
    text["error"] = {{"code", core::Name(outcome.error().code)},
                     {"message", outcome.error().message},
                     {"hint", outcome.error().hint}};
  }
  if (!outcome || arrived != outcome->completions) {
    text["arrived"] = json::array();
    for (const Completion& completion : arrived) text["arrived"].push_back(ToJson(completion));
  }
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<RecordedOutcome> ReadOutcome(const std::string& text) {
  const json value = json::parse(text, nullptr, false);
  if (!value.is_object() || value.contains("reply") == value.contains("error")) {
    return Fail(ErrorCode::kInput, "a recorded reply cannot be read");
  }
  RecordedOutcome recorded{Fail(ErrorCode::kInternal, ""), {}};
  if (value.contains("reply")) {
    auto reply = ReplyFromJson(value["reply"]);
    if (!reply) return Fail(reply.error());
    recorded.arrived = reply->completions;
    recorded.outcome = *std::move(reply);
  } else if (value["error"].is_object()) {
    recorded.outcome = Fail(ErrorOf(value["error"]));
  }
  if (value.contains("arrived")) {
    recorded.arrived.clear();
    for (const auto& entry : value["arrived"]) {
      auto completion = CompletionFromJson(entry);
      if (!completion) return Fail(completion.error());
      recorded.arrived.push_back(*std::move(completion));
    }
  }
  return recorded;
}

std::unique_ptr<Model> MakeRecordingModel(Model& inner, CallLog& log, std::string settings) {
  return std::make_unique<RecordingModel>(inner, log, std::move(settings));
}

std::unique_ptr<Model> MakeReplayingModel(std::string name, CallLog& log, std::string settings) {
  return std::make_unique<ReplayingModel>(std::move(name), log, std::move(settings));
}

std::unique_ptr<Model> MakeCachingModel(Model& inner, CallLog& log, std::string settings) {
  return std::make_unique<CachingModel>(inner, log, std::move(settings));
}

}  // namespace zermelo::llm
