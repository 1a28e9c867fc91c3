#include "strategy/hilbert/desk.h"

#include <fmt/format.h>

#include "core/text.h"
#include "llm/reply.h"
#include "strategy/asker.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Task;

Task<bool> Gate::Enter(const Limits& limits) {
  const core::Cancellation::Subscription wake(limits.cancellation, [this] { left_.Notify(); });
  while (!limits.Ended() && inside_ >= places_) co_await left_.Wait(limits.deadline);
  if (limits.Ended()) co_return false;
  ++inside_;
  co_return true;
}

Desk::Desk(const Services& services, const llm::PromptTemplates& prompts,
           const HilbertParameters& parameters, core::Executor executor)
    : services_(services),
      prompts_(prompts),
      parameters_(parameters),
      executor_(std::move(executor)),
      calls_(executor_, parameters.calls) {}

void Desk::Failed(const core::Error& error, const Limits& limits) {
  if (limits.Ended()) return;  // calls in progress have been cancelled
  if (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kTimeout) {
    spent_ = true;
  } else if (!error_) {
    error_ = error;
  }
}

// ---- models

std::optional<Chat> Desk::Begin(std::string_view role, std::string_view prompt,
                                const Values& values) {
  auto messages = prompts_.Fill(prompt, values);
  if (!messages) {
    if (!error_) error_ = messages.error();
    return std::nullopt;
  }
  return Chat{.role = role, .messages = *std::move(messages), .reply = {}};
}

bool Desk::Add(Chat& chat, std::string_view prompt, const Values& values) {
  auto more = prompts_.Fill(prompt, values);
  if (!more) {
    if (!error_) error_ = more.error();
    return false;
  }
  // Only the last exchange is kept: a reply includes everything that was right before.
  const bool has_system = chat.messages.front().role == "system";
  const size_t first = has_system ? 2 : 1;
  if (chat.messages.size() > first) chat.messages.resize(first);
  llm::Message said;
  said.role = "assistant";
  said.content = chat.reply;
  chat.messages.push_back(std::move(said));
  for (llm::Message& message : *more) chat.messages.push_back(std::move(message));
  return true;
}

Task<bool> Desk::Ask(Chat& chat, const Limits& limits) {
  llm::Model* const model = services_.roles->chat(chat.role);
  if (model == nullptr) co_return false;
  const bool entered = co_await calls_.Enter(limits);
  if (!entered) co_return false;
  const Gate::Pass pass(calls_);
  if (!MayAsk(limits)) co_return false;
  limits.trying(fmt::format("asking the {}", chat.role));
  llm::Request request;
  request.prompt = chat.messages;
  llm::CallContext call;
  call.deadline = limits.deadline;
  call.cancellation = limits.cancellation;
  call.on_lost_usage = [this](const llm::Usage& usage) { ChargeLost(usage, outcome_.spending); };
  const auto reply = co_await model->Generate(std::move(request), std::move(call));
  if (!reply) {
    Failed(reply.error(), limits);
    co_return false;
  }
  Charge(*reply, outcome_.spending);
  outcome_.samples += reply->completions.size();
  if (reply->completions.empty()) co_return false;
  chat.reply = llm::WithoutThinking(reply->completions.front().text);
  co_return true;
}

Task<std::optional<std::string>> Desk::AskForCode(Chat& chat, const Limits& limits) {
  for (size_t tries = 0; tries <= parameters_.tag_retries; ++tries) {
    if (tries > 0 && !Add(chat, "missing_tag", Named("form", "one ```lean4 block"))) break;
    const bool asked = co_await Ask(chat, limits);
    if (!asked) break;
    auto code = llm::FindCode(llm::ReplyKind::kBlock, chat.reply);
    if (code) co_return *std::move(code);
  }
  co_return std::nullopt;
}

Task<std::vector<std::string>> Desk::AskForTags(Chat& chat, std::string tag, const Limits& limits) {
  std::vector<std::string> found;
  for (size_t tries = 0; tries <= parameters_.tag_retries && found.empty(); ++tries) {
    const std::string form = fmt::format("<{0}>…</{0}>", tag);
    if (tries > 0 && !Add(chat, "missing_tag", Named("form", form))) break;
    const bool asked = co_await Ask(chat, limits);
    if (!asked) break;
    found = InTags(chat.reply, tag);
  }
  co_return found;
}

Task<std::optional<policy::Sample>> Desk::AskProver(const syntax::Theorem& theorem,
                                                    const Limits& limits) {
  policy::CompletionPolicy* const prover = services_.roles->prover(role::kProver);
  if (prover == nullptr) co_return std::nullopt;
  const bool entered = co_await calls_.Enter(limits);
  if (!entered) co_return std::nullopt;
  const Gate::Pass pass(calls_);
  if (!MayAsk(limits)) co_return std::nullopt;
  limits.trying("asking the prover");
  policy::CompletionInput input;
  input.theorem = theorem;
  llm::CallContext call;
  call.deadline = limits.deadline;
  call.cancellation = limits.cancellation;
  call.on_lost_usage = [this](const llm::Usage& usage) { ChargeLost(usage, outcome_.spending); };
  auto samples = co_await prover->Complete(std::move(input), 1, std::move(call));
  if (!samples) {
    Failed(samples.error(), limits);
    co_return std::nullopt;
  }
  outcome_.spending += samples->spending;
  outcome_.samples += samples->samples.size();
  for (policy::Sample& sample : samples->samples) {
    if (sample.proof && !sample.proof->has_sorry) co_return std::move(sample);
    ++outcome_.unusable;
    ++outcome_.refusals[sample.proof ? "it uses sorry" : sample.proof.error().message];
  }
  co_return std::nullopt;
}

// ---- Lean

Task<std::optional<Desk::Checked>> Desk::Check(const syntax::ProofSite& site,
                                               const syntax::Proof& proof, double seconds,
                                               Goals goals, const Limits& limits) {
  if (Done(limits)) co_return std::nullopt;
  limits.trying(proof.tactics);
  Checked checked;
  checked.document = site.ForConfirmation(proof);
  lean::CheckRequest request;
  request.text = checked.document.text;
  request.deadline = limits.deadline;
  request.limit = core::FromSeconds(seconds);
  request.cancellation = limits.cancellation;
  request.goals_at_sorries = goals == Goals::kAtSorries;
  auto result = co_await services_.checker.Check(std::move(request));
  if (!result) {
    if (result.error().code == ErrorCode::kEnvironment) Failed(result.error(), limits);
    co_return std::nullopt;
  }
  checked.result = std::move(*result);
  checked.accepted = FirstError(checked.document, checked.result.diagnostics) == nullptr;
  co_return checked;
}

Limits Within(const Limits& outer, const core::ChildContext& child) {
  Limits limits = outer;
  limits.cancellation = child.cancellation;
  return limits;
}

std::vector<std::string> InTags(std::string_view text, std::string_view tag) {
  const std::string open = fmt::format("<{}>", tag), close = fmt::format("</{}>", tag);
  std::vector<std::string> found;
  for (size_t at = text.find(open); at != std::string_view::npos; at = text.find(open, at)) {
    at += open.size();
    const size_t end = std::min(text.find(close, at), text.size());
    const auto inside = core::Trim(text.substr(at, end - at));
    if (!inside.empty()) found.emplace_back(inside);
    at = end;
  }
  return found;
}

}  // namespace zermelo::strategy
