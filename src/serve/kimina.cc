#include "serve/kimina.h"

#include <fmt/format.h>
#include <set>

#include "serve/http/json_fields.h"
#include "syntax/goal/goal_json.h"

namespace zermelo::serve::kimina {

using nlohmann::json;

namespace {

constexpr double kCheckSeconds = 30;
constexpr double kVerifySeconds = 300;

std::string At(const char* list, size_t index) { return fmt::format("{}[{}]", list, index); }

const json& ObjectAt(const json& list, size_t index, const std::string& place) {
  if (!list[index].is_object()) throw BadRequest(kInvalid, place + ": must be an object");
  return list[index];
}

/// Infotrees are not supported, but an invalid kind is still an error.
void CheckInfotree(const json& body, const char* name) {
  const std::string kind = StringField(body, name, "", "");
  for (const char* known : {"", "full", "tactics", "original", "substantive"}) {
    if (kind == known) return;
  }
  throw BadRequest(kInvalid,
                   fmt::format("{}: must be full, tactics, original or substantive", name));
}

Snippet Options(const json& body, core::Duration limit, bool own_process) {
  Snippet snippet;
  snippet.limit = limit;
  snippet.own_process = own_process;
  snippet.rules = BoolField(body, "rules", true);
  return snippet;
}

/// `custom_id` may be an integer; the answer has it as a string.
std::string CustomId(const json& code, const std::string& place) {
  const auto id = code.find("custom_id");
  if (id != code.end() && id->is_number_integer()) return id->dump();
  return StringField(code, "custom_id", place);
}

json ToJson(const Place& place) { return {{"line", place.line + 1}, {"column", place.column}}; }

json ToJson(const Message& message) {
  const bool is_info = message.severity > lean::Severity::kWarning;
  return {{"severity", is_info ? "info" : Name(message.severity)},
          {"pos", ToJson(message.begin)},
          {"endPos", ToJson(message.end)},
          {"data", message.text}};
}

// Clients of the older interface look for a warning with this text, not at `sorries`. Since about
// 4.26, Lean writes `sorry` in backticks.
constexpr std::string_view kUsesSorry = "declaration uses 'sorry'";
constexpr std::string_view kUsesSorryNow = "declaration uses `sorry`";

std::vector<Message> WithWordsThatClientsKnow(const Verification& verification) {
  std::vector<Message> messages = verification.messages;
  bool warned = verification.sorries.empty();
  for (Message& m : messages) {
    const size_t at = m.text.find(kUsesSorryNow);
    const bool warns = m.severity == lean::Severity::kWarning;
    if (warns && at != m.text.npos) m.text.replace(at, kUsesSorryNow.size(), kUsesSorry);
    warned |= warns && m.text.find(kUsesSorry) != m.text.npos;
  }
  if (!warned) {
    const OpenSorry& first = verification.sorries.front();
    messages.push_back({lean::Severity::kWarning, first.begin, first.end, std::string(kUsesSorry)});
  }
  return messages;
}

/// The REPL's CommandResponse.
json Response(const Verification& verification) {
  json response;
  response["env"] = 0;
  for (const Message& m : WithWordsThatClientsKnow(verification)) {
    response["messages"].push_back(ToJson(m));
  }
  for (const OpenSorry& sorry : verification.sorries) {
    json open;
    open["pos"] = ToJson(sorry.begin);
    open["endPos"] = ToJson(sorry.end);
    open["goal"] = sorry.goal;
    const syntax::ProofState state = syntax::ParseProofState(sorry.goal);
    if (!state.goals.empty()) open["structured"] = syntax::GoalJson(state.goals.front());
    response["sorries"].push_back(std::move(open));
  }
  return response;
}

/// The text of `error`; clients look for "timed out".
std::string ErrorText(const Snippet& snippet, const Verification& verification) {
  if (verification.outcome != VerificationStatus::kTimeout) return verification.error;
  const double seconds = core::Seconds(snippet.limit);
  return seconds == std::floor(seconds)
             ? fmt::format("Lean REPL command timed out in {:.1f} seconds", seconds)
             : fmt::format("Lean REPL command timed out in {} seconds", seconds);
}

}  // namespace

Batch ParseCheck(const json& body) {
  const Snippet options =
      Options(body, SecondsField(body, "timeout", kCheckSeconds), !BoolField(body, "reuse", true));
  BoolField(body, "debug", false);
  CheckInfotree(body, "infotree");
  const json& snippets = ArrayField(body, "snippets");
  Batch batch;
  std::set<std::string> seen;
  for (size_t i = 0; i < snippets.size(); ++i) {
    const std::string place = At("snippets", i);
    const json& entry = ObjectAt(snippets, i, place);
    batch.ids.push_back(StringField(entry, "id", place));
    if (!seen.insert(batch.ids.back()).second) {
      throw BadRequest(kInvalid, "`snippets` must have unique ids");
    }
    batch.snippets.push_back(options);
    batch.snippets.back().text = StringField(entry, "code", place);
  }
  return batch;
}

Batch ParseVerify(const json& body) {
  const Snippet options = Options(body, SecondsField(body, "timeout", kVerifySeconds),
                                  BoolField(body, "disable_cache", false));
  CheckInfotree(body, "infotree_type");
  const json& codes = ArrayField(body, "codes");
  Batch batch;
  for (size_t i = 0; i < codes.size(); ++i) {
    const std::string place = At("codes", i);
    const json& entry = ObjectAt(codes, i, place);
    batch.ids.push_back(CustomId(entry, place));
    batch.snippets.push_back(options);
    const bool has_proof = entry.contains("proof") && !entry["proof"].is_null();
    batch.snippets.back().text = StringField(entry, has_proof ? "proof" : "code", place);
  }
  return batch;
}

json CheckResult(const std::string& id, const Snippet& snippet, const Verification& verification) {
  json result;
  result["id"] = id;
  result["outcome"] = Name(OutcomeOf(verification.outcome));
  result["time"] = verification.seconds;
  if (verification.error.empty()) {
    result["response"] = Response(verification);
  } else {
    result["error"] = ErrorText(snippet, verification);
  }
  return result;
}

json VerifyResult(const std::string& id, const Snippet& snippet, const Verification& verification) {
  json result;
  result["custom_id"] = id;
  result["outcome"] = Name(OutcomeOf(verification.outcome));
  if (verification.error.empty()) {
    result["response"] = Response(verification);
    result["response"]["time"] = verification.seconds;
  } else {
    result["error"] = ErrorText(snippet, verification);
  }
  return result;
}

}  // namespace zermelo::serve::kimina
