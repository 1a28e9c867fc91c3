// What all answers to coding agents share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/async.h"
#include "core/error.h"
#include "lean/declarations.h"
#include "serve/mcp_protocol.h"
#include "serve/projects.h"

namespace zermelo::serve::mcp {

/// Whether one got what one asked for.
namespace status {
inline constexpr const char* kOk = "ok";
inline constexpr const char* kPartial = "partial";  // some of it; the answer says what is missing
inline constexpr const char* kFailed = "failed";    // no; "reason" says why
inline constexpr const char* kTimedOut = "timed_out";  // time ran out, and it is not known
}  // namespace status

/// An answer that says that there is none: {"status", "reason"[, "hint"]}.
ToolAnswer NoAnswer(const core::Error& error);
ToolAnswer Refused(std::string reason, std::string hint = "");

/// The file or text that arguments name: "file", or "text" and the "project" it stands in.
core::Task<core::Result<Source>> SourceOf(Projects& projects, const nlohmann::json& arguments);

/// Adds "version" and "lean". An answer about a file that has changed meanwhile is at most
/// "partial", and says so.
void Stamp(nlohmann::json& answer, const Source& source);

/// The `sorry` that is meant: on "line" (from 1), or of "theorem", or the only one of the text.
struct HolePlace {
  lean::Declaration declaration;
  lean::DeclarationHole hole;
  std::string name;       // of the declaration; "example (line 12)" when it has none
  std::string hole_name;  // engine::HoleName
};
core::Result<HolePlace> FindHole(const std::string& text, const nlohmann::json& arguments);

std::string NameOf(const lean::Declaration& declaration);

/// "timeout_seconds" of the arguments.
core::Duration TimeLimit(const nlohmann::json& arguments, double otherwise);

inline constexpr size_t kMaxGoals = 50;  // that are shown

/// At most 4000 bytes, cut at a character; what Lean prints can have megabytes.
std::string Cut(const std::string& text);

/// "2 errors", "1 error".
std::string Counted(size_t count, const char* noun);

}  // namespace zermelo::serve::mcp
