#include "cli/mcp/mcp_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <iterator>

#include "cli/terminal/json_text.h"
#include "core/json.h"
#include "core/names.h"
#include "serve/http/json_fields.h"

namespace zermelo::cli {

using core::Cancellation;
using core::Result;
using core::Task;
using nlohmann::json;
using serve::mcp::ToolAnswer;

namespace {

struct CallOptions {
  std::string tool;
  std::string arguments = "{}";
  bool as_json = false;
};

/// The arguments of a call: a JSON object, or `-` for standard input. kUsage if it is none.
Result<json> ArgumentsOf(const std::string& given) {
  std::string text = given;
  if (given == "-") text.assign(std::istreambuf_iterator<char>(std::cin), {});
  auto arguments = core::ParseJson(text);
  if (arguments && arguments->is_object()) return *std::move(arguments);
  return core::Fail(core::ErrorCode::kUsage,
                    "the arguments are not a JSON object" +
                        (arguments ? "" : ": the text " + arguments.error().what),
                    R"(example: zermelo mcp call check '{"file": "Basic.lean"}')");
}

/// Calls a tool as an agent's request does. kUsage if there is no such tool.
Task<Result<ToolAnswer>> Call(serve::mcp::Protocol& protocol, std::string tool, json arguments,
                              Cancellation& stop) {
  serve::RpcMessage request;
  request.id = 1;
  request.method = "tools/call";
  request.params["name"] = std::move(tool);
  request.params["arguments"] = std::move(arguments);
  json message = co_await protocol.Answer(std::move(request), /*modern=*/true, stop);
  if (message.contains("error")) {
    const json& error = message.at("error");
    const bool usage = error.at("code") == serve::kInvalidParams;
    co_return core::Fail(usage ? core::ErrorCode::kUsage : core::ErrorCode::kInternal,
                         error.at("message").get<std::string>(),
                         usage ? "see: zermelo mcp tools" : "");
  }
  ToolAnswer answer;
  answer.content = std::move(message.at("result").at("structuredContent"));
  answer.is_error = message.at("result").at("isError").get<bool>();
  co_return answer;
}

/// The result of a job that a call has started: a job ends with the program, so it is waited for.
Task<Result<ToolAnswer>> EndOf(serve::mcp::Protocol& protocol, json job, Cancellation& stop) {
  while (true) {
    json arguments;
    arguments["job"] = job;
    arguments["wait_seconds"] = 300;
    auto answer = co_await Call(protocol, "prove_result", std::move(arguments), stop);
    const bool waiting =
        answer && !stop.requested() &&
        (answer->content.at("state") == "running" || answer->content.at("state") == "queued");
    if (!waiting) co_return answer;
  }
}

Task<int> RunCall(CallOptions options, McpServer& server, Cancellation& stop) {
  auto arguments = ArgumentsOf(options.arguments);
  if (!arguments) co_return Report(arguments.error());
  auto answer = co_await Call(server.protocol, options.tool, std::move(*arguments), stop);
  if (answer && !answer->is_error && options.tool == "prove_start") {
    answer = co_await EndOf(server.protocol, answer->content.at("job"), stop);
  }
  if (stop.requested()) {
    fmt::print(stderr, "zermelo: the call was cancelled\n");
    co_return 130;
  }
  if (!answer) co_return Report(answer.error());
  fmt::print("{}\n", options.as_json ? core::Dump(answer->content) : ReadableJson(answer->content));
  co_return answer->is_error ? 1 : 0;
}

std::string FirstSentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

json Required(const json& tool) { return tool.at("inputSchema").value("required", json::array()); }

int ListTools(const json& tools, bool as_json) {
  json list = json::array();
  for (const json& tool : tools) {
    json entry;
    entry["name"] = tool.at("name");
    entry["description"] = FirstSentence(tool.at("description").get<std::string>());
    entry["required"] = Required(tool);
    if (!as_json) {
      const auto required = Required(tool).get<std::vector<std::string>>();
      fmt::print("{}{}\n  {}\n", entry["name"].get<std::string>(),
                 required.empty() ? "" : fmt::format(" (required: {})", fmt::join(required, ", ")),
                 entry["description"].get<std::string>());
    }
    list.push_back(std::move(entry));
  }
  if (as_json) fmt::print("{}\n", core::Dump(list));
  return 0;
}

int ShowSchema(const json& tools, const std::string& name, bool as_json) {
  std::vector<std::string> names;
  for (const json& tool : tools) {
    if (tool.at("name") == name) {
      const json& schema = tool.at("inputSchema");
      fmt::print("{}\n", as_json ? core::Dump(schema) : schema.dump(2));
      return 0;
    }
    names.push_back(tool.at("name"));
  }
  return Report(
      {core::ErrorCode::kUsage, "there is no tool " + name, core::DidYouMean(name, names)});
}

}  // namespace

void AddMcpCall(CLI::App& mcp, const std::shared_ptr<StdioOptions>& server, int& exit_code) {
  auto options = std::make_shared<CallOptions>();
  CLI::App* verb = mcp.add_subcommand("call", "Call one tool and print its answer");
  verb->footer(
      "Example:\n  zermelo mcp call check '{\"file\": \"Basic.lean\"}'\n"
      "  zermelo mcp call goals - --json < arguments.json\n\n"
      "prove_start waits for its job and prints the result. `zermelo mcp tools` lists the tools.\n"
      "Exit codes: 0 answered, 1 the tool could not do its work, 2 wrong usage, 130 interrupted.");
  verb->add_option("tool", options->tool, "Name of the tool")->required()->type_name("TOOL");
  verb->add_option("arguments", options->arguments,
                   "Arguments as a JSON object; - reads them from standard input")
      ->type_name("JSON");
  verb->add_flag("--json", options->as_json, "Print the answer as one JSON object");
  server->AddTo(*verb);
  server->mcp.AddTo(*verb);
  server->AddGroupsTo(*verb);
  verb->callback([options, server, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(
        io, WithServer(*server, server->Pool(), [options](McpServer& mcp, Cancellation& stop) {
          return RunCall(*options, mcp, stop);
        }));
  });
}

void AddMcpTools(CLI::App& mcp, int& exit_code) {
  auto options = std::make_shared<CallOptions>();
  CLI::App* verb = mcp.add_subcommand(
      "tools", "List the tools and their required arguments, or show the schema of one");
  verb->footer("Example:\n  zermelo mcp tools\n  zermelo mcp tools try_proofs");
  verb->add_option("name", options->tool, "Tool whose arguments to show")->type_name("TOOL");
  verb->add_flag("--json", options->as_json, "Print JSON on one line");
  verb->callback([options, &exit_code] {
    const json tools = serve::mcp::ToolDefinitions().at("tools");
    exit_code = options->tool.empty() ? ListTools(tools, options->as_json)
                                      : ShowSchema(tools, options->tool, options->as_json);
  });
}

}  // namespace zermelo::cli
