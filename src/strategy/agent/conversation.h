// What a model still sees of its trajectory, and how that is kept short.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "llm/model.h"
#include "strategy/agent/tool_call.h"

namespace zermelo::strategy::agent {

/// What a tool answered.
struct ToolResult {
  ToolCall call;
  std::string answer;
  std::string subject;    // the declaration that was checked; empty: nothing of the kind
  bool refused = false;   // Lean, or a reader of arguments, did not take it
  bool accepted = false;  // something new is proved
};

/// A turn of the model and what followed it.
struct Exchange {
  llm::Message said;
  std::vector<ToolResult> results;
  std::string note;  // from us; empty: nothing
  bool pruned = false;
};

class Conversation {
 public:
  /// `start`: the messages that are always kept.
  explicit Conversation(std::vector<llm::Message> start) : start_(std::move(start)) {}

  void Add(Exchange exchange) { exchanges_.push_back(std::move(exchange)); }
  size_t turns() const { return exchanges_.size(); }
  bool empty() const { return exchanges_.empty(); }

  /// All as the server is sent it. Results of calls in plain text are one message of the user.
  std::vector<llm::Message> Messages() const;
  /// What follows the model's words in one exchange; likewise.
  static std::vector<llm::Message> AnswersOf(const Exchange& exchange);

  /// Leaves out what no longer matters: refused attempts at what has been proved since, and what
  /// was searched and computed more than `keep` exchanges ago. How many exchanges that were.
  size_t Prune(size_t keep);

  /// How many calls in a row, up to now, were refused; what each of them was about.
  size_t RefusedInARow() const;
  /// Goes back to before the first of them; in their place stands `note`. The turn it goes back to.
  size_t Backtrack(const std::string& note);
  /// What was refused there, a line each.
  std::string RefusedLately() const;

  /// Forgets all but the last `keep` exchanges; in their place stands `summary`.
  void Compact(const std::string& summary, size_t keep);

 private:
  size_t FirstOfRefused() const;

  std::vector<llm::Message> start_;
  std::string before_;  // what stands for exchanges that are gone
  std::vector<Exchange> exchanges_;
};

}  // namespace zermelo::strategy::agent
