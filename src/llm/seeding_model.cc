#include "llm/seeding_model.h"

#include <utility>

namespace zermelo::llm {

namespace {

std::string PromptText(const Request& request) {
  if (const auto* text = std::get_if<std::string>(&request.prompt)) return *text;
  std::string text;
  for (const auto& message : std::get<std::vector<Message>>(request.prompt)) {
    text += message.role + '\n' + message.content + '\n';
  }
  return text;
}

}  // namespace

core::Task<core::Result<Reply>> SeedingModel::Generate(Request request, CallContext context) {
  if (!request.sampling.seed) {
    uint64_t& next = next_[PromptText(request)];
    request.sampling.seed = seed_ + next;
    next += static_cast<uint64_t>(request.sampling.n);
  }
  co_return co_await inner_.Generate(std::move(request), std::move(context));
}

}  // namespace zermelo::llm
