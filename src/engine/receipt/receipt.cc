#include "engine/receipt/receipt.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/hash/sha256.h"
#include "core/json.h"
#include "engine/acceptance/outcome.h"
#include "engine/receipt/project.h"
#include "syntax/declarations.h"

namespace zermelo::engine {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;
using trust::KernelUse;

namespace {

constexpr int kReceiptVersion = 1;
constexpr std::pair<KernelUse, const char*> kKernelUses[] = {{KernelUse::kOff, "off"},
                                                             {KernelUse::kOn, "on"},
                                                             {KernelUse::kRequired, "required"},
                                                             {KernelUse::kAll, "all"}};

json TextJson(const std::string& text) {
  return {{"sha256", core::Sha256Hex(text)}, {"text", text}};
}

json VersionedKernels(const AcceptanceReport& report, const lean::Toolchain& toolchain) {
  json kernels = KernelsJson(report.kernels);
  for (json& kernel : kernels)
    kernel["version"] = kernel["kernel"] == "zermelo" ? ProgramVersion() : toolchain.version;
  return kernels;
}

core::Error Malformed(const std::string& why) {
  return {ErrorCode::kInput, "this is not a receipt: " + why, "docs/receipts.md has the format"};
}

/// A text with its hash.
Result<std::string> CheckedText(const json& receipt, const char* key) {
  auto text = receipt.at(key).at("text").get<std::string>();
  if (receipt.at(key).at("sha256") == core::Sha256Hex(text)) return text;
  return Fail(ErrorCode::kInput,
              fmt::format("the receipt was changed: the {}'s text has another hash", key));
}

Result<KernelUse> ParseKernelUse(const std::string& name) {
  const auto* const row =
      std::ranges::find_if(kKernelUses, [&](const auto& use) { return use.second == name; });
  if (row == std::end(kKernelUses)) return Fail(Malformed("it has an unknown rule for kernels"));
  return row->first;
}

/// The declarations of a text that have these names.
Result<std::vector<size_t>> Indices(const std::string& text,
                                    const std::vector<std::string>& names) {
  const std::vector<std::string> declared = DisplayNames(syntax::FindDeclarations(text));
  std::vector<size_t> indices;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(declared, name);
    if (found == declared.end()) return Fail(Malformed("its statement has no declaration " + name));
    indices.push_back(static_cast<size_t>(found - declared.begin()));
  }
  return indices;
}

}  // namespace

const char* ProgramVersion() { return ZERMELO_VERSION; }

json MakeReceipt(const JudgedProof& proof, const AcceptanceReport& report,
                 const lean::Toolchain& toolchain) {
  json receipt = report;
  receipt.erase("seconds");
  receipt.erase("verdict");
  receipt.erase("library");
  receipt.erase("disagreement");
  receipt["receipt"] = kReceiptVersion;
  receipt["made"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  receipt["zermelo"] = ProgramVersion();
  receipt["statement"] = TextJson(proof.original);
  receipt["proof"] = TextJson(proof.candidate);
  receipt["targets"] = proof.targets ? json(*proof.targets) : json();
  const auto* const use =
      std::ranges::find(kKernelUses, proof.kernel, [](const auto& row) { return row.first; });
  receipt["rules"] = {{"allowed_axioms", proof.allowed_axioms},
                      {"allow_more_imports", proof.allow_more_imports},
                      {"kernel", use->second}};
  if (proof.allow_programs) receipt["rules"]["allow_programs"] = true;
  if (proof.paranoid) receipt["rules"]["paranoid"] = true;
  receipt["kernels"] = VersionedKernels(report, toolchain);
  receipt["lean"] = core::Picked(toolchain, {"version", "commit", "kind"});
  if (toolchain.commit.empty()) receipt["lean"]["commit"] = nullptr;
  receipt["imports"] = {
      {"modules", report.library_modules},
      {"sha256", report.library_fingerprint.empty() ? json() : json(report.library_fingerprint)}};
  if (report.imports) receipt["imports"]["checked"] = ImportsJson(*report.imports);
  receipt["project"] = DescribeProject(toolchain.project);
  return receipt;
}

Result<JudgedProof> ProofOf(const json& receipt) {
  try {
    if (receipt.at("receipt") != kReceiptVersion)
      return Fail(Malformed("its version is " + receipt.at("receipt").dump()));
    JudgedProof proof;
    auto original = CheckedText(receipt, "statement");
    if (!original) return Fail(original.error());
    auto candidate = CheckedText(receipt, "proof");
    if (!candidate) return Fail(candidate.error());
    proof.original = *std::move(original);
    proof.candidate = *std::move(candidate);
    if (!receipt.at("targets").is_null())
      proof.targets = receipt["targets"].get<std::vector<std::string>>();
    const json& rules = receipt.at("rules");
    proof.allowed_axioms = rules.at("allowed_axioms").get<std::vector<std::string>>();
    proof.allow_more_imports = rules.at("allow_more_imports").get<bool>();
    const auto kernel = ParseKernelUse(rules.at("kernel").get<std::string>());
    if (!kernel) return Fail(kernel.error());
    proof.kernel = *kernel;
    proof.allow_programs = rules.value("allow_programs", false);  // usually left out
    proof.paranoid = rules.value("paranoid", false);
    Outcome outcome{};
    if (!ParseOutcome(receipt.at("outcome").get<std::string>(), &outcome))
      return Fail(Malformed("it has an unknown outcome"));
    return proof;
  } catch (const json::exception& error) {
    return Fail(Malformed(error.what()));
  }
}

Task<Result<json>> JudgeAgain(const json& receipt, core::Executor executor,
                              const lean::Toolchain& toolchain, RecheckLimits limits) {
  auto proof = ProofOf(receipt);
  if (!proof) co_return Fail(proof.error());
  proof->paranoid = proof->paranoid || limits.paranoid;
  std::optional<std::vector<size_t>> targets;
  if (proof->targets) {
    auto indices = Indices(proof->original, *proof->targets);
    if (!indices) co_return Fail(indices.error());
    targets = *std::move(indices);
  }
  AcceptanceOptions options;
  options.allowed_axioms = proof->allowed_axioms;
  options.allow_more_imports = proof->allow_more_imports;
  options.allow_programs = proof->allow_programs;
  options.kernel = proof->kernel;
  if (proof->paranoid) options.others = limits.others;
  options.deadline = limits.deadline;
  options.cancellation = limits.cancellation;
  options.only_judges = true;
  if (proof->allow_programs && !limits.allow_programs) {
    co_return Fail(ErrorCode::kUsage, "its rules allow code of the proof to run inside Lean",
                   "give --allow-programs to run it here, too");
  }
  if (proof->allow_programs) {
    if (auto can = CanAllowPrograms(options, toolchain); !can) co_return Fail(can.error());
  }
  options.imports = limits.imports;
  Acceptance acceptance(std::move(executor), toolchain, proof->original, limits.library);
  const auto report = co_await acceptance.Judge(proof->candidate, targets, options);
  if (!report) co_return Fail(report.error());
  co_return MakeReceipt(*proof, *report, toolchain);
}

json ReceiptChanges(const json& before, const json& now) {
  json changes = json::array();
  for (const char* what : {"outcome", "reasons", "hints", "runs_programs", "theorems", "kernels",
                           "imports", "lean", "project", "zermelo"}) {
    json old = before.value(what, json());
    if (what == std::string_view("kernels")) old = RecordedKernels(old);
    const json current = now.value(what, json());
    if (old != current) changes.push_back({{"what", what}, {"before", old}, {"now", current}});
  }
  return changes;
}

}  // namespace zermelo::engine
