#include "llm/budget.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "llm/usage.h"

namespace zermelo::llm {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

constexpr double kMillion = 1e6;

bool Reached(const BudgetLimits& limits, const Spending& spent, const Spending& reserved) {
  return (limits.samples && spent.samples + reserved.samples >= *limits.samples) ||
         (limits.tokens && spent.tokens() + reserved.tokens() >= *limits.tokens) ||
         (limits.dollars && spent.dollars + reserved.dollars >= *limits.dollars);
}

std::string Count(int64_t number) {
  if (number < 10'000) return std::to_string(number);
  if (number < 10'000'000) return fmt::format("{:.1f}k", static_cast<double>(number) / 1e3);
  return fmt::format("{:.1f}M", static_cast<double>(number) / 1e6);
}

std::string Money(double dollars) {
  return dollars == 0 || dollars >= 1 ? fmt::format("${:.2f}", dollars)
                                      : fmt::format("${:.4f}", dollars);
}

std::string Of(const std::string& spent, const std::string& limit) {
  return limit.empty() ? spent : spent + " of " + limit;
}

}  // namespace

Spending Cost(const Price& price, const Usage& usage, int64_t samples) {
  Spending spending;
  spending.calls = 1;
  spending.samples = samples;
  spending.prompt_tokens = usage.prompt_tokens;
  spending.completion_tokens = usage.completion_tokens;
  spending.dollars = Dollars(price, usage);
  spending.estimated = usage.estimated;
  return spending;
}

std::map<std::string, ModelBudget> ModelBudgetsOf(const core::Config& config) {
  std::map<std::string, ModelBudget> budgets;
  for (const auto& [name, model] : config.models) {
    budgets[name] = {.price = model.price, .limits = model.budget};
  }
  return budgets;
}

double Dollars(const Price& price, const Usage& usage) {
  const auto fresh = static_cast<double>(usage.prompt_tokens - usage.cached_prompt_tokens);
  return (fresh * price.prompt +
          static_cast<double>(usage.cached_prompt_tokens) *
              price.cached_prompt.value_or(price.prompt) +
          static_cast<double>(usage.completion_tokens) * price.completion) /
         kMillion;
}

Spending& Spending::operator+=(const Spending& other) {
  calls += other.calls;
  samples += other.samples;
  prompt_tokens += other.prompt_tokens;
  completion_tokens += other.completion_tokens;
  dollars += other.dollars;
  estimated = estimated || other.estimated;
  return *this;
}

Spending& Spending::operator-=(const Spending& other) {
  calls -= other.calls;
  samples -= other.samples;
  prompt_tokens -= other.prompt_tokens;
  completion_tokens -= other.completion_tokens;
  dollars = calls == 0 ? 0 : dollars - other.dollars;  // without rounding errors at the end
  return *this;
}

class Budget::Ledger {
 public:
  Ledger(const core::Executor& executor, BudgetLimits total,
         std::map<std::string, ModelBudget> models)
      : limits(total), terms(std::move(models)), settled(executor) {}

  ModelBudget TermsOf(const std::string& model) const {
    const auto found = terms.find(model);
    return found == terms.end() ? ModelBudget{} : found->second;
  }

  /// The entry of a model in `spent` or `reserved_by_model`; zero if there is none.
  static Spending In(const std::map<std::string, Spending>& amounts, const std::string& model) {
    const auto found = amounts.find(model);
    return found == amounts.end() ? Spending() : found->second;
  }

  /// The budget that is used up, by spending alone or together with reservations; empty: none.
  std::string UsedUp(const std::string& model, bool with_reservations) const {
    const Spending none;
    if (Reached(limits, total, with_reservations ? reserved : none)) return "all models";
    const Spending own = with_reservations ? In(reserved_by_model, model) : none;
    if (Reached(TermsOf(model).limits, In(spent, model), own)) return model;
    return "";
  }

  int SamplesLeft(const std::string& model, int wanted) const {
    int64_t left = wanted;
    if (limits.samples) left = std::min(left, *limits.samples - total.samples - reserved.samples);
    if (const auto own = TermsOf(model).limits.samples) {
      const int64_t taken = In(spent, model).samples + In(reserved_by_model, model).samples;
      left = std::min(left, *own - taken);
    }
    return static_cast<int>(left);
  }

  const BudgetLimits limits;
  const std::map<std::string, ModelBudget> terms;
  Spending total;
  std::map<std::string, Spending> spent;
  std::map<std::string, std::map<std::string, Spending>> by_role;
  Spending reserved;  // by calls in flight
  std::map<std::string, Spending> reserved_by_model;
  core::Signal settled;
};

class Budget::LimitedModel : public Model {
 public:
  LimitedModel(Model& inner, std::shared_ptr<Ledger> ledger, std::string role)
      : inner_(inner), ledger_(std::move(ledger)), role_(std::move(role)) {}

  const std::string& name() const override { return inner_.name(); }

