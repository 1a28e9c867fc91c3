#include "eval/folder.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "core/files/file.h"
#include "core/hash/sha256.h"
#include "core/json.h"
#include "eval/report/report.h"
#include "strategy/registry.h"
#include "view/page.h"

namespace zermelo::eval {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kMaxFolderFileBytes = size_t{1} << 30U;

std::string Dump(const json& value) { return core::Dump(value, 1) + '\n'; }

core::Status MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  return Fail(ErrorCode::kInput,
              "cannot create the folder " + folder.string() + ": " + error.message(),
              "choose another folder with --out DIR");
}

Result<Manifest> ReadManifest(const fs::path& folder) {
  const fs::path file = folder / "eval.json";
  const auto text = core::ReadTextFile(file, kMaxFolderFileBytes);
  if (!text) {
    return Fail(ErrorCode::kInput,
                folder.string() + " holds no evaluation: " + text.error().message);
  }
  const auto read = core::ParseJson(*text);
  if (!read) return Fail(core::ErrorIn(file, read.error()));
  auto manifest = ManifestFromJson(*read);
  if (!manifest) {
    return Fail(ErrorCode::kInput, file.string() + ":1: " + manifest.error().message);
  }
  return manifest;
}

Result<std::vector<json>> ReadSessions(const fs::path& folder) {
  std::vector<json> sessions;
  std::error_code ignored;
  const fs::path file = folder / "sessions.jsonl";
  if (!fs::exists(file, ignored)) return sessions;
  const auto text = core::ReadTextFile(file, kMaxFolderFileBytes);
  if (!text) return Fail(text.error());
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('\n', at), text->size());
    json session = core::JsonOrDiscarded(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    if (session.is_object()) sessions.push_back(std::move(session));
  }
  return sessions;
}

Summary SummaryOf(const Evaluation& evaluation) {
  Summary summary = Summarise(evaluation.manifest, evaluation.results, evaluation.seconds);
  summary.without_result = evaluation.without_result;
  return summary;
}

constexpr const char* kStrategyParameters = "strategy_parameters";

/// The parameters by name, those of strategies as "best_first.max_retries".
std::map<std::string, json> ByName(const json& parameters) {
  std::map<std::string, json> by_name;
  for (const auto& [name, value] : parameters.items()) {
    if (name != kStrategyParameters || !value.is_object()) {
      by_name[name] = value;
      continue;
    }
    for (const auto& [section, fields] : value.items()) {
      if (!fields.is_object()) by_name[section] = fields;  // "strategy" and "all"
      if (!fields.is_object()) continue;
      for (const auto& [field, set] : fields.items()) by_name[section + "." + field] = set;
    }
  }
  return by_name;
}

/// The parameters that differ, with both values. Another version of this program may have other
/// parameters of strategies: one that it had not yet has its default, one that it has no more does
/// not count.
std::string Differences(const json& before, const json& now) {
  const json strategies = strategy::StrategyParameters();
  const auto defaults = ByName({{kStrategyParameters, strategies}});
  const auto value_in = [&](const std::map<std::string, json>& parameters,
                            const std::string& name) -> json {
    if (const auto own = parameters.find(name); own != parameters.end()) return own->second;
    const auto by_default = defaults.find(name);
    return by_default != defaults.end() ? by_default->second : json();
  };
  const auto a = ByName(before);
  const auto b = ByName(now);
  std::set<std::string> names;
  for (const auto* side : {&a, &b}) {
    for (const auto& [name, value] : *side) names.insert(name);
  }
  std::vector<std::string> differences;
  for (const std::string& name : names) {
    const bool is_of_strategy = name.find('.') != std::string::npos;
    if (is_of_strategy && !defaults.contains(name) && a.contains(name) != b.contains(name))
      continue;
    const json there = value_in(a, name);
    const json here = value_in(b, name);
    if (there == here) continue;
    differences.push_back(fmt::format("{}: {} there, {} here", name, there.dump(), here.dump()));
  }
  return fmt::format("{}", fmt::join(differences, "; "));
}

std::vector<std::string> Names(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const Problem& problem : manifest.problems) names.push_back(problem.name);
  return names;
}

/// The problems in the order of the dataset: each of n shards has every n-th problem.
std::vector<Problem> Interleaved(const std::map<size_t, std::vector<Problem>>& shards) {
  std::vector<Problem> all;
  for (size_t i = 0, added = 1; added > 0; ++i) {
    added = 0;
    for (const auto& [shard, problems] : shards) {
      if (i >= problems.size()) continue;
      all.push_back(problems[i]);
      ++added;
    }
  }
  return all;
}

