#include "strategy/session.h"

#include <algorithm>
#include <fmt/format.h>

#include "llm/reply.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using Values = llm::PromptTemplates::Values;

Session::Session(const Services& services, Limits limits, core::Executor executor,
                 const llm::PromptTemplates* prompts, size_t calls)
    : services_(services),
      given_(std::move(limits)),
      part_(given_),
      executor_(std::move(executor)),
      prompts_(prompts),
      checks_before_(services.checker.checks()),
      calls_(executor_, calls) {}

// ---- the end

bool Session::Done(const Limits& limits) const {
  return (result_.proof && !services_.all) || error_ || limits.Ended();
}

void Session::Failed(const core::Error& error, const Limits& limits) {
  if (limits.Ended()) return;
  if (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kTimeout) {
    spent_ = true;
  } else {
    EndWith(error);
  }
}

void Session::ProposalFailed(const core::Error& error, const Limits& limits) {
  // If nothing was answered yet, it may be the settings that are refused, and so every prompt.
  const bool answered = result_.samples > 0 || result_.spending.samples > 0;
  const bool refused = error.code == ErrorCode::kRefused && answered;
  if (error.code != ErrorCode::kTooLong && !refused) return Failed(error, limits);
  ++result_.unusable;
  ++result_.refusals[refused ? "the model's server refuses the prompt"
                             : "the prompt does not fit into the model's context"];
}

Result<SearchResult> Session::Finish(nlohmann::json fields) {
  if (error_ && !result_.proof) return Fail(*error_);
  result_.checks = services_.checker.checks() - checks_before_;
  if (!result_.proof) {
    result_.reason = given_.stop()    ? "stopped"
                     : given_.Ended() ? "time"
                     : spent_         ? "budget"
                                      : "exhausted";
    fields["reason"] = result_.reason;
    given_.Append(event::kGaveUp, std::move(fields));
  }
  return result_;
}

// ---- models

std::optional<std::vector<llm::Message>> Session::Fill(std::string_view prompt,
                                                       const Values& values) {
  auto messages = prompts_->Fill(prompt, values);
  if (messages) return *std::move(messages);
  EndWith(messages.error());
  return std::nullopt;
}

std::optional<Chat> Session::Begin(std::string_view role, std::string_view prompt,
                                   const Values& values) {
  auto messages = Fill(prompt, values);
  if (!messages) return std::nullopt;
  return Chat{.role = role, .messages = *std::move(messages), .answer = {}, .reply = {}};
}

bool Session::Add(Chat& chat, std::string_view prompt, const Values& values) {
  auto more = Fill(prompt, values);
  if (!more) return false;
  llm::Message said;
  said.role = "assistant";
  said.content = chat.reply;
  chat.messages.push_back(std::move(said));
  for (llm::Message& message : *more) chat.messages.push_back(std::move(message));
  return true;
}

Task<bool> Session::Ask(Chat& chat, const Limits& limits) {
  llm::Model* const model = services_.roles->chat(chat.role);
  if (model == nullptr) co_return false;
  const auto pass = co_await Enter(calls_, limits);
  if (!pass) co_return false;
  if (!MayAsk(limits)) co_return false;
  limits.trying(fmt::format("asking the {}", chat.role));
  auto answer =
      co_await Generate(*model, chat.messages, std::vector<llm::Tool>(), llm::Sampling(), limits);
  if (!answer) {
    const bool has_grown = std::ranges::any_of(
        chat.messages, [](const llm::Message& said) { return said.role == "assistant"; });
    if (has_grown) {
      ProposalFailed(answer.error(), limits);  // its first request had room
    } else {
      Failed(answer.error(), limits);
    }
    co_return false;
  }
  chat.answer = std::move(answer->completion);
  chat.reply = llm::WithoutThinking(chat.answer.text);
  co_return true;
}

namespace {

/// Its tokens.
llm::Spending SpendingOf(const llm::Usage& usage) {
  llm::Spending spending;
  spending.prompt_tokens = usage.prompt_tokens;
  spending.completion_tokens = usage.completion_tokens;
  spending.estimated = usage.estimated;
  return spending;
}

}  // namespace

llm::CallContext Session::CallWithin(const Limits& limits) {
  llm::CallContext call;
  call.deadline = limits.deadline;
  call.cancellation = limits.cancellation;
  call.on_lost_usage = [this, use = limits.use](const llm::Usage& usage) {
    Charge(SpendingOf(usage), use);
  };
  return call;
}

