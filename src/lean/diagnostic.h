// Lean's diagnostics of a document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "syntax/position.h"

namespace zermelo::lean {

using syntax::LineRange;
using syntax::OffsetOf;
using syntax::Position;
using syntax::PositionAt;

enum class Severity { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };
/// In the words of `lean --json`: "error", "warning", "information" (hints, too).
const char* Name(Severity severity);

struct Diagnostic {
  Severity severity = Severity::kError;
  Position begin;
  Position end;  // of the full range, even where editors are sent only its first line
  std::string message;
};

/// Both throw nlohmann::json::exception on JSON that is not an LSP Position or Diagnostic.
Position PositionFromLsp(const nlohmann::json& json);
Diagnostic DiagnosticFromLsp(const nlohmann::json& json);
/// Parses one line of `lean --json`, which counts columns in code points; nullopt if it is not a
/// message.
std::optional<Diagnostic> DiagnosticFromCommandLine(const std::string& line);

/// Whether this is Lean's warning that a declaration uses `sorry`.
bool SaysSorry(const Diagnostic& diagnostic);
bool HasErrors(const std::vector<Diagnostic>& diagnostics);

}  // namespace zermelo::lean
