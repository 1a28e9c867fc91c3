#include "lean/diagnostic.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json.h"

namespace zermelo::lean {

const char* Name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInformation:
    case Severity::kHint:
      break;
  }
  return "information";
}

Position PositionFromLsp(const nlohmann::json& json) {
  return {.line = json.at("line").get<uint32_t>(),
          .character = json.at("character").get<uint32_t>()};
}

Diagnostic DiagnosticFromLsp(const nlohmann::json& json) {
  Diagnostic diagnostic;
  diagnostic.severity = static_cast<Severity>(std::clamp(json.value("severity", 1), 1, 4));
  const auto& range = json.contains("fullRange") ? json.at("fullRange") : json.at("range");
  diagnostic.begin = PositionFromLsp(range.at("start"));
  diagnostic.end = PositionFromLsp(range.at("end"));
  diagnostic.message = json.at("message").get<std::string>();
  return diagnostic;
}

std::optional<Diagnostic> DiagnosticFromCommandLine(const std::string& line) {
  const auto json = core::JsonOrDiscarded(line);
  if (!json.is_object() || !json.contains("severity") || !json.contains("pos")) return {};
  const auto position = [](const nlohmann::json& pos) {
    const auto line_from_1 = pos.at("line").get<uint32_t>();
    return Position{.line = line_from_1 == 0 ? 0 : line_from_1 - 1,
                    .character = pos.at("column").get<uint32_t>()};
  };
  try {
    Diagnostic diagnostic;
    const auto severity = json.at("severity").get<std::string>();
    diagnostic.severity = Severity::kInformation;
    for (const auto known : {Severity::kError, Severity::kWarning}) {
      if (severity == Name(known)) diagnostic.severity = known;
    }
    diagnostic.begin = position(json.at("pos"));
    const auto end = json.find("endPos");
    diagnostic.end = end != json.end() && end->is_object() ? position(*end) : diagnostic.begin;
    diagnostic.message = json.at("data").get<std::string>();
    return diagnostic;
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

bool SaysSorry(const Diagnostic& diagnostic) {
  // Both spellings are in use: "declaration uses 'sorry'" (until about 4.25) and "… `sorry`".
  return diagnostic.severity == Severity::kWarning &&
         (diagnostic.message.find("declaration uses 'sorry'") != std::string::npos ||
          diagnostic.message.find("declaration uses `sorry`") != std::string::npos);
}

bool HasErrors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

}  // namespace zermelo::lean
