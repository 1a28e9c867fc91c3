// The JSON of requests to models and of all answers that are recorded.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/process/python_runner.h"
#include "lean/probe.h"
#include "lean/worker.h"
#include "learn/knowledge.h"
#include "llm/model.h"
#include "retrieve/retriever.h"

namespace zermelo::record {

/// What a TacticRunner answers.
using Tried = std::optional<std::vector<lean::ProbeResult>>;
using Premises = std::vector<retrieve::Premise>;

/// How a model's call ended.
struct ModelAnswer {
  core::Result<llm::Reply> outcome;
  std::vector<llm::Completion> arrived;  // whole completions, in order of arrival
  std::optional<llm::Usage> lost;        // paid for, although the call ended in an error
};

/// Everything that may change an answer. Equal requests give equal bytes.
nlohmann::json ToJson(const llm::Request& request);
/// A message of a conversation as `message` events have it: {"role", "content"} and, unless empty,
/// {"call": the ID of the call that it answers} or {"calls": [{"id", "name", "arguments"}]}.
nlohmann::json ToJson(const llm::Message& message);
/// Reads a message of an event or of a request. Missing fields are empty.
llm::Message MessageOf(const nlohmann::json& fields);

nlohmann::json ToJson(const core::PythonResult& answer);
nlohmann::json ToJson(const lean::CheckResult& answer);
nlohmann::json ToJson(const Tried& answer);
nlohmann::json ToJson(const Premises& answer);
nlohmann::json ToJson(const learn::Advice& answer);
nlohmann::json ToJson(const learn::Chances& answer);
/// The outcome is `reply` or `error`; `arrived` is written if it differs from the reply.
nlohmann::json ToJson(const ModelAnswer& answer);
/// {"error": {"code", "message", "hint"}}
nlohmann::json ToJson(const core::Error& error);

/// Reads what ToJson wrote, the answer or the error; else kInput.
template <class Answer>
core::Result<Answer> AnswerOf(const nlohmann::json& json);
template <>
core::Result<core::PythonResult> AnswerOf(const nlohmann::json& json);
template <>
core::Result<lean::CheckResult> AnswerOf(const nlohmann::json& json);
template <>
core::Result<Tried> AnswerOf(const nlohmann::json& json);
template <>
core::Result<Premises> AnswerOf(const nlohmann::json& json);
template <>
core::Result<learn::Advice> AnswerOf(const nlohmann::json& json);
template <>
core::Result<learn::Chances> AnswerOf(const nlohmann::json& json);
/// The error of a call is in the answer's `outcome`.
template <>
core::Result<ModelAnswer> AnswerOf(const nlohmann::json& json);

/// The error in an answer; nullopt if it is not an error. kInternal if its code is unknown.
std::optional<core::Error> ErrorIn(const nlohmann::json& answer);

/// The text of a request or an answer as it is stored. Strings that are not UTF-8 survive.
std::string TextOf(nlohmann::json value);
/// Reads what TextOf wrote; a discarded value if the text is something else.
nlohmann::json FromText(std::string_view text);

}  // namespace zermelo::record
