// Progress and results of an evaluation as text.
#pragma once

#include <string>

#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "core/cancellation.h"
#include "eval/report/summary.h"
#include "eval/runner.h"

namespace zermelo::cli {

/// Shows progress on stderr: a line per finished problem, and a status line on a terminal. Forwards
/// Ctrl-C to the evaluation, and writes each proof as soon as it is found.
class EvalDisplay : public eval::RunnerListener {
 public:
  /// `before`: results of earlier sessions, out of `total`.
  EvalDisplay(const core::Executor& executor, Progress::Mode mode, std::filesystem::path folder,
              const eval::Results& before, size_t total);

  void Started(const eval::Problem& problem, size_t run) override;
  void Trying(const eval::Problem& problem, const std::string& tactic) override;
  core::Status Keep(const eval::ProblemResult& result, const eval::ProofFiles& files) override;
  void Finished(const eval::ProblemResult& result) override;

  core::Cancellation& cancellation() { return cancellation_; }
  Progress& progress() { return progress_; }

 private:
  std::string HowFar() const;

  Progress progress_;
  core::Cancellation cancellation_;
  InterruptGuard interrupt_;
  const std::filesystem::path folder_;
  const size_t total_;
  size_t done_ = 0, solved_ = 0, done_now_ = 0;
  double dollars_ = 0;
  const core::Clock::time_point started_ = core::Clock::now();
};

/// The figures as text for people: the headline first, then tables.
std::string SummaryText(const eval::Summary& summary);

}  // namespace zermelo::cli
