#include "strategy/proof/proof_layout.h"

#include <string_view>

#include "core/text.h"
#include "policy/completion.h"

namespace zermelo::strategy {

namespace {

/// `first` precedes the first line; the others are indented like `rest`.
void AppendLines(std::string& out, std::string_view tactic, const std::string& first,
                 const std::string& rest) {
  if (tactic.empty()) return;
  const size_t columns = rest.size();
  out += first + core::Indented(tactic, columns, core::EmptyLines::kIndented).substr(columns);
  if (out.back() != '\n') out += '\n';
}

/// `have h : p := ?_`, which leaves two goals: `p`, and the old goal with `h` in its context.
bool IsConjecture(const ProofStep& step) {
  return step.goals_left == 2 && step.tactic.starts_with("have ") && step.tactic.ends_with(":= ?_");
}

/// Lays out the steps that prove one goal, starting at steps[at]; `first` precedes the first line.
/// Returns the index after the last step used.
size_t LayOut(const std::vector<ProofStep>& steps, size_t at, std::string first,
              const std::string& indent, std::string& out) {
  while (at < steps.size()) {
    const ProofStep& step = steps[at++];
    if (IsConjecture(step)) {
      AppendLines(out, step.tactic.substr(0, step.tactic.size() - 2) + "by", first, indent);
      at = LayOut(steps, at, indent + "  ", indent + "  ", out);
      first = indent;
      continue;
    }
    AppendLines(out, step.tactic, first, indent);
    first = indent;
    if (step.goals_left == 1) continue;
    for (size_t i = 0; i < step.goals_left; ++i) {
      at = LayOut(steps, at, indent + "· ", indent + "  ", out);
    }
    break;
  }
  return at;
}

void DropLastNewline(std::string& text) {
  if (!text.empty()) text.pop_back();
}

}  // namespace

std::string FlatText(const std::vector<ProofStep>& steps) {
  std::string out;
  for (const ProofStep& step : steps) AppendLines(out, step.tactic, "", "");
  DropLastNewline(out);
  return out;
}

std::string IndentedText(const std::vector<ProofStep>& steps) {
  return policy::PrefixOf(FlatText(steps));
}

std::string LaidOutText(const std::vector<ProofStep>& steps) {
  std::string out;
  LayOut(steps, 0, "", "", out);
  DropLastNewline(out);
  return out;
}

}  // namespace zermelo::strategy
