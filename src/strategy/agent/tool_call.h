// What a model wants done, in the server's own form of tool calls or in plain text.
//
// In plain text a call is a fenced block whose mark is the tool's name:
//     ```verify_lean
//     theorem two : 1 + 1 = 2 := rfl
//     ```
// A reply may hold several. One that only has a `lean` block means verify_lean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/model.h"

namespace zermelo::strategy::agent {

/// A tool takes one string.
struct ToolKind {
  std::string_view name;
  std::string_view argument;  // what its parameter is called
};
inline constexpr ToolKind kVerify{"verify_lean", "code"};
inline constexpr ToolKind kSearch{"premise_search", "query"};
inline constexpr ToolKind kPython{"python", "code"};

struct ToolCall {
  std::string id;        // echoed to the server; empty: called in plain text
  std::string tool;      // as the model wrote it
  std::string argument;  // code or query
  std::string error;     // why it cannot be done, for the model; empty: it can
};

/// For the server: a tool with its description.
llm::Tool Describe(const ToolKind& kind, std::string description);

/// The calls of a completion, in order. Arguments that are no JSON, of another type, missing or
/// unknown, and tools that are not offered, are calls with an error. `turn` makes ids where the
/// server has none.
std::vector<ToolCall> ReadCalls(const llm::Completion& completion,
                                const std::vector<ToolKind>& offered, size_t turn);

/// The turn of the model as it is told again: without its thinking, with the ids of `calls`.
llm::Message Said(const llm::Completion& completion, const std::vector<ToolCall>& calls);

}  // namespace zermelo::strategy::agent
