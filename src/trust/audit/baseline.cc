#include "trust/audit/baseline.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/json.h"

namespace zermelo::trust {

using nlohmann::json;

namespace {

constexpr int kVersion = 2;  // 1: without the statements of axioms
constexpr const char* kAdvice = "write it anew with `zermelo audit --write-baseline`";

core::Result<AuditFinding> ReadFinding(const json& entry) {
  const auto text = [&](const char* key) {
    const auto at = entry.is_object() ? entry.find(key) : entry.end();
    return at != entry.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  AuditFinding finding;
  finding.declaration = text("declaration");
  finding.detail = text("detail");
  finding.private_in = text("private_in");
  finding.statement = text("statement");
  if (!ParseFindingKind(text("finding"), &finding.kind) || finding.declaration.empty()) {
    return core::Fail(core::ErrorCode::kInput, "the baseline has no such finding: " + entry.dump(),
                      kAdvice);
  }
  return finding;
}

}  // namespace

json ToJson(const AuditFinding& finding) {
  json object{{"declaration", finding.declaration}, {"finding", Name(finding.kind)}};
  if (!finding.detail.empty()) object["detail"] = finding.detail;
  if (!finding.private_in.empty()) object["private_in"] = finding.private_in;
  if (!finding.statement.empty()) object["statement"] = finding.statement;
  return object;
}

std::string BaselineText(const std::vector<AuditFinding>& findings) {
  std::string lines;
  for (const AuditFinding& finding : findings)
    lines += (lines.empty() ? "\n    " : ",\n    ") + ToJson(finding).dump();
  return "{\n  \"version\": " + std::to_string(kVersion) + ",\n  \"findings\": [" + lines +
         (lines.empty() ? "" : "\n  ") + "]\n}\n";
}

core::Result<std::vector<AuditFinding>> ReadBaseline(const std::string& text) {
  const auto read = core::ParseJson(text);
  if (!read) {
    return core::Fail(core::ErrorCode::kInput,
                      fmt::format("line {} {}", read.error().line, read.error().what), kAdvice);
  }
  const json& parsed = *read;
  if (parsed.is_object() && parsed.value("version", json()) == 1) {
    return core::Fail(core::ErrorCode::kInput,
                      "it is a baseline of version 1, which does not say what the axioms state",
                      "review the axioms, and " + std::string(kAdvice));
  }
  const bool good = parsed.is_object() && parsed.contains("findings") &&
                    parsed["findings"].is_array() && parsed.value("version", json()) == kVersion;
  if (!good) {
    return core::Fail(core::ErrorCode::kInput,
                      "it is not a baseline of version " + std::to_string(kVersion), kAdvice);
  }
  std::vector<AuditFinding> findings;
  for (const json& entry : parsed["findings"]) {
    auto finding = ReadFinding(entry);
    if (!finding) return core::Fail(finding.error());
    findings.push_back(*std::move(finding));
  }
  std::ranges::sort(findings);
  return findings;
}

AuditChanges CompareFindings(const std::vector<AuditFinding>& baseline,
                             const std::vector<AuditFinding>& now) {
  AuditChanges changes;
  std::ranges::set_difference(now, baseline, std::back_inserter(changes.added));
  std::ranges::set_difference(baseline, now, std::back_inserter(changes.gone));
  return changes;
}

}  // namespace zermelo::trust
