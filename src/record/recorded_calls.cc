#include "record/recorded_calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hash/hash.h"
#include "core/json.h"
#include "record/events.h"

namespace zermelo::record {

using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

template <class Answer>
using Inner = std::function<Task<Result<Answer>>()>;

template <class Answer>
Task<json> PerformAsJson(Inner<Answer> inner) {
  const Result<Answer> answer = co_await inner();
  if (!answer) co_return ToJson(answer.error());
  co_return ToJson(*answer);
}

/// Passes a call through a recorder: its kind, its key, and the inner call that answers it.
template <class Answer>
Task<Result<Answer>> Recorded(Recorder& recorder, ExternalCall call, Inner<Answer> inner) {
  call.perform = [inner = std::move(inner)] { return PerformAsJson<Answer>(inner); };
  const auto answer = co_await recorder.Perform(std::move(call));
  if (!answer) co_return Fail(answer.error());
  co_return AnswerOf<Answer>(*answer);
}

ExternalCall MakeCall(std::string_view kind, std::string_view request,
                      core::Cancellation* cancellation) {
  ExternalCall call;
  call.kind = kind;
  call.key = core::HexHash64(request);
  call.cancellation = cancellation;
  return call;
}

class CheckerBehind : public RecordedChecker {
 public:
  CheckerBehind(lean::Checker& inner, Recorder& recorder) : inner_(inner), recorder_(recorder) {}

  Task<Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    ExternalCall call = MakeCall(event::kChecked, request.text, request.cancellation);
    const std::vector<std::string> roles = request.roles;
    const auto kept = std::make_shared<lean::CheckRequest>(std::move(request));
    const Inner<lean::CheckResult> inner = [this, kept] { return inner_.Check(std::move(*kept)); };
    auto result = co_await Recorded<lean::CheckResult>(recorder_, std::move(call), inner);
    const double seconds = result ? result->seconds : 0;
    ++checks_;
    seconds_ += seconds;
    lean::Count(roles, seconds, by_role_);
    co_return result;
  }
  size_t size() const override { return inner_.size(); }
  uint64_t checks() const override { return checks_; }
  double seconds() const override { return seconds_; }
  const lean::UseByRole& by_role() const override { return by_role_; }

 private:
  lean::Checker& inner_;
  Recorder& recorder_;
  uint64_t checks_ = 0;
  double seconds_ = 0;
  lean::UseByRole by_role_;
};

class RecordedRunner : public lean::TacticRunner {
 public:
  RecordedRunner(lean::TacticRunner& inner, Recorder& recorder)
      : inner_(inner), recorder_(recorder) {}

  Task<Result<Tried>> Try(lean::Trials trials) override {
    ExternalCall call = MakeCall(event::kTried, Describe(trials), trials.limits.cancellation);
    const auto kept = std::make_shared<lean::Trials>(std::move(trials));
    const Inner<Tried> inner = [this, kept] { return inner_.Try(std::move(*kept)); };
    co_return co_await Recorded<Tried>(recorder_, std::move(call), inner);
  }

 private:
  static std::string Describe(const lean::Trials& trials) {
    const json all{trials.hole.text, trials.hole.byte, trials.before, trials.candidates,
                   core::Seconds(trials.limits.per_candidate)};
    return core::Dump(all);
  }

  lean::TacticRunner& inner_;
  Recorder& recorder_;
};

class RecordedRetriever : public retrieve::Retriever {
 public:
  RecordedRetriever(retrieve::Retriever& inner, Recorder& recorder)
      : inner_(inner), recorder_(recorder) {}

  Task<Result<Premises>> Search(retrieve::PremiseQuery query, core::Deadline deadline) override {
    ExternalCall call = MakeCall(event::kRetrieved, Describe(query), nullptr);
    const auto kept = std::make_shared<retrieve::PremiseQuery>(std::move(query));
    const Inner<Premises> inner = [this, kept, deadline] {
      return inner_.Search(std::move(*kept), deadline);
    };
    co_return co_await Recorded<Premises>(recorder_, std::move(call), inner);
  }

