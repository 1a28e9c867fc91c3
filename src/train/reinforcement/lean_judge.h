// Judges answers with Lean, in the same process.
#pragma once

#include <memory>

#include "core/async.h"
#include "serve/verifier.h"
#include "train/reinforcement/reinforce.h"

namespace zermelo::train {

/// An answer counts as a proof if Lean compiles it and Zermelo's kernel accepts it for the
/// problem's statement, within rules against cheating (docs/trust.md). An answer that takes too
/// long does not; if Lean crashed, there is no verdict.
class LeanJudge {
 public:
  LeanJudge(boost::asio::io_context& io, lean::Toolchain toolchain, size_t workers,
            double check_seconds);
  ~LeanJudge();

  core::Status Start();
  /// The workers that judge, for other checks.
  lean::Checker& lean() { return verifier_->shared_pool(); }
  core::Result<std::vector<std::optional<bool>>> operator()(const std::vector<Answer>& answers);

 private:
  boost::asio::io_context& io_;
  const core::Duration limit_;  // of one answer
  std::unique_ptr<serve::Verifier> verifier_;
};

}  // namespace zermelo::train
