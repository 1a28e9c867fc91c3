#include "strategy/agent/trajectory.h"

#include <algorithm>
#include <fmt/format.h>

#include "llm/usage.h"
#include "record/answer_json.h"
#include "strategy/prompt_text.h"

namespace zermelo::strategy::agent {

using core::ErrorCode;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kMaxIdleTurns = 2;

/// Some servers only say that they refuse the request.
bool MayBeTooLong(const core::Error& error) {
  return error.code == ErrorCode::kTooLong || error.code == ErrorCode::kRefused ||
         error.code == ErrorCode::kUsage;
}

llm::Message UserSays(std::string content) {
  llm::Message message;
  message.role = "user";
  message.content = std::move(content);
  return message;
}

ToolCall TooMany() {
  ToolCall call;
  call.error = "the calls of this trajectory are used up";
  return call;
}

}  // namespace

Trajectory::Trajectory(AgentContext& context, size_t number, size_t round, std::string summary)
    : context_(context),
      session_(context.session),
      parameters_(context.parameters),
      by_(fmt::format("{}{}{}.{}", context.task.label, context.task.label.empty() ? "" : " ",
                      number, round)),
      summary_(std::move(summary)) {}

bool Trajectory::Goes() const { return session_.MayAsk() && !context_.toolbox.finish(); }

// ---- prompts

std::string Trajectory::Text(std::string_view name, const llm::PromptTemplates::Values& values) {
  const auto messages = session_.Fill(name, values);
  return messages ? messages->back().content : "";
}

std::vector<llm::Tool> Trajectory::Tools() {
  std::vector<llm::Tool> tools;
  for (const ToolKind& kind : context_.toolbox.offered()) {
    tools.push_back(Describe(kind, Text(fmt::format("tool_{}", kind.name))));
  }
  return tools;
}

/// Instructions for plain-text tool calls; empty if the server handles tool calls.
std::string Trajectory::Calling() {
  if (!context_.plain_text) return "";
  std::string tools;
  for (const llm::Tool& tool : Tools())
    tools += fmt::format("- {}: {}\n", tool.name, tool.description);
  return Text("plain_text", {{"tools", tools}});
}

bool Trajectory::Start() {
  const StatementTask& task = context_.task;
  std::string goal = task.theorem.head + " := by\n  sorry";
  if (!task.negation.empty()) {
    goal += "\n\n-- or, if it is false:\n" + task.negation + " := by\n  sorry";
  }
  const std::string lemmas = task.known->Statements();
  const auto values = PromptValues(
      "calling", Calling(), "calls", std::to_string(parameters_.tool_calls), "header",
      HeaderBlock(task.theorem.header), "goal", LeanBlock(task.theorem.doc + goal), "lemmas",
      FormatSection("Lean has accepted these already; they stand before your code:",
                    lemmas.empty() ? "" : LeanBlock(lemmas)),
      "informal", FormatSection("A proof in words, which may help:", task.informal), "notes",
      FormatSection("What earlier attempts learned:", Notes()));
  told_ = task.known->all().size();
  auto start = session_.Fill("start", values);
  if (!start) return false;
  conversation_ = Conversation(*std::move(start));
  added_ = 0;
  for (const llm::Message& message : conversation_.Messages()) {
    Record(message);
    added_ += static_cast<size_t>(llm::EstimateTokens(message.content));
  }
  return true;
}

/// Lemmas that other trajectories proved since the last call.
std::string Trajectory::NewsFromOthers() {
  const auto& all = context_.task.known->all();
  std::string news;
  for (; told_ < all.size(); ++told_) {
    if (all[told_].by != by_) news.append(all[told_].head).append("\n");
  }
  if (news.empty()) return "";
  return "Meanwhile these were proved elsewhere; they stand before your code, too:\n\n" +
         LeanBlock(news);
}

// ---- events

void Trajectory::Append(std::string_view kind, json fields) const {
  fields["task"] = context_.task.label;
  fields["by"] = by_;
  session_.limits().Append(kind, std::move(fields));
}

void Trajectory::RecordBegin() const {
  json fields = json::object();
  if (!context_.task.informal.empty()) fields["words"] = context_.task.informal;
  if (!Notes().empty()) fields["notes"] = Notes();
  Append(event::kRoundBegun, std::move(fields));
}

void Trajectory::Record(const llm::Message& message) const {
  Append(event::kMessage, record::ToJson(message));
}

void Trajectory::RecordCut(std::string_view how, size_t exchanges) {
  was_cut_ = true;
  json fields;
  fields["how"] = how;
  fields["exchanges"] = exchanges;
  Append(event::kContextCut, std::move(fields));
}

// ---- turns

/// What the context holds is the request and its answer; the next request has the answer without
/// thinking. Cutting the context makes no room for more turns.
void Trajectory::CountTokens(const llm::Usage& usage) {
  const auto prompt = static_cast<size_t>(std::max<int64_t>(usage.prompt_tokens, 0));
  const auto written = static_cast<size_t>(std::max<int64_t>(usage.completion_tokens, 0));
  const size_t held = in_context_ + added_;
  if (was_cut_) cut_ += held - std::min(prompt, held);
  in_context_ = prompt + written;
  added_ = 0;
  was_cut_ = false;
}

/// The next answer may not make the sequence longer than the trajectory's tokens.
llm::Sampling Trajectory::WithinTokens() const {
  const size_t held = std::min(Held(), parameters_.tokens - 1);
  llm::Sampling sampling;
  sampling.max_tokens = static_cast<int>(std::min<size_t>(parameters_.tokens - held, 1U << 24U));
  return sampling;
}

