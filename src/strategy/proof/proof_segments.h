// Finds how far Lean accepts a proof, and the tactic states on the way (DeepSeek-Prover-V1.5,
// section 4.1, "Truncate"; Algorithm 1, lines 22-23).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::strategy {

/// A piece of a verified proof and the tactic state after it.
struct Segment {
  std::string tactics;       // as written, with line breaks and the comments before it
  std::string state;         // goals as Lean prints them, blank lines between; empty: no goals
  std::string context = {};  // enclosing tactics: "· | have h : p := by"; often empty
};

struct TracedProof {
  std::vector<Segment> segments;  // from byte `from` up to the first error
  bool complete = false;          // no goals are left after `proof`
  std::string proof;              // the tactics up to the first error
  std::string error;              // the first error, even if it follows a complete proof
};

struct TraceLimits {
  core::Deadline deadline;
  std::optional<core::Duration> each;  // for each check, not counting the wait for a worker
  core::Cancellation* cancellation = nullptr;
};

/// Checks `tactics` without the kernel, truncates them before their first error or `sorry`, and
/// divides the rest into tactics. Returns only the segments that end after byte `from`. Unsolved
/// goals of a block count as an error only if tactics follow the block. Errors: as
/// lean::Checker::Check.
core::Task<core::Result<TracedProof>> Trace(lean::Checker& checker, const syntax::ProofSite& site,
                                            std::string tactics, size_t from, TraceLimits limits);

/// The offset where `prefix` ends in a proof that begins with it, up to blanks and comments;
/// nullopt if the proof does not begin with it.
std::optional<size_t> EndOfPrefix(std::string_view tactics, std::string_view prefix);

}  // namespace zermelo::strategy
