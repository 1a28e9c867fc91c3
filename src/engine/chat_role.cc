#include "engine/chat_role.h"

#include <utility>

#include "policy/ensemble_policy.h"

namespace zermelo::engine {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

std::vector<double> WeightsOf(const std::vector<ChatMember>& members) {
  std::vector<double> weights;
  weights.reserve(members.size());
  for (const ChatMember& member : members) weights.push_back(member.weight);
  return weights;
}

class ChatRole : public llm::Model {
 public:
  explicit ChatRole(std::vector<ChatMember> members)
      : members_(std::move(members)), shares_(WeightsOf(members_)) {}

  const std::string& name() const override { return members_.front().model->name(); }

  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext context) override {
    const size_t first = Next();
    Result<llm::Reply> reply = Fail(ErrorCode::kInternal, "nobody was asked");
    for (size_t i = 0; i < members_.size(); ++i) {
      const ChatMember& member = members_[(first + i) % members_.size()];
      llm::Request own = request;
      own.sampling = Filled(request.sampling, member.sampling);
      reply = co_await member.model->Generate(std::move(own), context);
      if (reply) co_return reply;
      const ErrorCode code = reply.error().code;
      if (code != ErrorCode::kEnvironment && code != ErrorCode::kUsage) co_return reply;
    }
    co_return reply;
  }

 private:
  size_t Next() {
    const auto taken = shares_.Take(1);
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i] > 0) return i;
    }
    return 0;
  }

  /// What a request leaves as it is by default is as configured.
  static llm::Sampling Filled(llm::Sampling said, const llm::Sampling& configured) {
    const llm::Sampling unsaid;
    if (said.temperature == unsaid.temperature) said.temperature = configured.temperature;
    if (said.top_p == unsaid.top_p) said.top_p = configured.top_p;
    if (said.max_tokens == unsaid.max_tokens) said.max_tokens = configured.max_tokens;
    if (said.stop.empty()) said.stop = configured.stop;
    return said;
  }

  const std::vector<ChatMember> members_;
  policy::Shares shares_;
};

}  // namespace

Result<std::optional<llm::Sampling>> ChatSampling(const core::ModelConfig& config,
                                                  const llm::Formats& formats) {
  for (const core::FormatShare& share : config.formats) {
    const auto format = llm::FindFormat(formats, share.format);
    if (!format) return Fail(format.error());
    if (format->kind != llm::PromptKind::kChat) continue;
    llm::Sampling sampling = format->sampling;
    sampling.temperature = config.sampling.temperature.value_or(sampling.temperature);
    sampling.top_p = config.sampling.top_p.value_or(sampling.top_p);
    sampling.max_tokens = config.sampling.max_tokens.value_or(sampling.max_tokens);
    return sampling;
  }
  return std::nullopt;
}

std::unique_ptr<llm::Model> MakeChatRole(std::vector<ChatMember> members) {
  return std::make_unique<ChatRole>(std::move(members));
}

}  // namespace zermelo::engine