constexpr const char* kProofs = "proofs";
constexpr const char* kReceipts = "receipts";

/// The files in a folder with this ending, sorted; none if there is no such folder.
std::vector<fs::path> FilesIn(const fs::path& folder, const char* ending) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (at->path().extension() == ending) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

/// A file of a result: of its proof, or of its receipt.
fs::path FileOf(const fs::path& folder, const ProblemResult& result, const char* part,
                const char* ending) {
  std::string name = FileNameFor(result.problem);
  if (result.run > 1) name += fmt::format(".run{}", result.run);
  return folder / part / (name + ending);
}

fs::path ProofFile(const fs::path& folder, const ProblemResult& result) {
  return FileOf(folder, result, kProofs, ".lean");
}

fs::path ReceiptFile(const fs::path& folder, const ProblemResult& result) {
  return FileOf(folder, result, kReceipts, ".json");
}

}  // namespace

std::string FileNameFor(const std::string& name) {
  constexpr size_t kMaxName = 180;
  std::string file;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '\'' || (c == '.' && !file.empty());
    if (plain) {
      file += c;
    } else {
      file += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  if (file.size() <= kMaxName) return file;
  return file.substr(0, kMaxName) + "~" + core::Sha256Hex(name).substr(0, 16);
}

Result<Evaluation> ReadEvaluation(const fs::path& folder) {
  auto manifest = ReadManifest(folder);
  if (!manifest) return Fail(manifest.error());
  auto results = ReadResults(folder / "results.jsonl");
  if (!results) return Fail(results.error());
  const auto sessions = ReadSessions(folder);
  if (!sessions) return Fail(sessions.error());
  Evaluation evaluation{.manifest = std::move(*manifest), .results = std::move(*results)};
  for (const json& session : *sessions) {
    if (session.contains("seconds") && session["seconds"].is_number()) {
      evaluation.seconds += session["seconds"].get<double>();
    }
    if (const auto spent = session.find("without_result"); spent != session.end()) {
      try {
        evaluation.without_result += spent->get<Cost>();
      } catch (const json::exception& error) {
        return Fail(ErrorCode::kInput, (folder / "sessions.jsonl").string() + ": " + error.what());
      }
    }
  }
  return evaluation;
}

core::Status BeginEvaluation(const fs::path& folder, const Manifest& manifest) {
  if (auto made = MakeFolder(folder / kProofs); !made) return made;
  const fs::path file = folder / "eval.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return core::WriteFileAtomically(file, Dump(manifest));
  const auto before = ReadManifest(folder);
  if (!before) return Fail(before.error());
  std::string differences = Differences(before->parameters, manifest.parameters);
  if (differences.empty() && Names(*before) != Names(manifest)) differences = "the problems";
  for (size_t i = 0; differences.empty() && i < manifest.problems.size(); ++i) {
    if (before->problems[i].Text() == manifest.problems[i].Text()) continue;
    differences = "the statement of " + manifest.problems[i].name;
  }
  if (differences.empty()) return {};
  return Fail(ErrorCode::kUsage,
              folder.string() + " holds an evaluation with other parameters (" + differences + ")",
              "run its command again to resume it, or choose another --out");
}

core::Status AddSession(const fs::path& folder, const json& session) {
  auto sessions = ReadSessions(folder);
  if (!sessions) return Fail(sessions.error());
  sessions->push_back(session);
  std::string text;
  for (const json& each : *sessions) text += each.dump() + '\n';
  return core::WriteFileAtomically(folder / "sessions.jsonl", text);
}

core::Status WriteProof(const fs::path& folder, const ProblemResult& result,
                        const ProofFiles& files) {
  if (!files.receipt.is_null()) {
    if (auto made = MakeFolder(folder / kReceipts); !made) return made;
    auto written = core::WriteFileAtomically(ReceiptFile(folder, result), Dump(files.receipt));
    if (!written) return written;
  }
  return core::WriteFileAtomically(ProofFile(folder, result), files.text);
}

Result<std::vector<fs::path>> ReceiptFiles(const fs::path& folder) {
  std::vector<fs::path> receipts = FilesIn(folder / kReceipts, ".json");
  for (const fs::path& proof : FilesIn(folder / kProofs, ".lean")) {
    const fs::path receipt = folder / kReceipts / proof.filename().replace_extension(".json");
    if (std::ranges::binary_search(receipts, receipt)) continue;
    return Fail(ErrorCode::kInput, proof.string() + " has no receipt",
                "an older Zermelo found it, or it was removed; name the other receipts instead");
  }
  return receipts;
}

Result<json> ReadReport(const fs::path& folder) {
  const auto evaluation = ReadEvaluation(folder);
  if (!evaluation) return Fail(evaluation.error());
  return ReportJson(evaluation->manifest, evaluation->results, SummaryOf(*evaluation));
}

Result<Summary> WriteSummary(const fs::path& folder) {
  const auto evaluation = ReadEvaluation(folder);
  if (!evaluation) return Fail(evaluation.error());
  Summary summary = SummaryOf(*evaluation);
  auto written = core::WriteFileAtomically(folder / "summary.json", Dump(LongJson(summary)));
  if (!written) return Fail(written.error());
  const json report = ReportJson(evaluation->manifest, evaluation->results, summary);
  written = core::WriteFileAtomically(folder / "report.html", view::EvaluationPage(report));
  if (!written) return Fail(written.error());
  return summary;
}

core::Status Merge(const std::vector<fs::path>& shards, const fs::path& into) {
  Manifest merged;
  std::map<size_t, std::vector<Problem>> by_shard;
  std::string results, sessions;
  std::map<std::string, fs::path> places;
  std::vector<std::pair<fs::path, fs::path>> proofs;
  json parts = json::array();
  for (const fs::path& shard : shards) {
    const auto evaluation = ReadEvaluation(shard);
    if (!evaluation) return Fail(evaluation.error());
    const Manifest& manifest = evaluation->manifest;
    if (places.empty()) {
      merged = manifest;
      merged.problems.clear();
    }
    const std::string differences = Differences(merged.parameters, manifest.parameters);
    if (!differences.empty()) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("{} and {} have different parameters: {}", shards.front().string(),
                              shard.string(), differences));
    }
    for (const Problem& problem : manifest.problems) {
      const auto [place, is_new] = places.emplace(problem.name, shard);
      if (!is_new) {
        return Fail(ErrorCode::kUsage, fmt::format("{} is in {} and in {}", problem.name,
                                                   place->second.string(), shard.string()));
      }
    }
    auto& of_this = by_shard[manifest.shard];
    of_this.insert(of_this.end(), manifest.problems.begin(), manifest.problems.end());
    parts.push_back({{"folder", shard.string()},
                     {"shard", manifest.shard},
                     {"setup", manifest.setup},
                     {"problems", manifest.problems.size()}});
    for (const auto& [key, result] : evaluation->results) {
      results += ResultLine(result) + '\n';
      const bool has_proof = result.outcome == ProblemStatus::kProved ||
                             result.outcome == ProblemStatus::kDisproved ||
                             result.outcome == ProblemStatus::kContradiction;
      if (!has_proof) continue;
      proofs.emplace_back(ProofFile(shard, result), ProofFile(into, result));
      std::error_code unknown;
      if (fs::exists(ReceiptFile(shard, result), unknown))
        proofs.emplace_back(ReceiptFile(shard, result), ReceiptFile(into, result));
    }
    const auto of_shard = ReadSessions(shard);
    if (!of_shard) return Fail(of_shard.error());
    for (const json& session : *of_shard) sessions += session.dump() + '\n';
  }
  json missing = json::array();
  for (size_t shard = 0; shard < merged.shards; ++shard) {
    if (!by_shard.contains(shard)) missing.push_back(shard + 1);
  }
  merged.problems = Interleaved(by_shard);
  merged.setup["shards"] = merged.shards;
  merged.setup["missing_shards"] = std::move(missing);
  merged.shard = 0;
  merged.shards = 1;
  merged.setup["merged_from"] = std::move(parts);
  std::error_code ignored;
  if (fs::exists(into / "eval.json", ignored)) {
    const auto there = ReadManifest(into);
    if (!there || !there->setup.contains("merged_from")) {
      return Fail(ErrorCode::kUsage,
                  into.string() + " holds an evaluation that is not a merged one",
                  "choose another folder with --out DIR");
    }
  }
  for (const char* part : {kProofs, kReceipts}) {
    if (auto made = MakeFolder(into / part); !made) return made;
  }
  for (const auto& [file, text] :
       {std::pair(into / "eval.json", Dump(merged)), std::pair(into / "results.jsonl", results),
        std::pair(into / "sessions.jsonl", sessions)}) {
    if (auto written = core::WriteFileAtomically(file, text); !written) return written;
  }
  for (const auto& [from, to] : proofs) {
    std::error_code error;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    if (error)
      return Fail(ErrorCode::kInput, "cannot copy " + from.string() + ": " + error.message());
  }
  return {};
}

}  // namespace zermelo::eval
