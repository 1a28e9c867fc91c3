// What a worker would say about attempts that a state server refuses.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lean/states/state_server.h"
#include "lean/worker.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::serve::mcp {

/// The attempt of a document: its tactics in its hole.
lean::StateQuery QueryOf(const syntax::SiteDocument& document);

/// The attempts at one hole. A state server sees the hole, a worker the whole declaration: it also
/// reports what is wrong elsewhere in it, and where goals were left. That is the same for all
/// attempts that fail in the same way, so the worker's result for the first of them gives that of
/// the others.
class Refusals {
 public:
  enum class Kind {
    kAbandoned,  // its last tactic throws an error, the only one
    kRecovered,  // there are errors, but no goals are left
    kOpen,       // goals are left, without an error
  };

  /// `open`: the document with `sorry` in the hole.
  explicit Refusals(const syntax::SiteDocument& open);

  /// Whether the hole is one whose tactics Lean runs once, with errors that it reports: not under
  /// `first`, `try`, `<;>` and the like. If it is not, ask a worker.
  bool applies() const { return applies_; }
  /// How an attempt fails that was not cut off; nullopt if only a worker can say, as for one that
  /// closes all goals.
  std::optional<Kind> KindOf(const lean::StateRun& run) const;

  /// The worker's result for an attempt of this kind.
  void Learn(Kind kind, const syntax::SiteDocument& document, const lean::StateRun& run,
             const lean::CheckResult& checked);
  /// The errors that a worker would report for another attempt of this kind; nullopt if none was
  /// learned, or the server and the worker disagreed about it.
  std::optional<lean::CheckResult> ResultOf(Kind kind, const syntax::SiteDocument& document,
                                            const lean::StateRun& run) const;

 private:
  /// What a worker reports besides the errors of the tactics.
  struct Elsewhere {
    std::optional<lean::Diagnostic> unsolved;  // where goals that are left are reported
    std::vector<lean::Diagnostic> after;       // errors after the hole; places count from its end
  };

  bool applies_ = false;
  bool is_last_ = false;  // nothing follows the hole in the declaration
  std::array<std::optional<Elsewhere>, 3> elsewhere_;  // by kind
};

}  // namespace zermelo::serve::mcp
