// Budgets for calls of language models, shared by all callers.
//
// Before a call begins it reserves its maximum cost: n times the estimated prompt and n times
// max_tokens, since a server may need one request per completion and bill the prompt each time.
// When the call ends, its actual cost replaces the reservation. A call begins only while spending
// and reservations together are below every limit, so that a limit is exceeded by less than one
// call; while only reservations are in the way, it waits. The limit on samples is never exceeded: n
// is lowered to what is left.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/async.h"
#include "core/config.h"
#include "core/fields.h"
#include "llm/model.h"

namespace zermelo::llm {

/// Dollars per million tokens, as configured.
using Price = core::PriceConfig;

double Dollars(const Price& price, const Usage& usage);

struct Spending {
  int64_t calls = 0;
  int64_t samples = 0;  // completions
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;
  double dollars = 0;
  bool estimated = false;  // at least one server did not report its usage
  int64_t tokens() const { return prompt_tokens + completion_tokens; }
  Spending& operator+=(const Spending& other);
  Spending& operator-=(const Spending& other);  // `other` was added before; `estimated` stays
  bool operator==(const Spending&) const = default;
};
/// `dollars`: the name of that field.
void Fields(auto& field, Spending& spending, const char* dollars = "dollars") {
  field("calls", spending.calls);
  field("samples", spending.samples);
  field("prompt_tokens", spending.prompt_tokens);
  field("completion_tokens", spending.completion_tokens);
  field(dollars, spending.dollars);
  field("estimated", spending.estimated);
}

/// The cost of one call that returned `samples` completions.
Spending Cost(const Price& price, const Usage& usage, int64_t samples);

/// As configured; limits that are not set do not apply.
using BudgetLimits = core::BudgetConfig;

struct ModelBudget {
  Price price;
  BudgetLimits limits;
};

/// Limits and prices from zermelo.toml, by model.
std::map<std::string, ModelBudget> ModelBudgetsOf(const core::Config& config);

/// For use on one thread. Must outlive the models that Limit returns.
class Budget {
 public:
  /// `models`: prices and limits by name of the model. Other models are free of charge and limited
  /// only by `total`.
  Budget(const core::Executor& executor, BudgetLimits total,
         std::map<std::string, ModelBudget> models);
  ~Budget();

  const Spending& total() const;
  const std::map<std::string, Spending>& models() const;
  /// Spending by role, then by model, of the models that were limited with a role.
  const std::map<std::string, std::map<std::string, Spending>>& roles() const;
  /// Whether a limit of the total is reached, so that no further call begins.
  bool exhausted() const;

  /// "21 samples in 12 calls, 41.2k tokens (38.0k in, 3.2k out), $0.0123 of $1.00: kimina 12 for
  /// $0.0100, chat 9 for $0.0023". "~" marks estimates.
  std::string Summary() const;

  /// A model that calls `inner` within this budget. Calls fail with kCancelled, "the budget of … is
  /// used up". A failed call is charged the usage that it reported through on_lost_usage; a call
  /// that was cut off (kTimeout, kCancelled) without reporting any is charged its estimated prompt,
  /// which is passed on to the caller's on_lost_usage.
  /// `role`: the role that the calls are counted for; empty: none.
  std::unique_ptr<Model> Limit(Model& inner, std::string role = "");

 private:
  class Ledger;
  class LimitedModel;
  std::shared_ptr<Ledger> ledger_;
};

}  // namespace zermelo::llm
