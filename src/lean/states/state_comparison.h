// Compares the results of the state server with those of the language server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lean/states/state_protocol.h"
#include "lean/worker.h"

namespace zermelo::lean {

/// A state or message without what differs from one run of Lean to the next, or from one of its
/// printers to the other: the numbers of metavariables, `?m.123` as `?m` and `?u.123` as `?u`; the
/// module in a private name (`pp.all`), since the language server names it by the document; and
/// line breaks before indented text, since it breaks the type of a hypothesis two columns later
/// than messages do. All comparisons go through this; nothing else is normalized.
std::string Normalized(std::string_view text);

/// The bytes where a search asks for goals: where each tactic but the first begins, also in blocks.
std::vector<size_t> GoalPlaces(std::string_view tactics);

/// A run up to its first error, and the document to compare it with. A syntax error would hide the
/// errors before it, so the document ends with the tactic that has the error.
class StateComparison {
 public:
  /// `before`: the file up to the tactics of the run, which begin on a new line. The run must have
  /// been asked for the goals at GoalPlaces(tactics), have at least one step that was not cut off,
  /// and outlive this object.
  StateComparison(std::string_view before, std::string_view tactics, const StateRun& run);

  /// The check to compare with, without a deadline.
  const CheckRequest& request() const { return request_; }
  /// What differs in the goals, the errors of the tactic with the first one, or the last state;
  /// empty if nothing does.
  std::string Difference(const CheckResult& checked) const;

 private:
  Position InDocument(Position at) const;

  const StateRun& run_;
  const uint32_t first_line_;     // of the tactics
  Position by_;                   // of the last token before them
  size_t good_ = 0;               // steps without an error
  bool failed_ = false;           // the next one has one
  std::vector<size_t> compared_;  // indices of the places before the error
  CheckRequest request_;
};

}  // namespace zermelo::lean
