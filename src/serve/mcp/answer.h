// Common parts of all answers to coding agents.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/async.h"
#include "core/error.h"
#include "serve/mcp/protocol.h"
#include "serve/projects.h"
#include "syntax/file.h"

namespace zermelo::serve::mcp {

/// Values of "status": whether the request succeeded.
namespace status {
inline constexpr const char* kOk = "ok";
inline constexpr const char* kPartial = "partial";     // in part; "reason" says what is missing
inline constexpr const char* kFailed = "failed";       // no; "reason" says why
inline constexpr const char* kTimedOut = "timed_out";  // time ran out; the result is unknown
}  // namespace status

/// An error answer: {"status", "reason"[, "hint"]}.
ToolAnswer NoAnswer(const core::Error& error);
ToolAnswer Refused(std::string reason, std::string hint = "");

/// Reads the source named by the arguments: "file", or "text" and the "project" it belongs to.
/// Errors: kInput unless exactly one of file and text is given; else as Projects.
core::Task<core::Result<Source>> SourceOf(Projects& projects, const nlohmann::json& arguments);

/// Adds "version" and "lean". If the file has changed since it was read, the status is at most
/// "partial" and the reason says so.
void Stamp(nlohmann::json& answer, const Source& source);

struct HolePlace {
  syntax::Declaration declaration;
  syntax::DeclarationHole hole;
  std::string hole_name;  // engine::HoleName
};
/// Finds the `sorry` selected by the arguments "line" (from 1) and "theorem", or the only one in
/// the file. Errors: kInput if there is none, or more than one matches.
core::Result<HolePlace> FindHole(const syntax::File& file, const nlohmann::json& arguments);

/// The argument "timeout_seconds", `otherwise` if absent.
core::Duration TimeLimit(const nlohmann::json& arguments, double otherwise);

/// Lean has not finished within the limit: kTimeout.
core::Error TooSlow(core::Duration limit);

inline constexpr size_t kMaxGoals = 50;  // goals included in an answer

/// A goal as parts (syntax::GoalJson); null if it has more than 4000 bytes or cannot be parsed.
nlohmann::json Structured(const std::string& goal);

/// Truncates to 4000 bytes at a character boundary, since Lean's output can be megabytes long.
std::string Cut(const std::string& text);

}  // namespace zermelo::serve::mcp
