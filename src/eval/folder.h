// The folder of an evaluation: eval.json, results.jsonl, summary.json, report.html, proofs/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/record.h"
#include "eval/result_log.h"
#include "eval/summary.h"

namespace zermelo::eval {

struct Evaluation {
  Manifest manifest;
  Results results;
  double seconds = 0;  // by the clock, of all sessions
};

/// kInput: there is none, or a file of it is broken (with FILE:LINE).
core::Result<Evaluation> ReadEvaluation(const std::filesystem::path& folder);

/// Makes the folder, and writes eval.json unless it is there. kUsage when it is there and the
/// evaluation has other parameters, naming them: results must not be mixed.
core::Status BeginEvaluation(const std::filesystem::path& folder, const Manifest& manifest);

/// Adds the seconds of a session to sessions.jsonl, with how many checks Lean did.
core::Status AddSession(const std::filesystem::path& folder, const nlohmann::json& session);

/// proofs/NAME.lean, or NAME.runR.lean from the second run on.
core::Status WriteProof(const std::filesystem::path& folder, const ProblemResult& result,
                        const std::string& text);

/// summary.json and report.html, from what the other files hold.
core::Result<Summary> WriteSummary(const std::filesystem::path& folder);

/// Puts shards together: their problems, results and proofs. The folder must not hold an evaluation
/// of its own, other than one merged before. kUsage: parameters differ, or a problem is in two.
core::Status Merge(const std::vector<std::filesystem::path>& shards,
                   const std::filesystem::path& into);

/// A name as a file name: what is not a letter, digit, "_", "-", "." or "'" becomes %XX; long names
/// are cut and end in a hash.
std::string FileNameFor(const std::string& name);

}  // namespace zermelo::eval