Task<Result<Session::Answer>> Session::Generate(llm::Model& model,
                                                std::vector<llm::Message> messages,
                                                std::vector<llm::Tool> tools,
                                                llm::Sampling sampling, const Limits& limits) {
  llm::Request request;
  request.sampling = std::move(sampling);
  request.prompt = std::move(messages);
  request.tools = std::move(tools);
  auto reply = co_await model.Generate(std::move(request), CallWithin(limits));
  if (!reply) co_return Fail(reply.error());
  llm::Spending spending = SpendingOf(reply->usage);
  spending.calls = 1;
  spending.samples = static_cast<int64_t>(reply->completions.size());
  Charge(spending, limits);
  result_.samples += reply->completions.size();
  if (reply->completions.empty()) {
    co_return Fail(ErrorCode::kEnvironment, "the model returned no completion");
  }
  Answer answer;
  answer.completion = std::move(reply->completions.front());
  answer.usage = reply->usage;
  co_return answer;
}

Task<std::vector<policy::Sample>> Session::ProposeProofs(policy::CompletionPolicy& policy,
                                                         policy::CompletionInput input, size_t n,
                                                         const Limits& limits) {
  std::vector<policy::Sample> proofs;
  const auto pass = co_await Enter(calls_, limits);
  if (!pass) co_return proofs;
  if (!MayAsk(limits)) co_return proofs;
  auto samples = co_await policy.Complete(std::move(input), n, CallWithin(limits));
  if (!samples) {
    ProposalFailed(samples.error(), limits);
    co_return proofs;
  }
  Charge(samples->spending, limits);
  result_.samples += samples->samples.size();
  proofs = std::move(samples->samples);
  co_return proofs;
}

bool Session::IsUsable(const policy::Sample& sample, Sorry sorry) {
  if (sample.proof && (sorry == Sorry::kIsAnError || !sample.proof->has_sorry)) return true;
  ++result_.unusable;
  ++result_.refusals[sample.proof ? "it uses sorry" : sample.proof.error().message];
  return false;
}

// ---- Lean

Task<Result<lean::CheckResult>> Session::Elaborate(lean::CheckRequest request,
                                                   std::string_view role, const Limits& limits) {
  request.roles.assign(1, std::string(role));
  request.deadline = limits.deadline;
  request.cancellation = limits.cancellation;
  auto checked = co_await services_.checker.Check(std::move(request));
  if (limits.use != nullptr) limits.use->Add(checked);
  if (!checked && checked.error().code == ErrorCode::kEnvironment) {
    Failed(checked.error(), limits);
  }
  co_return checked;
}

Task<std::optional<Session::Checked>> Session::Check(const syntax::ProofSite& site,
                                                     syntax::Proof proof, std::string_view role,
                                                     CheckOptions options, const Limits& limits) {
  if (Done(limits)) co_return std::nullopt;
  limits.trying(proof.tactics);
  Checked checked;
  checked.document = site.ForConfirmation(proof);
  lean::CheckRequest request;
  request.text = checked.document.text;
  request.limit = options.limit;
  request.goals_at_sorries = options.goals_at_sorries;
  if (proof.auxiliary.empty()) {
    request.tactics = syntax::TextRange{checked.document.begin, checked.document.end};
  }
  if (options.stops_at_first_error) {
    request.extent = lean::UpToFirstError{checked.document.DeclarationLines()};
  }
  auto result = co_await Elaborate(std::move(request), role, limits);
  if (!result) co_return std::nullopt;
  checked.result = *std::move(result);
  checked.accepted = !checked.result.stopped_at_error &&
                     FirstError(checked.document, checked.result.diagnostics) == nullptr;
  co_return checked;
}

// ---- accept

bool Session::Found(const syntax::Proof& proof) {
  const std::string text = proof.Text();
  if (!proof_keys_.insert(ProofKey(text)).second) return false;
  limits().Append(event::kProofFound, {{"proof", text}});
  result_.proofs.push_back(text);
  if (!result_.proof) {
    result_.proof = proof.tactics;
    result_.auxiliary = proof.auxiliary;
  }
  if (!services_.all) End();
  return true;
}

bool Session::Found(const std::string& tactics, std::vector<ProofMove> moves) {
  const bool first = !result_.proof;
  if (!Found(syntax::Proof{.tactics = tactics, .auxiliary = {}})) return false;
  if (limits().tracing() && !moves.empty()) {
    nlohmann::json origins = nlohmann::json::array();
    for (const ProofMove& move : moves) origins.push_back(move.origin);
    limits().Append(event::kProofOrigins, {{"origins", std::move(origins)}});
  }
  if (first) result_.moves = std::move(moves);
  return true;
}

}  // namespace zermelo::strategy
