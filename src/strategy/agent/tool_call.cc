#include "strategy/agent/tool_call.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/json.h"
#include "core/names.h"
#include "core/text.h"
#include "llm/reply.h"

namespace zermelo::strategy::agent {

using nlohmann::json;

namespace {

constexpr std::string_view kFence = "```";
constexpr size_t kMaxArgumentBytes = 200'000;

const ToolKind* FindKind(const std::vector<ToolKind>& offered, std::string_view name) {
  const auto found = std::find_if(offered.begin(), offered.end(),
                                  [&](const ToolKind& kind) { return kind.name == name; });
  return found == offered.end() ? nullptr : &*found;
}

std::string UnknownTool(const std::vector<ToolKind>& offered, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const ToolKind& kind : offered) {
    names.emplace_back(kind.name);
    list.append(list.empty() ? "" : ", ").append(kind.name);
  }
  return fmt::format("there is no tool `{}`; there are: {}. {}", name, list,
                     core::DidYouMean(name, names));
}

/// Stores the argument of `kind` in `call`, or the error.
void ReadArguments(const ToolKind& kind, const std::string& text, ToolCall& call) {
  const std::string wanted = fmt::format(R"(give {{"{}": "…"}})", kind.argument);
  const json arguments = core::JsonOrDiscarded(text);
  const std::string name(kind.argument);
  if (arguments.is_discarded()) {
    call.error = fmt::format("the arguments are not JSON; {}", wanted);
  } else if (!arguments.is_object()) {
    call.error = fmt::format("the arguments are a JSON {}, not an object; {}",
                             arguments.type_name(), wanted);
  } else if (!arguments.contains(name)) {
    call.error = fmt::format("the argument `{}` is missing; {}", name, wanted);
  } else if (!arguments[name].is_string()) {
    call.error =
        fmt::format("the argument `{}` is a {}, not a string", name, arguments[name].type_name());
  } else if (arguments.size() > 1) {
    for (const auto& [key, value] : arguments.items()) {
      if (key != name) call.error = fmt::format("there is no argument `{}`; {}", key, wanted);
    }
  } else {
    call.argument = arguments[name];
  }
}

void CheckArgument(ToolCall& call) {
  if (!call.error.empty()) return;
  if (call.argument.find_first_not_of(" \t\r\n") == std::string::npos) {
    call.error = "the argument is empty";
  } else if (call.argument.size() > kMaxArgumentBytes) {
    call.error = fmt::format("the argument is too long: {} bytes", call.argument.size());
  }
}

struct Block {
  std::string mark;
  std::string text;
};

/// All fenced blocks; an unclosed block ends with the text. Unlike in llm::FindCode, only a fence
/// at the beginning of a line closes a block: an argument may be `print('```')`.
std::vector<Block> BlocksOf(std::string_view text) {
  std::vector<Block> blocks;
  std::optional<Block> open;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const bool fence = line.substr(begin).starts_with(kFence);
    if (!fence) {
      if (open) open->text.append(line).append("\n");
    } else if (open) {
      blocks.push_back(*std::exchange(open, std::nullopt));
    } else {
      std::string_view mark = line.substr(begin + kFence.size());
      const size_t word = std::min(mark.find_first_not_of(" \t"), mark.size());
      mark = mark.substr(word);
      open = Block{.mark = std::string(mark.substr(0, mark.find_first_of(" \t\r{"))), .text = {}};
    }
  }
  if (open) blocks.push_back(*std::move(open));
  return blocks;
}

std::vector<ToolCall> ReadTextCalls(const std::string& text, const std::vector<ToolKind>& offered) {
  std::vector<ToolCall> calls;
  const auto blocks = BlocksOf(text);
  for (const Block& block : blocks) {
    if (FindKind(offered, block.mark) == nullptr) continue;
    calls.push_back({.id = {}, .tool = block.mark, .argument = block.text, .error = {}});
  }
  if (!calls.empty()) return calls;
  const auto lean = std::find_if(blocks.rbegin(), blocks.rend(), [](const Block& block) {
    return block.mark == "lean" || block.mark == "lean4";
  });
  if (lean != blocks.rend()) {
    calls.push_back(
        {.id = {}, .tool = std::string(kVerify.name), .argument = lean->text, .error = {}});
  }
  return calls;
}

}  // namespace

llm::Tool Describe(const ToolKind& kind, std::string description) {
  const std::string argument(kind.argument);
  json schema;
  schema["type"] = "object";
  schema["properties"][argument]["type"] = "string";
  schema["required"] = json::array({argument});
  schema["additionalProperties"] = false;
  llm::Tool tool;
  tool.name = kind.name;
  tool.description = std::move(description);
  tool.parameters = schema.dump();
  return tool;
}

std::vector<ToolCall> ReadCalls(const llm::Completion& completion,
                                const std::vector<ToolKind>& offered, size_t turn) {
  std::vector<ToolCall> calls;
  for (const llm::ToolCall& asked : completion.tool_calls) {
    ToolCall call;
    call.id = asked.id.empty() ? fmt::format("call_{}_{}", turn, calls.size()) : asked.id;
    call.tool = core::ReplaceInvalidUtf8(asked.name);
    const ToolKind* const kind = FindKind(offered, asked.name);
    if (kind == nullptr) {
      call.error = UnknownTool(offered, call.tool);
    } else {
      ReadArguments(*kind, asked.arguments, call);
    }
    calls.push_back(std::move(call));
  }
  if (calls.empty()) {
    calls = ReadTextCalls(llm::WithoutThinking(core::ReplaceInvalidUtf8(completion.text)), offered);
  }
  for (ToolCall& call : calls) CheckArgument(call);
  return calls;
}

llm::Message AssistantMessage(const llm::Completion& completion,
                              const std::vector<ToolCall>& calls) {
  llm::Message message;
  message.role = "assistant";
  message.content = llm::WithoutThinking(core::ReplaceInvalidUtf8(completion.text));
  for (size_t i = 0; i < completion.tool_calls.size(); ++i) {
    llm::ToolCall call = completion.tool_calls[i];
    call.id = calls[i].id;
    call.name = calls[i].tool;
    // The server parses the arguments again and may reject invalid JSON.
    if (!json::accept(call.arguments)) call.arguments = "{}";
    message.tool_calls.push_back(std::move(call));
  }
  return message;
}

}  // namespace zermelo::strategy::agent