/// Sends the messages with the tools, unless those are described in plain text.
Task<core::Result<Session::Answer>> Trajectory::Request(std::vector<llm::Message> messages,
                                                        llm::Sampling sampling) {
  std::vector<llm::Tool> tools;
  if (!context_.plain_text) tools = Tools();
  llm::Model& model = *session_.services().roles->chat(role::kAgent);
  return session_.Generate(model, std::move(messages), std::move(tools), std::move(sampling),
                           session_.limits());
}

Task<std::optional<Session::Answer>> Trajectory::AskModel() {
  const bool may_switch =
      parameters_.protocol == ToolProtocol::kAuto && !context_.plain_text && conversation_.empty();
  auto answer = co_await Request(conversation_.Messages(), WithinTokens());
  if (!answer && may_switch &&
      (answer.error().code == ErrorCode::kUsage || answer.error().code == ErrorCode::kRefused)) {
    context_.plain_text = true;  // a server without tool support rejects the request
    if (!Start()) co_return std::nullopt;
    answer = co_await Request(conversation_.Messages(), WithinTokens());
  }
  if (answer) co_return *std::move(answer);
  if (MayBeTooLong(answer.error()) && !conversation_.empty()) {
    too_long_ = true;  // earlier requests of this conversation were accepted
  } else {
    session_.Failed(answer.error());
  }
  co_return std::nullopt;
}

Task<bool> Trajectory::Turn() {
  const auto answer = co_await AskModel();
  if (!answer) co_return false;
  CountTokens(answer->usage);
  auto calls = ReadCalls(answer->completion, context_.toolbox.offered(), conversation_.turns());
  Exchange exchange;
  exchange.said = AssistantMessage(answer->completion, calls);
  Record(exchange.said);
  for (ToolCall& call : calls) {
    if (calls_++ >= parameters_.tool_calls) call.error = TooMany().error;
  }
  idle_ = calls.empty() ? idle_ + 1 : 0;
  if (!calls.empty()) {
    exchange.results = co_await context_.toolbox.Perform(std::move(calls), by_);
  } else {
    exchange.note = Text("no_call");
  }
  const std::string news = NewsFromOthers();
  if (!news.empty()) exchange.note += (exchange.note.empty() ? "" : "\n\n") + news;
  for (const llm::Message& message : Conversation::AnswersOf(exchange)) {
    Record(message);
    added_ += static_cast<size_t>(llm::EstimateTokens(message.content));
  }
  conversation_.Add(std::move(exchange));
  const bool has_room = Held() < parameters_.tokens;
  co_return has_room&& idle_ < kMaxIdleTurns&& calls_ < parameters_.tool_calls;
}

Task<void> Trajectory::Run() {
  RecordBegin();
  if (!Start()) co_return;
  bool goes = true;
  while (goes && Goes()) {
    goes = co_await Turn();
    if (goes && Goes()) co_await KeepShort();
  }
}

// ---- keeping it short

void Trajectory::BacktrackIfStuck() {
  if (parameters_.backtrack_after == 0) return;
  if (conversation_.RefusedInARow() < parameters_.backtrack_after) return;
  const size_t turns = conversation_.turns();
  const std::string note =
      Text("backtrack", PromptValues("refused", conversation_.RefusedLately()));
  const size_t kept = conversation_.Backtrack(note);
  Record(UserSays(note));
  RecordCut("backtracked", turns - kept);
}

Task<void> Trajectory::KeepShort() {
  BacktrackIfStuck();
  if (parameters_.context == 0) co_return;
  if (2 * in_context_ >= parameters_.context) {
    const size_t pruned = conversation_.Prune(parameters_.keep);
    if (pruned > 0) RecordCut("pruned", pruned);
  }
  if (in_context_ >= parameters_.context && conversation_.turns() > parameters_.keep) {
    co_await CompactContext();
  }
}

/// Replaces all but the last exchanges by the model's summary.
Task<void> Trajectory::CompactContext() {
  const size_t turns = conversation_.turns();
  const std::string summary = co_await Summarise();
  const std::string note = Text("compacted", PromptValues("summary", summary));
  conversation_.Compact(note, parameters_.keep);
  Record(UserSays(note));
  RecordCut("compacted", turns - std::min(turns, parameters_.keep));
}

Task<std::string> Trajectory::Summarise() {
  if (too_long_) conversation_.Compact(conversation_.RefusedLately(), 1);
  auto messages = conversation_.Messages();
  messages.push_back(UserSays(Text("summary")));
  Record(messages.back());
  std::string summary;
  if (!session_.MayAsk()) co_return summary_;
  // With the tools, so that the prompt prefix stays the same, for servers that cache it. Not within
  // the tokens, which may be used up.
  const auto answer = co_await Request(std::move(messages), llm::Sampling());
  if (!answer && !MayBeTooLong(answer.error())) session_.Failed(answer.error());
  if (answer) {
    CountTokens(answer->usage);
    const std::vector<ToolCall> none(answer->completion.tool_calls.size());
    const llm::Message said = AssistantMessage(answer->completion, none);
    Record(said);
    summary = said.content;
  }
  if (summary.find_first_not_of(" \t\r\n") != std::string::npos) co_return summary;
  const std::string refused = conversation_.RefusedLately();
  co_return refused.empty() ? summary_ : "What Lean refused last:\n" + refused;
}

}  // namespace zermelo::strategy::agent
