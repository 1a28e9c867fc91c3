#include "strategy/agent/conversation.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace zermelo::strategy::agent {

namespace {

constexpr std::string_view kLeftOut = "(left out)";

llm::Message User(std::string content) {
  llm::Message message;
  message.role = "user";
  message.content = std::move(content);
  return message;
}

std::string FirstLines(const std::string& text, size_t lines) {
  size_t end = 0;
  while (lines-- > 0 && end != std::string::npos) end = text.find('\n', end + 1);
  return text.substr(0, end);
}

bool IsRefused(const Exchange& exchange) {
  return !exchange.results.empty() &&
         std::all_of(exchange.results.begin(), exchange.results.end(),
                     [](const ToolResult& result) { return result.refused; });
}

bool Progresses(const Exchange& exchange) {
  return std::any_of(exchange.results.begin(), exchange.results.end(),
                     [](const ToolResult& result) { return result.accepted; });
}

/// Calls and results must stay paired, so only their contents are removed.
void LeaveOut(Exchange& exchange, const std::string& why) {
  exchange.pruned = true;
  for (llm::ToolCall& call : exchange.said.tool_calls) call.arguments = "{}";
  exchange.said.content = why;
  for (ToolResult& result : exchange.results) result.answer = kLeftOut;
}

}  // namespace

std::vector<llm::Message> Conversation::AnswersOf(const Exchange& exchange) {
  std::vector<llm::Message> messages;
  std::string text;
  for (size_t i = 0; i < exchange.results.size(); ++i) {
    const ToolResult& result = exchange.results[i];
    if (result.call.id.empty()) {
      text +=
          fmt::format("Result of call {} ({}):\n{}\n\n", i + 1, result.call.tool, result.answer);
      continue;
    }
    llm::Message message;
    message.role = "tool";
    message.tool_call_id = result.call.id;
    message.content = result.answer;
    messages.push_back(std::move(message));
  }
  text += exchange.note;
  if (!text.empty()) messages.push_back(User(std::move(text)));
  return messages;
}

std::vector<llm::Message> Conversation::Messages() const {
  std::vector<llm::Message> messages = start_;
  if (!before_.empty()) messages.back().content += "\n\n" + before_;
  for (const Exchange& exchange : exchanges_) {
    messages.push_back(exchange.said);
    for (llm::Message& answer : AnswersOf(exchange)) messages.push_back(std::move(answer));
  }
  return messages;
}

size_t Conversation::Prune(size_t keep) {
  size_t pruned = 0;
  std::set<std::string> proved_later;
  for (size_t i = exchanges_.size(); i-- > 0;) {
    Exchange& exchange = exchanges_[i];
    const bool old = i + keep < exchanges_.size();
    bool superseded = IsRefused(exchange), looked_up = !exchange.results.empty();
    for (const ToolResult& result : exchange.results) {
      superseded = superseded && proved_later.contains(result.subject);
      looked_up = looked_up && result.call.tool != kVerify.name;
    }
    for (const ToolResult& result : exchange.results) {
      if (result.accepted) proved_later.insert(result.subject);
    }
    if (exchange.pruned || (!superseded && !(old && looked_up))) continue;
    LeaveOut(exchange, superseded ? "(left out: attempts at what has been proved since)"
                                  : "(left out: an earlier search or computation)");
    ++pruned;
  }
  return pruned;
}

size_t Conversation::FirstOfRefused() const {
  size_t first = exchanges_.size();
  while (first > 0 && !Progresses(exchanges_[first - 1])) --first;
  while (first < exchanges_.size() && !IsRefused(exchanges_[first])) ++first;
  return first;
}

size_t Conversation::RefusedInARow() const {
  size_t calls = 0;
  for (size_t i = FirstOfRefused(); i < exchanges_.size(); ++i) {
    for (const ToolResult& result : exchanges_[i].results) calls += result.refused ? 1 : 0;
  }
  return calls;
}

std::string Conversation::RefusedLately() const {
  std::string lines;
  for (size_t i = FirstOfRefused(); i < exchanges_.size(); ++i) {
    for (const ToolResult& result : exchanges_[i].results) {
      if (!result.refused) continue;
      const std::string subject = result.subject.empty() ? result.call.tool : result.subject;
      lines += fmt::format("- {}: {}\n", subject, FirstLines(result.answer, 4));
    }
  }
  return lines;
}

size_t Conversation::Backtrack(const std::string& note) {
  const size_t first = FirstOfRefused();
  exchanges_.resize(std::min(first, exchanges_.size()));
  std::string& place = exchanges_.empty() ? before_ : exchanges_.back().note;
  place.append(place.empty() ? "" : "\n\n").append(note);
  return first;
}

void Conversation::Compact(const std::string& summary, size_t keep) {
  const size_t gone = exchanges_.size() - std::min(keep, exchanges_.size());
  exchanges_.erase(exchanges_.begin(), exchanges_.begin() + static_cast<ptrdiff_t>(gone));
  before_ = summary;
}

}  // namespace zermelo::strategy::agent
