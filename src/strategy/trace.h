// What Lean makes of a proof that somebody wrote: how far it goes, and the tactic states on the way
// (DeepSeek-Prover-V1.5, section 4.1, "Truncate"; Algorithm 1, lines 22-23).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "lean/proof_site.h"

namespace zermelo::strategy {

/// A piece of a verified proof and the tactic state after it.
struct Segment {
  std::string tactics;  // as written, with its line breaks and the comments before it
  std::string state;    // the goals as Lean prints them, a blank line between; empty: none are left
  std::string context = {};  // inside of what the state is: "· | have h : p := by"; often nothing
};

struct TracedProof {
  std::vector<Segment> segments;  // from where it was asked for, up to the first error
  bool complete = false;          // nothing is left to prove after `proof`
  std::string proof;              // the tactics up to the first error
  std::string error;              // the first one; also when it comes after the end of a proof
};

struct TraceLimits {
  core::Deadline deadline;
  std::optional<core::Duration> each;  // for each of its checks, once a Lean has it
  core::Cancellation* cancellation = nullptr;
};

/// Checks `tactics` without the kernel, cuts it off before its first error or `sorry`, and divides
/// what is left into tactics. Only those that end after byte `from` are told of. An error that a
/// block leaves goals open is one only if something comes after the block. Errors as
/// lean::Checker::Check.
core::Task<core::Result<TracedProof>> Trace(lean::Checker& checker, const lean::ProofSite& site,
                                            std::string tactics, size_t from, TraceLimits limits);

/// Where `prefix` ends in a proof that begins with it, up to blanks and comments; nothing when it
/// does not.
std::optional<size_t> EndOfPrefix(std::string_view tactics, std::string_view prefix);

/// Lines indented by two, each ended, as prompts want a prefix.
std::string IndentedByTwo(std::string_view tactics);

/// A state in which inaccessible names (`n✝`, `this✝¹`) are numbered in the order of their
/// appearance in a goal.
std::string WithoutInaccessibleNames(std::string_view state);

}  // namespace zermelo::strategy
