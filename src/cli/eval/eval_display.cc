#include "cli/eval/eval_display.h"

#include <fmt/format.h>

#include "core/text.h"
#include "eval/folder.h"

namespace zermelo::cli {

using eval::Cost;
using eval::ProblemStatus;
using eval::Summary;

namespace {

const char* Mark(ProblemStatus outcome) {
  switch (outcome) {
    case ProblemStatus::kProved:
      return "✓";
    case ProblemStatus::kUnproved:
      return "✗";
    case ProblemStatus::kInvalid:
      return "∅";
    case ProblemStatus::kUnverified:
      return "?";
    case ProblemStatus::kDisproved:
      return "¬";
    case ProblemStatus::kContradiction:
      return "‼";
  }
  return "?";
}

std::string FirstLineOf(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string CategoryTable(const Summary& summary) {
  size_t width = 8;
  for (const auto& [name, figures] : summary.categories) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, figures] : summary.categories) {
    text += fmt::format(
        "  {:<{}}  {:>9}  {:>7}{}\n", name, width,
        fmt::format("{}/{}", figures.solved, figures.problems - figures.invalid),
        eval::Percent(figures.pass_rate),
        figures.invalid == 0 ? "" : fmt::format("  ({} not elaborating)", figures.invalid));
  }
  return text;
}

std::string RoleTable(const Summary& summary) {
  std::string text;
  const auto judged = static_cast<double>(std::max<size_t>(summary.judged, 1));
  for (const auto& figures : summary.roles) {
    text += fmt::format(
        "  {} ({}): {} calls, {} samples, {} tokens in, {} out, ${:.4g}; per problem {:.1f} "
        "calls\n",
        figures.model, figures.role, figures.total.spent.calls, figures.total.spent.samples,
        eval::Compact(static_cast<double>(figures.total.spent.prompt_tokens)),
        eval::Compact(static_cast<double>(figures.total.spent.completion_tokens)),
        figures.total.spent.dollars, static_cast<double>(figures.total.spent.calls) / judged);
  }
  return text;
}

}  // namespace

EvalDisplay::EvalDisplay(const core::Executor& executor, Progress::Mode mode,
                         std::filesystem::path folder, const eval::Results& before, size_t total)
    : progress_(mode),
      interrupt_(executor,
                 [this] {
                   progress_.Print("stopping; finished problems are kept (Ctrl-C again: quit now)");
                   cancellation_.Request();
                 }),
      folder_(std::move(folder)),
      total_(total) {
  for (const auto& [key, result] : before) {
    if (result.finished()) ++done_;
    if (result.outcome == ProblemStatus::kProved) ++solved_;
    if (result.finished()) dollars_ += result.cost.dollars;  // others are counted with the next one
  }
}

std::string EvalDisplay::HowFar() const {
  std::string text =
      fmt::format("{}/{}, {} solved, {} left", done_, total_, solved_, total_ - done_);
  if (done_now_ > 0 && done_ < total_) {
    const double elapsed = core::Seconds(core::Clock::now() - started_);
    text += ", ETA " + ShortDuration(elapsed / static_cast<double>(done_now_) *
                                     static_cast<double>(total_ - done_));
  }
  if (dollars_ > 0) text += fmt::format(", ${:.4g}", dollars_);
  return text;
}

void EvalDisplay::Started(const eval::Problem& problem, size_t /*run*/) {
  progress_.Show(fmt::format("{} {}  {}", Bar(done_, total_, 16), HowFar(), problem.name));
}

void EvalDisplay::Trying(const eval::Problem& problem, const std::string& tactic) {
  progress_.Show(fmt::format("{} {}  {}: {}", Bar(done_, total_, 16), HowFar(), problem.name,
                             FirstLineOf(tactic)));
}

core::Status EvalDisplay::Keep(const eval::ProblemResult& result, const eval::ProofFiles& files) {
  return eval::WriteProof(folder_, result, files);
}

void EvalDisplay::Finished(const eval::ProblemResult& result) {
  ++done_now_;
  ++done_;
  if (result.outcome == ProblemStatus::kProved) ++solved_;
  dollars_ += result.cost.dollars;
  std::string line = fmt::format("{} {}  {}", Mark(result.outcome), result.problem,
                                 ShortDuration(result.cost.seconds));
  if (result.run > 1) line += fmt::format(", run {}", result.run);
  if (!result.message.empty()) line += ": " + FirstLineOf(result.message);
  progress_.Print(FitColumns(line, 400));
  progress_.PrintPlain("  " + HowFar());
}

std::string SummaryText(const Summary& summary) {
  std::string text = summary.first_line + "\n";
  text += CategoryTable(summary);
  for (const auto& [k, rate] : summary.pass_at) {
    text += fmt::format("  pass@{:<6} {:>7}\n", k, eval::Percent(rate));
  }
  text += RoleTable(summary);
  text += fmt::format("  {} {}", eval::Compact(static_cast<double>(summary.cost.samples)),
                      summary.has_models ? "samples" : "candidates");
  if (summary.has_models) {
    text += fmt::format(", {} tokens ({:.1f} per sample), ${:.4g}",
                        eval::Compact(static_cast<double>(summary.cost.tokens)),
                        summary.tokens_per_sample, summary.cost.dollars);
    if (summary.dollars_per_solved) {
      text += fmt::format(" (${:.4g} per solved problem)", *summary.dollars_per_solved);
    }
  }
  text += fmt::format(", {} of search, {} of wall time\n", ShortDuration(summary.cost.seconds),
                      ShortDuration(summary.seconds));
  const Cost& lost = summary.without_result;
  if (lost.samples > 0) {
    text += fmt::format(
        "  not counted above: {} samples, {} tokens, ${:.4g} of attempts that were interrupted\n",
        eval::Compact(static_cast<double>(lost.samples)),
        eval::Compact(static_cast<double>(lost.tokens)), lost.dollars);
  }
  return text;
}

}  // namespace zermelo::cli
