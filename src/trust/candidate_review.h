// Compares a compiled candidate with the original: everything of a verdict but the kernel's part.
#pragma once

#include <memory>

#include "core/error.h"
#include "trust/compare.h"
#include "trust/library.h"
#include "trust/verdict.h"

namespace zermelo::trust {

struct CandidateReview {
  Verdict verdict;  // what is accepted, the kernel and Lean's version are not set yet
  /// Of the candidate's imports; null if they cannot be read, which is a reason against it.
  std::shared_ptr<const kernel::Closure> closure;
};

/// Errors: those of Library::ClosureOf, and kEnvironment if an import was not hashed before the
/// candidate was compiled (JudgeRequest::hashed_before). A bad candidate is a verdict.
core::Result<CandidateReview> ReviewCandidate(const JudgeRequest& request, Library& library,
                                              Terms& terms, const IndexedModule& original,
                                              const IndexedModule& candidate);

}  // namespace zermelo::trust
