// Rollouts that a server writes with the policy's weights: any with OpenAI's interface, such as
// vLLM, where this program's own decoder would be too slow.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <vector>

#include "core/deadline.h"
#include "llm/model.h"
#include "train/reinforcement/reinforce.h"
#include "train/reinforcement/rollouts/policy_model.h"

namespace zermelo::train {

/// The server answers with the policy's weights, after the tokens as a text; what it writes becomes
/// tokens of the policy's tokenizer. An answer without its end is marked kBroken or kLength, as
/// those of decoder::LocalModel. `server` and `policy` must outlive it. Errors: the server's,
/// kEnvironment (it withholds an answer), and kTooLong.
PolicyWriter ServedWriter(llm::Model& server, const ModelAndTokenizer& policy);

/// A Sampler: the server completes the prompts of a step, all at once, each `settings.group` times.
/// What has not arrived after `limit`, what the server withholds, and what does not fit into the
/// policy's context is no sample. The texts become tokens of the policy's tokenizer, which may be
/// others than those that were sampled. Errors: those of `renew`; kInput (a prompt leaves no room
/// in the context), kUsage (the server refuses every request), kEnvironment (nothing has arrived).
class ServedRollouts {
 public:
  /// Gives the policy's weights to the server; called before each step.
  using Renew = std::function<core::Status(const ModelAndTokenizer& policy)>;

  /// `io` and `server` must outlive it; no one else runs `io`.
  ServedRollouts(boost::asio::io_context& io, llm::Model& server, core::Duration limit, Renew renew)
      : io_(io), server_(server), limit_(limit), renew_(std::move(renew)) {}

  core::Result<std::vector<Rollout>> operator()(const ModelAndTokenizer& policy,
                                                const std::vector<Problem>& problems,
                                                const std::vector<size_t>& drawn,
                                                const RlSettings& settings, size_t step) const;

 private:
  boost::asio::io_context& io_;
  llm::Model& server_;
  const core::Duration limit_;
  const Renew renew_;
};

/// Saves the policy in `folder`, with `tokenizer` (tokenizer.json), and runs `command` with
/// `/bin/sh -c`, in which `{model}` stands for the folder's path. kEnvironment, with what the
/// command wrote, if it fails or takes longer than `limit`.
core::Status RenewByCommand(boost::asio::io_context& io, const Transformer& policy,
                            const std::filesystem::path& tokenizer,
                            const std::filesystem::path& folder, std::string command,
                            core::Duration limit);

}  // namespace zermelo::train
