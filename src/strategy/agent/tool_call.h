// Tool calls of a model, in the server's native form or in plain text.
//
// In plain text, a call is a fenced block marked with the tool's name:
//     ```verify_lean
//     theorem two : 1 + 1 = 2 := rfl
//     ```
// A reply may contain several calls. If it has none, its last `lean` or `lean4` block is taken as a
// call of verify_lean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/model.h"

namespace zermelo::strategy::agent {

/// A tool; its only argument is a string.
struct ToolKind {
  std::string_view name;
  std::string_view argument;  // name of the argument
};
inline constexpr ToolKind kVerify{"verify_lean", "code"};
inline constexpr ToolKind kSearch{"premise_search", "query"};
inline constexpr ToolKind kPython{"python", "code"};

struct ToolCall {
  std::string id;        // echoed to the server; empty: a plain-text call
  std::string tool;      // as the model wrote it
  std::string argument;  // code or query
  std::string error;     // for the model: why the call is invalid; empty: it is valid
};

/// The tool definition for the server.
llm::Tool Describe(const ToolKind& kind, std::string description);

/// Reads the calls of a completion, in order. A call has an error if its arguments are not JSON,
/// have the wrong type, are missing or unknown, or if the tool is not offered. `turn` makes ids
/// unique where the server gives none.
std::vector<ToolCall> ReadCalls(const llm::Completion& completion,
                                const std::vector<ToolKind>& offered, size_t turn);

/// The model's turn as it is sent back to the server: without thinking, with the ids of `calls`.
llm::Message AssistantMessage(const llm::Completion& completion,
                              const std::vector<ToolCall>& calls);

}  // namespace zermelo::strategy::agent
