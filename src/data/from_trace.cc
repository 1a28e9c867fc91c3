// Proofs of a project, from a trace (docs/training.md).
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "data/declared_proof.h"
#include "data/material.h"
#include "data/trace/trace_log.h"
#include "lean/worker.h"

namespace zermelo::data {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

using Modules = std::set<std::string>;

std::vector<TracedTactic> TacticsOf(const json& theorem, const syntax::File& file,
                                    const DeclaredProof& proof, const Modules& own) {
  const BlockOffsets offsets(file, proof);
  std::vector<TracedTactic> traced;
  for (const json& row : theorem.at("tactics")) {
    const auto begin = offsets.Find(row.at("bytes").at(0).get<size_t>());
    if (!begin) continue;
    TracedTactic tactic;
    tactic.begin = *begin;
    tactic.depth = row.at("depth");
    tactic.tactic = row.at("tactic");
    tactic.before = row.at("before");
    const std::string after = row.at("after");
    tactic.closes = after.empty() || tactic.before.ends_with("\n\n" + after);
    for (const json& premise : row.at("premises")) {
      // Traces of earlier versions have the names that Lean gives to what is private.
      const std::string given = premise.at("name");
      std::string name = lean::WithoutPrivatePrefix(given);
      const bool hidden = premise.value("private", name != given);
      const bool in_root = name.find('.') == std::string::npos;
      if (!hidden && !(in_root && own.contains(premise.at("module")))) {
        tactic.elsewhere.push_back(name);
      }
      tactic.premises.push_back(std::move(name));
    }
    traced.push_back(std::move(tactic));
  }
  return traced;
}

void AddTheorem(const json& theorem, const syntax::File& file, const std::string& module,
                const Modules& own, Material& material) {
  const size_t begin = theorem.at("bytes").at(0);
  const auto& declarations = file.declarations();
  const auto declaration = std::ranges::find(
      declarations, begin, [](const syntax::Declaration& d) { return d.range.begin; });
  if (declaration == declarations.end()) return;
  auto proof = ProofOf(file, *declaration);
  if (!proof) {
    ++material.skipped["no_tactic_proof"];
    return;
  }
  Origin origin;
  origin.module = module;
  origin.source = {{"theorem", theorem.at("theorem")},
                   {"module", module},
                   {"file", theorem.at("file")},
                   {"line", theorem.at("line")}};
  auto traced = TacticsOf(theorem, file, *proof, own);
  origin.theorem = std::move(proof->theorem);
  material.attempts.push_back({.origin = origin});
  if (!theorem.at("complete").get<bool>()) {
    ++material.skipped["incomplete"];
    return;
  }
  material.proofs.push_back({.origin = std::move(origin),
                             .tactics = std::move(proof->tactics),
                             .auxiliary = {},
                             .traced = std::move(traced)});
}

}  // namespace

core::Status AddTrace(const fs::path& trace, Material& material) {
  try {
    Modules own;
    auto read =
        ReadTrace(trace, [&](const TracedFile& traced) { own.insert(traced.head.at("module")); });
    if (!read) return read;
    return ReadTrace(trace, [&](const TracedFile& traced) {
      if (traced.theorems.empty()) return;
      const syntax::File file(traced.head.at("text"));
      for (const json& theorem : traced.theorems) {
        AddTheorem(theorem, file, traced.head.at("module"), own, material);
      }
    });
  } catch (const json::exception& error) {
    return core::Fail(core::ErrorCode::kInput,
                      fmt::format("{}: this is not a trace: {}", trace.string(), error.what()));
  }
}

}  // namespace zermelo::data
