// The part of a trajectory that its model still sees, and the ways to shorten it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "llm/model.h"
#include "strategy/agent/tool_call.h"

namespace zermelo::strategy::agent {

/// The answer of a tool call.
struct ToolResult {
  ToolCall call;
  std::string answer;
  std::string subject;    // the declaration that was checked; empty: none
  bool refused = false;   // rejected by Lean, or the arguments are invalid
  bool accepted = false;  // something new is proved
};

/// A turn of the model and the answers to it.
struct Exchange {
  llm::Message said;
  std::vector<ToolResult> results;
  std::string note;  // added by Zermelo; empty: none
  bool pruned = false;
};

class Conversation {
 public:
  /// `start`: the messages that are always kept.
  explicit Conversation(std::vector<llm::Message> start) : start_(std::move(start)) {}

  void Add(Exchange exchange) { exchanges_.push_back(std::move(exchange)); }
  size_t turns() const { return exchanges_.size(); }
  bool empty() const { return exchanges_.empty(); }

  /// All messages to send. Results of plain-text calls are merged into one user message.
  std::vector<llm::Message> Messages() const;
  /// The messages that answer the model in one exchange.
  static std::vector<llm::Message> AnswersOf(const Exchange& exchange);

  /// Blanks exchanges that no longer matter: rejected attempts at statements that have been proved
  /// since, and searches and computations more than `keep` exchanges ago. Returns how many
  /// exchanges were blanked.
  size_t Prune(size_t keep);

  /// Number of calls rejected since the last progress.
  size_t RefusedInARow() const;
  /// Removes the exchanges from the first of them on and adds `note` instead. Returns the number of
  /// exchanges left.
  size_t Backtrack(const std::string& note);
  /// The subjects and answers of these rejected calls, one list item each.
  std::string RefusedLately() const;

  /// Replaces all but the last `keep` exchanges by `summary`.
  void Compact(const std::string& summary, size_t keep);

 private:
  size_t FirstOfRefused() const;

  std::vector<llm::Message> start_;
  std::string before_;  // replaces removed exchanges
  std::vector<Exchange> exchanges_;
};

}  // namespace zermelo::strategy::agent
