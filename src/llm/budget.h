// What may be spent on language models, shared by everybody who asks one.
//
// A call reserves the most it can cost before it begins (n times the prompt, estimated, and n times
// max_tokens: a server may have to be asked for each completion on its own, and bills the prompt
// each time) and settles what it did cost when it ends. It begins only while something is left
// beside all reservations, so that a limit is exceeded by less than one call, and it waits while
// only reservations are in its way. Samples are never exceeded: n is lowered to what is left.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/async.h"
#include "core/config.h"
#include "llm/model.h"

namespace zermelo::llm {

/// Dollars per million tokens.
struct Price {
  double prompt = 0;
  std::optional<double> cached_prompt;  // not said: as `prompt`
  double completion = 0;
  bool operator==(const Price&) const = default;
};

double Dollars(const Price& price, const Usage& usage);

struct Spending {
  int64_t calls = 0;
  int64_t samples = 0;  // completions
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;
  double dollars = 0;
  bool estimated = false;  // at least one server did not say
  int64_t tokens() const { return prompt_tokens + completion_tokens; }
  Spending& operator+=(const Spending& other);
  Spending& operator-=(const Spending& other);  // what was added before; `estimated` stays
};

/// What one call cost that gave so many completions.
Spending Cost(const Price& price, const Usage& usage, int64_t samples);

/// Nothing said: no limit.
struct BudgetLimits {
  std::optional<int64_t> samples;
  std::optional<int64_t> tokens;
  std::optional<double> dollars;
  bool operator==(const BudgetLimits&) const = default;
};

struct ModelBudget {
  Price price;
  BudgetLimits limits;
};

/// As zermelo.toml says.
BudgetLimits LimitsOf(const core::BudgetConfig& config);
Price PriceOf(const core::PriceConfig& config);
std::map<std::string, ModelBudget> ModelBudgetsOf(const core::Config& config);

/// One thread. Must outlive the models that it was given to.
class Budget {
 public:
  /// `models` by name; others are free of charge and limited only by `total`.
  Budget(const core::Executor& executor, BudgetLimits total,
         std::map<std::string, ModelBudget> models);
  ~Budget();

  const Spending& total() const;
  const std::map<std::string, Spending>& models() const;
  /// By what models were asked for, and by model: calls of models that were limited for a role.
  const std::map<std::string, std::map<std::string, Spending>>& roles() const;
  Price PriceOf(const std::string& model) const;
  /// A limit of the total is reached; nothing more will begin.
  bool exhausted() const;

  /// "21 samples in 12 calls, 41.2k tokens (38.0k in, 3.2k out), $0.0123 of $1.00: kimina 12 for
  /// $0.0100, chat 9 for $0.0023". "~" before figures that are estimates.
  std::string Summary() const;

  /// Asks `inner` within this budget. Error kCancelled, "the budget of … is used up". A call that
  /// ends in an error is charged what on_lost_usage says; one that was cut off without saying
  /// (kTimeout, kCancelled), its prompt, of which the caller's on_lost_usage is told.
  /// `role`: what it is asked for by this one; empty: not counted by role.
  std::unique_ptr<Model> Limit(Model& inner, std::string role = "");

 private:
  class Ledger;
  class LimitedModel;
  std::shared_ptr<Ledger> ledger_;
};

}  // namespace zermelo::llm