 private:
  static std::string Describe(const retrieve::PremiseQuery& query) {
    const json all{query.text, query.formal, query.imports.value_or(std::vector<std::string>()),
                   query.limit, static_cast<int>(query.rankings)};
    return core::Dump(all);
  }

  retrieve::Retriever& inner_;
  Recorder& recorder_;
};

class RecordedAdviser : public learn::Adviser {
 public:
  RecordedAdviser(learn::Adviser& inner, Recorder& recorder) : inner_(inner), recorder_(recorder) {}

  Task<Result<learn::Advice>> Ask(learn::Query query) override {
    ExternalCall call = MakeCall(event::kAdvised, Describe(query.source, query.goal), nullptr);
    const auto kept = std::make_shared<learn::Query>(std::move(query));
    const Inner<learn::Advice> inner = [this, kept] { return inner_.Ask(std::move(*kept)); };
    co_return co_await Recorded<learn::Advice>(recorder_, std::move(call), inner);
  }
  Task<Result<learn::Chances>> Estimate(learn::ChanceQuery query) override {
    const std::string goals = fmt::format("{}", fmt::join(query.goals, "\n\n"));
    ExternalCall call = MakeCall(event::kEstimated, Describe(query.source, goals), nullptr);
    const auto kept = std::make_shared<learn::ChanceQuery>(std::move(query));
    const Inner<learn::Chances> inner = [this, kept] { return inner_.Estimate(std::move(*kept)); };
    co_return co_await Recorded<learn::Chances>(recorder_, std::move(call), inner);
  }

 private:
  /// Without the place: a run can be resumed after its file has moved.
  static std::string Describe(const learn::Source& source, const std::string& goals) {
    return fmt::format("{}\n{}\n{}", source.theorem, source.statement, goals);
  }

  learn::Adviser& inner_;
  Recorder& recorder_;
};

class RecordedPython : public core::PythonRunner {
 public:
  RecordedPython(core::PythonRunner& inner, Recorder& recorder)
      : inner_(inner), recorder_(recorder) {}

  Task<Result<core::PythonResult>> Run(core::PythonTask task,
                                       core::Cancellation* cancellation) override {
    ExternalCall call = MakeCall(event::kComputed, Describe(task), cancellation);
    const auto kept = std::make_shared<core::PythonTask>(std::move(task));
    const Inner<core::PythonResult> inner = [this, kept, cancellation] {
      return inner_.Run(std::move(*kept), cancellation);
    };
    co_return co_await Recorded<core::PythonResult>(recorder_, std::move(call), inner);
  }

 private:
  static std::string Describe(const core::PythonTask& task) {
    return fmt::format("{} {}\n{}", core::Seconds(task.time), task.memory, task.script);
  }

  core::PythonRunner& inner_;
  Recorder& recorder_;
};

struct ModelCall {
  llm::Request request;
  llm::CallContext context;
  size_t reported = 0;  // completions of which the caller has heard already
};

Task<Result<ModelAnswer>> AskModel(llm::Model* model, std::shared_ptr<ModelCall> call) {
  ModelAnswer answer;
  const auto report = call->context.on_completion;
  call->context.on_completion = [&](const llm::Completion& completion) {
    answer.arrived.push_back(completion);
    if (!report) return;
    ++call->reported;
    report(completion);
  };
  call->context.on_lost_usage = [&answer](const llm::Usage& usage) { answer.lost = usage; };
  answer.outcome = co_await model->Generate(std::move(call->request), call->context);
  co_return answer;
}

