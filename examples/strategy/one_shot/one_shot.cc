// An example of a strategy (CONTRIBUTING.md): tries the policy's first tactics, each as the whole
// proof.
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "strategy/expander.h"
#include "strategy/registry.h"

namespace zermelo::strategy {
namespace {

using core::Result;
using core::Task;

struct OneShotParameters {
  size_t tactics = 8;
  double seconds = 2;
  bool operator==(const OneShotParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OneShotParameters, tactics, seconds)

core::Status Check(const OneShotParameters& p) {
  if (p.tactics > 0 && p.seconds > 0) return {};
  return core::Fail(core::ErrorCode::kUsage, "tactics and seconds must be above 0");
}

class OneShot : public StrategyWith<OneShotParameters> {
 public:
  std::string_view name() const override { return "one_shot"; }
  std::string_view summary() const override {
    return "the policy's first tactics, each as the whole proof";
  }
  std::vector<Parameter> Parameters() const override {
    return {{"tactics", "tactics that are tried"}, {"seconds", "seconds for each"}};
  }
  Needs needs() const override { return {.tactics = true}; }

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const OneShotParameters own = Own(job.parameters);
    const auto executor = co_await boost::asio::this_coro::executor;
    Expander expander(job.services, job.problem, std::move(limits), executor);
    bool begun = false;
    // One worker, one piece of work; the expander keeps the limits, the budget and the errors.
    co_return co_await expander.Run(1, [&]() -> std::optional<Expander::Work> {
      if (std::exchange(begun, true)) return std::nullopt;
      return [&] { return TryAll(expander, own); };
    });
  }

 private:
  static Task<void> TryAll(Expander& expander, const OneShotParameters& own) {
    policy::StepContext context = expander.problem().context;
    context.printed = expander.problem().goals.front();
    context.state = syntax::ParseProofState(context.printed);
    const auto proposal = co_await expander.ProposeTactics(std::move(context), own.tactics);
    const auto& tried = proposal.candidates;
    const auto attempts = co_await expander.TryTactics("", tried, core::FromSeconds(own.seconds));
    if (!attempts) co_return;  // Lean timed out or crashed, or the run has ended
    for (size_t i = 0; i < tried.size() && !expander.Done(); ++i) {
      if ((*attempts)[i].outcome != lean::ProbeResult::Outcome::kClosed) continue;
      const std::string& proof = tried[i].tactic;
      const bool confirmed = co_await expander.Confirm(proof, RoleOf(tried[i]));  // kernel on
      if (confirmed) expander.Found(proof);
    }
  }
};

}  // namespace
}  // namespace zermelo::strategy

ZERMELO_STRATEGY(one_shot, OneShot);
