// Judges answers with Lean, in the same process.
#pragma once

#include <memory>

#include "core/async.h"
#include "serve/verifier.h"
#include "train/reinforcement/reinforce.h"

namespace zermelo::train {

/// An answer that Lean's kernel and Zermelo's accept as a proof of the problem's statement, within
/// rules against cheating (docs/trust.md), is a proof. Too slow counts as no proof; a Lean that
/// crashed gives no verdict.
class LeanJudge {
 public:
  LeanJudge(boost::asio::io_context& io, lean::Toolchain toolchain, size_t workers,
            double check_seconds);
  ~LeanJudge();

  core::Status Start();
  core::Result<std::vector<std::optional<bool>>> operator()(const std::vector<Answer>& answers);

 private:
  boost::asio::io_context& io_;
  const core::Duration limit_;  // of one answer
  std::unique_ptr<serve::Verifier> verifier_;
};

}  // namespace zermelo::train
