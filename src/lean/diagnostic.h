// What Lean says about a document.
#pragma once

#include <compare>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"

namespace zermelo::lean {

/// A place as LSP counts it: line from 0, column in UTF-16 code units from 0.
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
  Position end;  // of the whole range, also where editors are shown only its first line
  std::string message;
};

/// These throw nlohmann::json::exception on anything that is not LSP's Position or Diagnostic.
Position PositionFromLsp(const nlohmann::json& json);
Diagnostic DiagnosticFromLsp(const nlohmann::json& json);
/// One line of `lean --json`; nothing when the line is not a message (columns: code points).
std::optional<Diagnostic> DiagnosticFromCommandLine(const std::string& line);

/// Lean's own words that a declaration still has a `sorry` in it.
bool SaysSorry(const Diagnostic& diagnostic);
bool HasErrors(const std::vector<Diagnostic>& diagnostics);

}  // namespace zermelo::lean
