// Proofs and pass rates from the folder of an evaluation, and what its attempts wrote
// (docs/evaluation.md).
#include <algorithm>
#include <fmt/format.h>

#include "core/files/file.h"
#include "data/declared_proof.h"
#include "data/material.h"
#include "eval/folder.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::data {

namespace fs = std::filesystem;
using eval::Problem;
using eval::ProblemResult;

namespace {

struct Claim {
  syntax::File file;
  const syntax::Declaration* declaration = nullptr;
};

/// The theorem of a problem.
std::unique_ptr<Claim> ClaimOf(const Problem& problem) {
  auto claim = std::make_unique<Claim>(Claim{.file = syntax::File(problem.Text())});
  for (const auto& declaration : claim->file.declarations()) {
    if (declaration.range.begin == problem.header.size()) claim->declaration = &declaration;
  }
  if (claim->declaration == nullptr || claim->declaration->holes.empty()) return nullptr;
  return claim;
}

Origin OriginOf(const Problem& problem, const Claim& claim, const fs::path& folder) {
  Origin origin;
  origin.theorem = TheoremOf(claim.file, *claim.declaration);
  origin.module = fs::path(problem.source.file).replace_extension().string();
  origin.source = {{"theorem", problem.theorem},
                   {"module", origin.module},
                   {"evaluation", folder.string()},
                   {"problem", problem.name}};
  return origin;
}

/// Whether the file that was verified has lemmas that the problem does not have.
bool NeedsLemmas(const fs::path& folder, const ProblemResult& result, const Claim& claim) {
  const std::string run = result.run > 1 ? fmt::format(".run{}", result.run) : "";
  const auto text = core::ReadTextFile(
      folder / "proofs" / fmt::format("{}{}.lean", eval::FileNameFor(result.problem), run));
  return text && syntax::FindDeclarations(*text).size() > claim.file.declarations().size();
}

void AddProof(const fs::path& folder, const ProblemResult& result, const Claim& claim,
              const Origin& origin, Material& material) {
  if (NeedsLemmas(folder, result, claim)) {
    ++material.skipped["needs_lemmas"];
    return;
  }
  const auto filled =
      syntax::SpliceProof(claim.file.text(), claim.declaration->holes.front(), result.proof);
  const syntax::File file(filled.text);
  for (const auto& declaration : file.declarations()) {
    if (declaration.range.begin != claim.declaration->range.begin) continue;
    auto proof = ProofOf(file, declaration);
    if (!proof) break;
    material.proofs.push_back(
        {.origin = origin, .tactics = std::move(proof->tactics), .auxiliary = {}, .traced = {}});
    return;
  }
  ++material.skipped["no_tactic_proof"];
}

}  // namespace

core::Status AddEvaluation(const fs::path& folder, Material& material) {
  const auto evaluation = eval::ReadEvaluation(folder);
  if (!evaluation) return core::Fail(evaluation.error());
  std::map<std::string, nlohmann::json> sources;
  for (const Problem& problem : evaluation->manifest.problems) {
    const auto claim = ClaimOf(problem);
    if (!claim) {
      ++material.skipped["no_hole"];
      continue;
    }
    Attempts attempts{.origin = OriginOf(problem, *claim, folder)};
    sources[problem.name] = attempts.origin.source;
    for (size_t run = 1; run <= evaluation->manifest.runs; ++run) {
      const auto found = evaluation->results.find({problem.name, run});
      if (found == evaluation->results.end() || !found->second.finished()) continue;
      attempts.samples += found->second.attempts;
      attempts.proved += found->second.proved;
      if (found->second.proof.empty()) continue;
      Origin origin = attempts.origin;
      origin.source["run"] = run;
      AddProof(folder, found->second, *claim, origin, material);
    }
    material.attempts.push_back(std::move(attempts));
  }
  return AddAttempts(folder, sources, material);
}

}  // namespace zermelo::data