/// Whether a reply has all the completions that were requested, whole.
bool IsWhole(const json& answer, int wanted) {
  const auto read = AnswerOf<ModelAnswer>(answer);
  if (!read || !read->outcome) return false;
  const std::vector<llm::Completion>& completions = read->outcome->completions;
  return static_cast<int>(completions.size()) == wanted &&
         std::none_of(completions.begin(), completions.end(), [](const llm::Completion& c) {
           return c.finish == llm::FinishReason::kBroken;
         });
}

class RecordedModel : public llm::Model {
 public:
  /// `inner`: null if the recorder has all answers.
  RecordedModel(std::string name, llm::Model* inner, Recorder& recorder, std::string settings)
      : name_(std::move(name)),
        inner_(inner),
        recorder_(recorder),
        settings_(std::move(settings)) {}

  const std::string& name() const override { return name_; }

  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext context) override {
    ExternalCall call = Describe(request, context.cancellation);
    const auto kept = std::make_shared<ModelCall>();
    kept->request = std::move(request);
    kept->context.deadline = context.deadline;
    kept->context.cancellation = context.cancellation;
    if (!recorder_.performs_elsewhere()) kept->context.on_completion = context.on_completion;
    const Inner<ModelAnswer> inner = [this, kept] { return AskModel(inner_, kept); };
    auto answer = co_await Recorded<ModelAnswer>(recorder_, std::move(call), inner);
    if (!answer) co_return Fail(answer.error());
    if (answer->lost && context.on_lost_usage) context.on_lost_usage(*answer->lost);
    for (size_t i = kept->reported; i < answer->arrived.size(); ++i) {
      if (context.on_completion) context.on_completion(answer->arrived[i]);
    }
    co_return std::move(answer->outcome);
  }

 private:
  ExternalCall Describe(const llm::Request& request, core::Cancellation* cancellation) const {
    std::string text = DescribeCall(name_, settings_, request);
    ExternalCall call = MakeCall(event::kGenerated, text, cancellation);
    call.model = name_;
    call.request = std::move(text);
    call.costly = true;
    const int n = request.sampling.n;
    call.announced = {{"model", name_}, {"key", call.key}, {"n", n}};
    if (request.sampling.seed) {
      call.reusable = [n](const json& answer) { return IsWhole(answer, n); };
    }
    return call;
  }

  const std::string name_;
  llm::Model* const inner_;
  Recorder& recorder_;
  const std::string settings_;
};

}  // namespace

std::string DescribeCall(const std::string& model, const std::string& settings,
                         const llm::Request& request) {
  return TextOf({{"model", model}, {"settings", settings}, {"request", ToJson(request)}});
}

std::unique_ptr<RecordedChecker> MakeRecorded(lean::Checker& inner, Recorder& recorder) {
  return std::make_unique<CheckerBehind>(inner, recorder);
}

std::unique_ptr<lean::TacticRunner> MakeRecorded(lean::TacticRunner& inner, Recorder& recorder) {
  return std::make_unique<RecordedRunner>(inner, recorder);
}

std::unique_ptr<retrieve::Retriever> MakeRecorded(retrieve::Retriever& inner, Recorder& recorder) {
  return std::make_unique<RecordedRetriever>(inner, recorder);
}

std::unique_ptr<learn::Adviser> MakeRecorded(learn::Adviser& inner, Recorder& recorder) {
  return std::make_unique<RecordedAdviser>(inner, recorder);
}

std::unique_ptr<core::PythonRunner> MakeRecorded(core::PythonRunner& inner, Recorder& recorder) {
  return std::make_unique<RecordedPython>(inner, recorder);
}

std::unique_ptr<llm::Model> MakeRecorded(llm::Model& inner, Recorder& recorder,
                                         std::string settings) {
  return std::make_unique<RecordedModel>(inner.name(), &inner, recorder, std::move(settings));
}

std::unique_ptr<llm::Model> MakeReplayed(std::string name, Recorder& recorder,
                                         std::string settings) {
  return std::make_unique<RecordedModel>(std::move(name), nullptr, recorder, std::move(settings));
}

}  // namespace zermelo::record
