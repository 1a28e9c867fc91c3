// The folder of an evaluation: eval.json, results.jsonl, summary.json, report.html, proofs/,
// receipts/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/record.h"
#include "eval/report/summary.h"
#include "eval/result_log.h"

namespace zermelo::eval {

struct Evaluation {
  Manifest manifest;
  Results results;
  double seconds = 0;   // wall time of all sessions
  Cost without_result;  // RunnerReport::without_result of all sessions
};

/// kInput: the folder has no evaluation, or one of its files is malformed (with FILE:LINE).
core::Result<Evaluation> ReadEvaluation(const std::filesystem::path& folder);

/// Creates the folder, and writes eval.json unless it exists. kUsage if it exists with other
/// parameters or problems, which the message names: results must not be mixed.
core::Status BeginEvaluation(const std::filesystem::path& folder, const Manifest& manifest);

/// Appends a session to sessions.jsonl: an object with its seconds and number of Lean checks.
core::Status AddSession(const std::filesystem::path& folder, const nlohmann::json& session);

/// Writes proofs/NAME.lean and receipts/NAME.json; from the second run on, NAME.runR.
core::Status WriteProof(const std::filesystem::path& folder, const ProblemResult& result,
                        const ProofFiles& files);

/// The receipts of an evaluation's proofs, sorted by name; empty if it has none. kInput: a proof
/// has no receipt.
core::Result<std::vector<std::filesystem::path>> ReceiptFiles(const std::filesystem::path& folder);

/// The report (report/report.h) on what is in the folder. Errors: as ReadEvaluation.
core::Result<nlohmann::json> ReadReport(const std::filesystem::path& folder);

/// Writes summary.json and report.html from the other files.
core::Result<Summary> WriteSummary(const std::filesystem::path& folder);

/// Merges the problems, results and proofs of shards into the folder `into`, which may hold only an
/// evaluation that was itself merged. kUsage: parameters differ, or a problem is in two shards.
core::Status Merge(const std::vector<std::filesystem::path>& shards,
                   const std::filesystem::path& into);

/// Encodes a name as a file name: bytes other than letters, digits, "_", "-", "." and "'" become
/// %XX; long names are truncated and end in a hash.
std::string FileNameFor(const std::string& name);

}  // namespace zermelo::eval
