// Sends chat requests on behalf of one run, within its limits.
#pragma once

#include <optional>
#include <vector>

#include "llm/budget.h"
#include "llm/model.h"
#include "strategy/limits.h"

namespace zermelo::strategy {

/// Adds a completed call to `spending`.
void Charge(const llm::Reply& reply, llm::Spending& spending);
/// Adds the tokens of a call that ended in an error (llm::CallContext::on_lost_usage).
void ChargeLost(const llm::Usage& usage, llm::Spending& spending);

/// All calls on one executor; they may overlap.
class Asker {
 public:
  /// `limits` is copied; the objects it points to must outlive the asker.
  explicit Asker(Limits limits) : limits_(std::move(limits)) {}

  struct Answer {
    llm::Completion completion;
    llm::Usage usage;
  };
  /// Requests one completion. Returns nullopt if the run has ended, the budget is used up, or the
  /// call failed permanently.
  core::Task<std::optional<Answer>> Ask(llm::Model& model, std::vector<llm::Message> messages,
                                        std::vector<llm::Tool> tools = {});
  /// Like Ask, but returns the error of a failed call: a server may reject `tools`.
  core::Task<core::Result<Answer>> TryToAsk(llm::Model& model, std::vector<llm::Message> messages,
                                            std::vector<llm::Tool> tools);

  bool MayAsk() const { return !limits_.Ended() && !spent_ && !error_; }
  /// The models' budget is used up; no more calls are sent.
  bool spent() const { return spent_; }
  /// The first other error; the run cannot continue.
  const std::optional<core::Error>& error() const { return error_; }
  /// Records an error: kCancelled or kTimeout before the end of the run mean that the budget is
  /// used up, any other error ends the run.
  void Failed(const core::Error& error);
  const llm::Spending& spending() const { return spending_; }
  const Limits& limits() const { return limits_; }

 private:
  const Limits limits_;
  bool spent_ = false;
  std::optional<core::Error> error_;
  llm::Spending spending_;
};

}  // namespace zermelo::strategy
