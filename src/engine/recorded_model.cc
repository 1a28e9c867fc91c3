#include "engine/recorded_model.h"

#include "llm/record.h"
#include "record/answer_json.h"

namespace zermelo::engine {

using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

json ToJson(const llm::Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"cached_prompt_tokens", usage.cached_prompt_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"estimated", usage.estimated}};
}

llm::Usage UsageOf(const json& value) {
  llm::Usage usage;
  usage.prompt_tokens = value.value("prompt_tokens", int64_t{0});
  usage.cached_prompt_tokens = value.value("cached_prompt_tokens", int64_t{0});
  usage.completion_tokens = value.value("completion_tokens", int64_t{0});
  usage.estimated = value.value("estimated", false);
  return usage;
}

json Announced(const llm::RecordedCall& call, int n) {
  return {{"model", call.model}, {"key", call.key}, {"n", n}};
}

struct Asked {
  llm::Request request;
  llm::CallContext context;
};

Task<json> AskInWorld(llm::Model* model, std::shared_ptr<Asked> asked) {
  std::vector<llm::Completion> arrived;
  std::optional<llm::Usage> lost;
  asked->context.on_completion = [&arrived](const llm::Completion& c) { arrived.push_back(c); };
  asked->context.on_lost_usage = [&lost](const llm::Usage& usage) { lost = usage; };
  const auto outcome =
      co_await model->Generate(std::move(asked->request), std::move(asked->context));
  json answer = json::parse(llm::OutcomeText(outcome, arrived));
  if (lost) answer["lost"] = ToJson(*lost);
  co_return answer;
}

class RecordedModel : public llm::Model {
 public:
  RecordedModel(llm::Model& inner, record::Journal& journal, std::string settings)
      : inner_(inner), journal_(journal), settings_(std::move(settings)) {}

  const std::string& name() const override { return inner_.name(); }

  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext context) override {
    const llm::RecordedCall call = llm::DescribeCall(name(), settings_, request);
    record::ExternalCall act;
    act.kind = "generated";
    act.key = call.key;
    act.model = call.model;
    act.request = call.request;
    act.costly = true;
    act.announced = Announced(call, request.sampling.n);
    act.cancellation = context.cancellation;
    const auto asked = std::make_shared<Asked>();
    asked->request = std::move(request);
    asked->context.deadline = context.deadline;
    asked->context.cancellation = context.cancellation;
    act.perform = [model = &inner_, asked] { return AskInWorld(model, asked); };
    const auto answer = co_await journal_.Perform(std::move(act));
    if (!answer) co_return Fail(answer.error());
    if (context.on_lost_usage && answer->contains("lost")) {
      context.on_lost_usage(UsageOf((*answer)["lost"]));
    }
    auto recorded = llm::ReadOutcome(answer->dump());
    if (!recorded) co_return Fail(recorded.error());
    for (const llm::Completion& completion : recorded->arrived) {
      if (context.on_completion) context.on_completion(completion);
    }
    co_return std::move(recorded->outcome);
  }

 private:
  llm::Model& inner_;
  record::Journal& journal_;
  const std::string settings_;
};

}  // namespace

std::unique_ptr<llm::Model> MakeRecordedModel(llm::Model& inner, record::Journal& journal,
                                              std::string settings) {
  return std::make_unique<RecordedModel>(inner, journal, std::move(settings));
}

}  // namespace zermelo::engine
