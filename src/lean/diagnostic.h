// Lean's diagnostics of a document.
#pragma once

#include <compare>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"

namespace zermelo::lean {

/// A position as in LSP: 0-based line, 0-based column in UTF-16 code units.
struct Position {
  uint32_t line = 0;
  uint32_t character = 0;
  auto operator<=>(const Position&) const = default;
};

struct LineRange {
  uint32_t first = 0;
  uint32_t last = 0;  // inclusive
  bool Contains(Position p) const { return p.line >= first && p.line <= last; }
};

Position PositionAt(const core::LineIndex& lines, size_t byte_offset);
size_t OffsetOf(const core::LineIndex& lines, Position position);

enum class Severity { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };

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
