#include "strategy/whole_proof/whole_proof.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <set>

#include "strategy/expander.h"
#include "strategy/proof/marked_errors.h"
#include "strategy/registry.h"

namespace zermelo::strategy {

using core::Result;
using core::Task;

namespace {

class Sampling {
 public:
  Sampling(const Services& services, const Problem& problem, const WholeProofParameters& parameters,
           Limits limits, core::Executor executor)
      : expander_(services, problem, std::move(limits), std::move(executor)),
        policy_(*services.completions),
        parameters_(parameters) {}

  Task<Result<SearchResult>> Run() {
    const size_t lanes = std::min(parameters_.calls, parameters_.samples);
    return expander_.Run(lanes, [this] { return Next(); });
  }

 private:
  std::optional<Expander::Work> Next() {
    if (!expander_.MayAsk() || fruitless_calls_ >= kMostCallsWithoutRoom) return std::nullopt;
    const size_t n = Take(parameters_.per_call);
    if (n == 0) return std::nullopt;
    Announce(n, 0);
    policy::CompletionInput input;
    input.theorem = expander_.problem().context.theorem;
    return [this, n, input = std::move(input)] { return Ask(input, n); };
  }

  void Announce(size_t samples, size_t round) const {
    expander_.limits().Append(event::kSelected, {{"samples", samples}, {"correction", round}});
  }

  /// Reserves up to `wanted` of the remaining samples and returns how many.
  size_t Take(size_t wanted) {
    const size_t taken = std::min(wanted, parameters_.samples - asked_);
    asked_ += taken;
    return taken;
  }

  Task<void> Ask(policy::CompletionInput input, size_t n) {
    auto samples = co_await expander_.ProposeProofs(policy_, input, n);
    fruitless_calls_ = samples.empty() ? fruitless_calls_ + 1 : 0;
    for (policy::Sample& sample : samples) {
      if (expander_.Done()) co_return;
      co_await Judge(input, std::move(sample));
    }
  }

  Task<void> Judge(policy::CompletionInput input, policy::Sample sample) {
    if (!expander_.IsUsable(sample, Expander::Sorry::kMakesUseless)) co_return;
    std::optional<std::string> errors;  // of the last rejected variant
    const std::vector<syntax::Proof> variants = sample.proof->Variants();
    for (const syntax::Proof& proof : variants) {
      if (expander_.Done()) co_return;
      if (!tried_.insert(ProofKey(proof.Text())).second) continue;
      auto judged = co_await expander_.JudgeProof(
          proof, core::FromSeconds(parameters_.check_seconds),
          parameters_.corrections > 0 ? Expander::Errors::kAll : Expander::Errors::kFirst);
      if (!judged) continue;  // timed out or crashed Lean: not a proof
      if (judged->accepted) {
        if (expander_.Found(proof)) policy_.Succeeded(sample.origin);
        co_return;
      }
      errors = MarkedErrors(judged->document, judged->result.diagnostics);
    }
    if (!errors || input.failed.size() >= parameters_.corrections || !expander_.MayAsk()) co_return;
    if (Take(1) == 0) co_return;
    llm::FailedAttempt attempt;
    attempt.reply = std::move(sample.reply);
    attempt.errors = *std::move(errors);
    input.failed.push_back(std::move(attempt));
    Announce(1, input.failed.size());
    co_await Ask(std::move(input), 1);
  }

  Expander expander_;
  policy::CompletionPolicy& policy_;
  const WholeProofParameters parameters_;

  size_t asked_ = 0;
  size_t fruitless_calls_ = 0;   // in a row
  std::set<std::string> tried_;  // fingerprints
};

}  // namespace

core::Status Check(const WholeProofParameters& p) {
  if (p.samples > 0 && p.per_call > 0 && p.calls > 0 && p.check_seconds > 0) return {};
  return core::Fail(core::ErrorCode::kUsage,
                    "samples, per_call, calls and check_seconds must be above 0");
}

Task<Result<SearchResult>> WholeProof(const Services& services, const Problem& problem,
                                      const WholeProofParameters& parameters, Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Sampling sampling(services, problem, parameters, std::move(limits), executor);
  co_return co_await sampling.Run();
}

namespace {

class WholeProofStrategy : public StrategyWith<WholeProofParameters> {
 public:
  std::string_view name() const override { return "whole_proof"; }
  std::string_view summary() const override {
    return "independent whole proofs by models, with correction rounds";
  }
  std::vector<Parameter> Parameters() const override {
    return {
        {"samples", "generations, corrections included"},
        {"per_call", "completions per call"},
        {"calls", "calls in flight"},
        {"corrections", "turns after a rejected sample (Goedel-Prover-V2: 2)"},
        {"check_seconds", "seconds of Lean for a sample; one that takes longer has failed"},
    };
  }
  Needs needs() const override { return {.proofs = true}; }
  std::vector<Preset> Presets() const override {
    return {{"paper",
             "single-pass generation of DeepSeek-Prover-V1.5 (table 1)",
             {{"per_call", 1}, {"corrections", 0}, {"check_seconds", 300.0}}}};
  }

  void Fit(const EvaluatedAttempt& attempt, StrategyParameters& parameters) const override {
    auto own = Own(parameters);
    if (parameters.strategy != "auto") own.samples = attempt.SampleLimit();
    parameters.sections["whole_proof"] = own;
  }

  void MakeSequential(StrategyParameters& parameters) const override {
    parameters.sections["whole_proof"]["calls"] = 1U;
  }

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const WholeProofParameters own = Own(job.parameters);
    co_return co_await WholeProof(job.services, job.problem, own, std::move(limits));
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(whole_proof, WholeProofStrategy);
