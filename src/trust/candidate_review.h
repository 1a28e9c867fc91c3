// Compares a compiled candidate with the original: everything of a verdict but the kernel's part.
#pragma once

#include <cstdint>
#include <vector>

#include "core/error.h"
#include "trust/compare.h"
#include "trust/library.h"
#include "trust/verdict.h"

namespace zermelo::trust {

struct CandidateReview {
  Verdict verdict;                // what is accepted, the kernel and Lean's version are not set yet
  std::vector<uint32_t> closure;  // the modules that the candidate imports, directly or not
};

/// Errors: those of Library::Closure, and kEnvironment if an import was not hashed before the
/// candidate was compiled (JudgeRequest::hashed_before). A bad candidate is a verdict.
core::Result<CandidateReview> ReviewCandidate(const JudgeRequest& request, Library& library,
                                              Terms& terms, const IndexedModule& original,
                                              const IndexedModule& candidate);

}  // namespace zermelo::trust
