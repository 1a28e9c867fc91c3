#include "strategy/sketch/sketch.h"

#include <boost/asio/this_coro.hpp>
#include <utility>

#include "llm/prompt/prompt_template.h"
#include "strategy/free_search.h"
#include "strategy/registry.h"
#include "strategy/sketch/workflow.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

core::Status Check(const SketchParameters& p) {
  const bool counts = p.depth > 0 && p.width > 0 && p.refinements > 0 && p.lemmas > 0 &&
                      p.trajectories > 0 && p.rounds > 0;
  if (!counts || !(p.check_seconds > 0) || !(p.free_seconds > 0)) {
    return Fail(ErrorCode::kUsage,
                "depth, width, refinements, lemmas, trajectories, rounds, check_seconds and "
                "free_seconds must be above 0");
  }
  if (!(p.free_share >= 0 && p.free_share <= 1)) {
    return Fail(ErrorCode::kUsage, "free_share must be from 0 to 1");
  }
  if (!(p.min_quality >= -1 && p.min_quality <= 1)) {
    return Fail(ErrorCode::kUsage, "min_quality must be from -1 to 1");
  }
  return {};
}

Task<Result<SearchResult>> Sketch(const Services& services, const Problem& problem,
                                  const SketchParameters& parameters, const SketchProvers& provers,
                                  Limits limits) {
  const auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "sketch");
  if (!prompts) co_return Fail(prompts.error());
  const auto executor = co_await boost::asio::this_coro::executor;
  sketch::Workflow workflow(services, problem, parameters, provers, *prompts, std::move(limits),
                            executor);
  co_return co_await workflow.Run();
}

namespace {

class SketchStrategy : public StrategyWith<SketchParameters> {
 public:
  std::string_view name() const override { return "sketch"; }
  std::string_view summary() const override {
    return "proof in words, then a sketch of lemmas for the agent (Seed-Prover 1.5)";
  }
  std::vector<Parameter> Parameters() const override {
    return {
        {"depth", "maximum depth of decompositions"},
        {"restarts", "restarts with all proved lemmas"},
        {"width", "sketches requested at once; the one with the highest score is used"},
        {"refinements", "successive sketches of a statement"},
        {"lemmas", "concurrent lemmas"},
        {"trajectories", "trajectories of the agent per lemma"},
        {"rounds", "rounds of each trajectory"},
        {"judge", "a judge looks at each lemma before it is attempted"},
        {"rubric", "a judge rejects or scores each sketch"},
        {"min_quality", "sketches with a lower quality are sent back"},
        {"free_share", "share of the lemmas that the built-in policy tries first, from 0 to 1"},
        {"free_seconds", "seconds for such an attempt"},
        {"check_seconds", "seconds of Lean per sketch"},
    };
  }
  Needs needs() const override {
    return {.roles = {role::kAgent, role::kInformal, role::kSketcher, role::kJudge}};
  }

  std::vector<Preset> Presets() const override {
    return {{"paper", "the workflow of Seed-Prover 1.5 (section 4.2), without the built-in policy",
             PapersRun(), "agent"}};
  }

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const SketchParameters own = Own(job.parameters);
    StrategyParameters of_lemmas = job.parameters;
    for (const auto& [name, value] : {std::pair("agent.trajectories", own.trajectories),
                                      std::pair("agent.rounds", own.rounds)}) {
      if (const auto set = Set(of_lemmas, name, value); !set) co_return core::Fail(set.error());
    }
    auto agent = FindStrategy("agent")->ProverOf(job.services, of_lemmas);
    if (!agent) co_return core::Fail(agent.error());
    Services free = WithoutModels(job.services);
    free.all = false;
    SketchProvers provers;
    provers.agent = *std::move(agent);
    if (free.steps != nullptr) {
      provers.free = MakeFreeProver(free, job.problem.context, job.parameters);
    }
    co_return co_await Sketch(job.services, job.problem, own, provers, std::move(limits));
  }

 private:
  /// Every setting that the paper gives; presets_test.cc names the places.
  static nlohmann::json PapersRun() {
    return {{"depth", 4},    {"restarts", 1},  {"trajectories", 3}, {"rounds", 3},
            {"judge", true}, {"rubric", true}, {"free_share", 0}};
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(sketch, SketchStrategy);
