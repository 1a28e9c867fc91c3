// Rollouts with tools (Seed-Prover 1.5, arXiv 2512.17260, section 3.1): the policy is the model of
// the strategy `agent`, as in `zermelo prove`.
#pragma once

#include <boost/asio/io_context.hpp>
#include <utility>
#include <vector>

#include "lean/checker.h"
#include "train/reinforcement/reinforce.h"
#include "train/reinforcement/rollouts/policy_model.h"

namespace zermelo::train {

/// A Sampler: `settings.group` conversations on each problem, which begin with its words and notes
/// if it has any, each one trajectory of one round whose context is never cut; as many at once as
/// neither the policy nor Lean lets wait, or, where a server writes, eight for each Lean process.
/// One that ends without a proof is a failure; one that Lean crashed on, or that lacks an answer of
/// the writer, is no sample. The conversations depend on what the writer makes of the settings'
/// seed and on Lean's answers, and those that take longer than `settings.tool_seconds` of their own
/// also on the clock: they end without a proof. Errors: the writer's; kInput (a prompt leaves no
/// room in the context), kEnvironment (all conversations are lost, or the agent's prompts are
/// missing).
class ToolRollouts {
 public:
  /// `io` and `lean` must outlive it; no one else runs `io`.
  ToolRollouts(boost::asio::io_context& io, lean::Checker& lean, WriterOf writer)
      : io_(io), lean_(lean), writer_of_(std::move(writer)) {}

  core::Result<std::vector<Rollout>> operator()(const ModelAndTokenizer& policy,
                                                const std::vector<Problem>& problems,
                                                const std::vector<size_t>& drawn,
                                                const RlSettings& settings, size_t step) const;

 private:
  boost::asio::io_context& io_;
  lean::Checker& lean_;
  const WriterOf writer_of_;
};

}  // namespace zermelo::train
