#include "engine/models/chat_role.h"

#include <utility>

#include "policy/ensemble_policy.h"

namespace zermelo::engine {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

class ChatRole : public llm::Model {
 public:
  explicit ChatRole(std::vector<ChatMember> members)
      : members_(std::move(members)), shares_(policy::WeightsOf(members_)) {
    for (const ChatMember& member : members_) {
      if (!name_.empty()) name_ += ", ";
      name_ += member.model->name();
    }
  }

  const std::string& name() const override { return name_; }

  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext context) override {
    const size_t first = Next();
    Result<llm::Reply> reply = Fail(ErrorCode::kInternal, "the role has no model");
    for (size_t i = 0; i < members_.size(); ++i) {
      const ChatMember& member = members_[(first + i) % members_.size()];
      llm::Request own = request;
      own.sampling = Filled(request.sampling, member.sampling);
      reply = co_await member.model->Generate(std::move(own), context);
      if (reply) co_return reply;
      const ErrorCode code = reply.error().code;
      if (code != ErrorCode::kEnvironment && code != ErrorCode::kUsage &&
          code != ErrorCode::kTooLong && code != ErrorCode::kRefused) {
        co_return reply;
      }
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

  /// Takes from the configuration what the request leaves unset, and the smaller max_tokens.
  static llm::Sampling Filled(llm::Sampling requested, const llm::Sampling& configured) {
    if (!requested.temperature) requested.temperature = configured.temperature;
    if (!requested.top_p) requested.top_p = configured.top_p;
    const int most = configured.max_tokens.value_or(llm::kDefaultMaxTokens);
    if (!requested.max_tokens || *requested.max_tokens > most) {
      requested.max_tokens = configured.max_tokens;
    }
    if (requested.stop.empty()) requested.stop = configured.stop;
    return requested;
  }

  const std::vector<ChatMember> members_;
  std::string name_;
  policy::Shares shares_;
};

}  // namespace

Result<std::optional<llm::Sampling>> ChatSampling(const core::ModelConfig& config,
                                                  const llm::Formats& formats) {
  const auto configured = [&](llm::Sampling sampling) {
    if (config.sampling.temperature) sampling.temperature = config.sampling.temperature;
    if (config.sampling.top_p) sampling.top_p = config.sampling.top_p;
    if (config.sampling.max_tokens) sampling.max_tokens = config.sampling.max_tokens;
    return sampling;
  };
  for (const core::FormatShare& share : config.formats) {
    const auto format = llm::FindFormat(formats, share.format);
    if (!format) return Fail(format.error());
    if (format->kind != llm::PromptKind::kChat) continue;
    return configured(format->sampling);
  }
  if (!config.path.empty()) return configured({});  // a folder's model chats in ChatML
  return std::nullopt;
}

std::unique_ptr<llm::Model> MakeChatRole(std::vector<ChatMember> members) {
  return std::make_unique<ChatRole>(std::move(members));
}

}  // namespace zermelo::engine