  Task<Result<Reply>> Generate(Request request, CallContext context) override {
    const auto place = co_await Admit(context);
    if (!place) co_return Fail(place.error());
    const Price price = ledger_->TermsOf(name()).price;
    request.sampling.n = ledger_->SamplesLeft(name(), request.sampling.n);
    const int64_t prompt_tokens = EstimatePromptTokens(request);
    Reservation reservation(*ledger_, name(), role_,
                            MostOf(price, prompt_tokens, request.sampling));
    std::optional<Usage> lost;
    const auto tell = std::move(context.on_lost_usage);
    context.on_lost_usage = [&lost](const Usage& usage) { lost = usage; };
    const auto reply = co_await inner_.Generate(std::move(request), std::move(context));
    if (!lost && !reply && WasCutOff(reply.error())) lost = OnlyPrompt(prompt_tokens);
    if (lost) {
      reservation.Settle(Cost(price, *lost, 0));
      if (tell) tell(*lost);
    } else if (reply) {
      reservation.Settle(
          Cost(price, reply->usage, static_cast<int64_t>(reply->completions.size())));
    }
    co_return reply;
  }

 private:
  /// Released on destruction, however the call ends.
  class Reservation {
   public:
    Reservation(Ledger& ledger, std::string model, std::string role, const Spending& most)
        : ledger_(ledger), model_(std::move(model)), role_(std::move(role)), most_(most) {
      ledger_.reserved += most_;
      ledger_.reserved_by_model[model_] += most_;
    }
    ~Reservation() {
      ledger_.reserved -= most_;
      ledger_.reserved_by_model[model_] -= most_;
      ledger_.settled.Notify();
    }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    void Settle(const Spending& cost) {
      ledger_.total += cost;
      ledger_.spent[model_] += cost;
      if (!role_.empty()) ledger_.by_role[role_][model_] += cost;
    }

   private:
    Ledger& ledger_;
    const std::string model_;
    const std::string role_;
    const Spending most_;
  };

  static Spending MostOf(const Price& price, int64_t prompt_tokens, const Sampling& sampling) {
    Usage most;
    most.prompt_tokens = prompt_tokens * sampling.n;  // if each completion is one request
    most.completion_tokens =
        static_cast<int64_t>(sampling.n) * sampling.max_tokens.value_or(kDefaultMaxTokens);
    return Cost(price, most, sampling.n);
  }

  static bool WasCutOff(const core::Error& error) {
    return error.code == ErrorCode::kTimeout || error.code == ErrorCode::kCancelled;
  }

  static Usage OnlyPrompt(int64_t prompt_tokens) {
    Usage usage;
    usage.prompt_tokens = prompt_tokens;
    usage.estimated = true;
    return usage;
  }

  /// Waits while only reservations are in the way.
  Task<core::Status> Admit(const CallContext& context) {
    const core::Cancellation::Subscription wake(
        context.cancellation, [ledger = ledger_.get()] { ledger->settled.Notify(); });
    while (true) {
      const std::string used_up = ledger_->UsedUp(name(), false);
      if (!used_up.empty()) {
        co_return Fail(ErrorCode::kCancelled, fmt::format("the budget of {} is used up", used_up));
      }
      if (ledger_->UsedUp(name(), true).empty()) co_return core::Status();
      if (context.cancellation != nullptr && context.cancellation->requested()) {
        co_return Fail(ErrorCode::kCancelled, "cancelled while waiting for the budget");
      }
      if (context.deadline.Passed()) {
        co_return Fail(ErrorCode::kTimeout, "the deadline passed while waiting for the budget");
      }
      co_await ledger_->settled.Wait(context.deadline);
    }
  }

  Model& inner_;
  const std::shared_ptr<Ledger> ledger_;
  const std::string role_;
};

Budget::Budget(const core::Executor& executor, BudgetLimits total,
               std::map<std::string, ModelBudget> models)
    : ledger_(std::make_shared<Ledger>(executor, total, std::move(models))) {}
Budget::~Budget() = default;

const Spending& Budget::total() const { return ledger_->total; }
const std::map<std::string, Spending>& Budget::models() const { return ledger_->spent; }
const std::map<std::string, std::map<std::string, Spending>>& Budget::roles() const {
  return ledger_->by_role;
}
bool Budget::exhausted() const { return Reached(ledger_->limits, ledger_->total, Spending()); }

std::string Budget::Summary() const {
  const Spending& all = ledger_->total;
  const BudgetLimits& limits = ledger_->limits;
  const char* about = all.estimated ? "~" : "";
  std::string text = fmt::format(
      "{} samples in {} calls, {}{} tokens ({} in, {} out), {}{}",
      Of(Count(all.samples), limits.samples ? Count(*limits.samples) : ""), Count(all.calls), about,
      Of(Count(all.tokens()), limits.tokens ? Count(*limits.tokens) : ""), Count(all.prompt_tokens),
      Count(all.completion_tokens), about,
      Of(Money(all.dollars), limits.dollars ? Money(*limits.dollars) : ""));
  if (ledger_->spent.size() < 2) return text;
  std::vector<std::string> parts;
  for (const auto& [name, spent] : ledger_->spent) {
    parts.push_back(fmt::format("{} {} for {}", name, Count(spent.samples), Money(spent.dollars)));
  }
  return fmt::format("{}: {}", text, fmt::join(parts, ", "));
}

std::unique_ptr<Model> Budget::Limit(Model& inner, std::string role) {
  return std::make_unique<LimitedModel>(inner, ledger_, std::move(role));
}

}  // namespace zermelo::llm
