#include "data/trace/trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hash/sha256.h"
#include "core/text.h"
#include "lean/import_errors.h"
#include "lean/probe.h"
#include "syntax/proof/extraction.h"
#include "syntax/proof/tactic_places.h"

namespace zermelo::data {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;
using syntax::Declaration;
using syntax::TacticPlace;
using syntax::TextRange;

namespace {

/// A declaration with its tactics, and where their states are among those asked for.
struct Planned {
  const Declaration* declaration = nullptr;
  std::vector<TacticPlace> tactics;
  size_t first_state = 0;
};

class FileTrace {
 public:
  FileTrace(const TraceInput& input, const lean::Toolchain& toolchain)
      : input_(input), toolchain_(toolchain), file_(input.text), lines_(file_.text()) {
    for (const Declaration& declaration : file_.declarations()) {
      auto tactics = TacticPlaces(file_, declaration);
      if (tactics.empty()) continue;
      const size_t first_state = states_;
      states_ += tactics.size();
      planned_.push_back({&declaration, std::move(tactics), first_state});
    }
  }

  bool empty() const { return planned_.empty(); }

  lean::CheckRequest Request() const {
    lean::CheckRequest request;
    request.text = file_.text();
    request.limit = input_.limit;
    request.cancellation = input_.cancellation;
    request.references = true;
    for (const Planned& planned : planned_) {
      for (const TacticPlace& place : planned.tactics) {
        request.goals_at.push_back(syntax::PositionAt(lines_, place.range.begin));
      }
    }
    return request;
  }

  TracedFile Failed(std::string why) const {
    TracedFile traced;
    traced.failed = true;
    traced.head = Head();
    traced.head["error"] = std::move(why);
    return traced;
  }

  TracedFile Describe(const lean::CheckResult& checked) const {
    if (auto missing = ImportError(checked)) return Failed(*std::move(missing));
    TracedFile traced;
    for (const Planned& planned : planned_) {
      json theorem = DescribeTheorem(planned, checked);
      traced.tactics += theorem["tactics"].size();
      traced.theorems.push_back(std::move(theorem));
    }
    traced.head = Head();
    traced.head["lean"] = toolchain_.version;
    traced.head["theorems"] = traced.theorems.size();
    traced.head["tactics"] = traced.tactics;
    traced.head["seconds"] = checked.seconds;
    traced.head["text"] = file_.text();
    return traced;
  }

 private:
  json Head() const {
    return {{"file", input_.file},
            {"module", input_.module},
            {"sha256", core::Sha256Hex(file_.text())},
            {"theorems", 0}};
  }

  /// An error in the imports, which leaves nothing of the file.
  std::optional<std::string> ImportError(const lean::CheckResult& checked) const {
    for (const auto& d : checked.diagnostics) {
      const std::string hint = lean::ImportHint(d, toolchain_);
      if (d.severity != lean::Severity::kError || hint.empty()) continue;
      return fmt::format("{} ({})", d.message, hint);
    }
    return std::nullopt;
  }

  bool IsComplete(const Declaration& declaration, const lean::CheckResult& checked) const {
    if (!declaration.holes.empty()) return false;
    return std::ranges::none_of(checked.diagnostics, [&](const lean::Diagnostic& d) {
      const bool inside = declaration.range.Touches(OffsetOf(lines_, d.begin));
      return inside && (d.severity == lean::Severity::kError || lean::SaysSorry(d));
    });
  }

  json DescribeTheorem(const Planned& planned, const lean::CheckResult& checked) const {
    const Declaration& declaration = *planned.declaration;
    json theorem{{"file", input_.file},
                 {"theorem", declaration.DisplayName()},
                 {"keyword", declaration.keyword},
                 {"line", declaration.line},
                 {"bytes", {declaration.range.begin, declaration.range.end}},
                 {"complete", IsComplete(declaration, checked)},
                 {"tactics", json::array()}};
    for (size_t i = 0; i < planned.tactics.size(); ++i) {
      const size_t state = planned.first_state + i;
      if (!checked.in_proof.at(state)) continue;  // Lean has not run it
      theorem["tactics"].push_back(DescribeTactic(planned, i, checked));
    }
    return theorem;
  }

  json DescribeTactic(const Planned& planned, size_t index,
                      const lean::CheckResult& checked) const {
    const TacticPlace& place = planned.tactics[index];
    const auto state = [&](size_t i) {
      return lean::JoinedGoals(checked.goals.at(planned.first_state + i));
    };
    return {{"bytes", {place.range.begin, place.range.end}},
            {"start", Place(place.range.begin)},
            {"end", Place(place.range.end)},
            {"depth", place.depth},
            {"tactic", syntax::AsBlock(file_.text(), place.range.begin, place.range.end)},
            {"before", state(index)},
            {"after", place.next ? state(*place.next) : ""},
            {"premises", Premises(place.range, checked)}};
  }

  /// [line, column], from 1 like an editor's; columns in code points.
  json Place(size_t byte) const {
    const auto at = lines_.ToCodePoints(byte);
    return {at.line + 1, at.column + 1};
  }

  json Premises(TextRange range, const lean::CheckResult& checked) const {
    const auto begin = syntax::PositionAt(lines_, range.begin);
    const auto end = syntax::PositionAt(lines_, range.end);
    json premises = json::array();
    auto reference =
        std::ranges::lower_bound(checked.references, begin, {}, &lean::Reference::begin);
    for (; reference != checked.references.end() && reference->begin < end; ++reference) {
      const bool own = reference->module.starts_with("«external:");
      const std::string name = lean::WithoutPrivatePrefix(reference->name);
      json premise{{"name", name}, {"module", own ? input_.module : reference->module}};
      if (name != reference->name) premise["private"] = true;
      if (std::ranges::find(premises, premise) == premises.end()) {
        premises.push_back(std::move(premise));
      }
    }
    return premises;
  }

  const TraceInput& input_;
  const lean::Toolchain& toolchain_;
  const syntax::File file_;
  const core::LineIndex lines_;
  std::vector<Planned> planned_;
  size_t states_ = 0;
};

}  // namespace

Task<Result<TracedFile>> TraceFile(lean::Checker& checker, const lean::Toolchain& toolchain,
                                   const TraceInput& input) {
  const FileTrace trace(input, toolchain);
  if (trace.empty()) co_return trace.Describe(lean::CheckResult());
  const auto checked = co_await checker.Check(trace.Request());
  if (checked) co_return trace.Describe(*checked);
  const ErrorCode code = checked.error().code;
  if (code == ErrorCode::kCancelled || code == ErrorCode::kEnvironment) {
    co_return Fail(checked.error());
  }
  co_return trace.Failed(checked.error().message);
}

}  // namespace zermelo::data
