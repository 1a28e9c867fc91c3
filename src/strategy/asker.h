// Asks models that chat on behalf of one run, within its limits.
#pragma once

#include <optional>
#include <vector>

#include "llm/budget.h"
#include "llm/model.h"
#include "strategy/limits.h"

namespace zermelo::strategy {

/// One executor; calls may overlap.
class Asker {
 public:
  /// `limits` is copied; what it points to must outlive the asker.
  explicit Asker(Limits limits) : limits_(std::move(limits)) {}

  struct Answer {
    llm::Completion completion;
    llm::Usage usage;
  };
  /// One completion. Nothing: the run has ended, the budget is used up, or the call failed for
  /// good.
  core::Task<std::optional<Answer>> Ask(llm::Model& model, std::vector<llm::Message> messages,
                                        std::vector<llm::Tool> tools = {});
  /// The same, or why there is none: the server may refuse `tools`.
  core::Task<core::Result<Answer>> TryToAsk(llm::Model& model, std::vector<llm::Message> messages,
                                            std::vector<llm::Tool> tools);

  bool MayAsk() const { return !limits_.Ended() && !spent_ && !error_; }
  /// Models may not be asked any more because their budget is used up.
  bool spent() const { return spent_; }
  /// The first error that was none of these; the run cannot go on.
  const std::optional<core::Error>& error() const { return error_; }
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
