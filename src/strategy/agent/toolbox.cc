#include "strategy/agent/toolbox.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include "core/process/python_runner.h"
#include "retrieve/retriever.h"
#include "strategy/prompt_text.h"

namespace zermelo::strategy::agent {

using core::Task;

namespace {

Declared NegationTarget(const std::string& negation) {
  if (negation.empty()) return {};
  return TargetOf(syntax::TheoremOf(negation));
}

void Refuse(ToolResult& result, std::string why) {
  result.refused = true;
  result.answer = std::move(why);
}

std::string NamesOf(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  return text;
}

/// Formal queries (goals and types) are searched by symbols, others by words.
bool LooksFormal(std::string_view query) {
  constexpr std::string_view kSigns[] = {"⊢", "∀", "∃", "→", "↔", "≤", "≥", "∈", " = ", " < ", "∣"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](std::string_view sign) { return query.find(sign) != query.npos; });
}

retrieve::PremiseQuery QueryOf(const std::string& text, const std::string& header, size_t limit) {
  retrieve::PremiseQuery query;
  query.text = text;
  query.formal = LooksFormal(text);
  query.imports = syntax::ModulesToSearch(header);
  query.limit = limit;
  return query;
}

std::string FormatPremises(const std::vector<retrieve::Premise>& premises) {
  if (premises.empty()) return "Nothing was found. Other words, or a type, may find more.";
  std::string text;
  for (const retrieve::Premise& premise : premises) {
    text += fmt::format("{} {} {}\n", premise.kind, premise.name, premise.signature);
    if (!premise.docstring.empty())
      text += fmt::format("  -- {}\n", Shortened(premise.docstring, 200));
  }
  return text;
}

std::string Printed(const core::PythonResult& ran) {
  std::string text = ran.out.empty() ? "(nothing was printed)" : ran.out;
  if (!text.ends_with('\n')) text += '\n';
  if (!ran.errors.empty()) text += fmt::format("standard error:\n{}\n", ran.errors);
  if (!ran.ended.empty()) text += fmt::format("The program was ended {}.\n", ran.ended);
  if (ran.ended.empty() && ran.code != 0)
    text += fmt::format("It ended with exit code {}.\n", ran.code);
  return text;
}

}  // namespace

/// The calls of one turn.
struct Toolbox::Turn {
  explicit Turn(const core::Executor& executor) : changed(executor) {}
  std::vector<ToolResult> results;
  std::vector<core::Result<Submission>> submissions;  // for verify_lean; empty for other tools
  std::vector<bool> done;
  core::Signal changed;

  /// Whether an unfinished earlier call declares a name that this one mentions.
  bool MustWait(size_t i) const {
    for (size_t j = 0; j < i; ++j) {
      if (done[j] || !submissions[j]) continue;
      for (const Declared& declared : submissions[j]->declared) {
        if (!declared.name.empty() && Mentions(results[i].call.argument, declared.name))
          return true;
      }
    }
    return false;
  }
};

Toolbox::Toolbox(Session& session, const StatementTask& task, ToolLimits tool_limits)
    : session_(session),
      task_(task),
      known_(*task.known),
      tool_limits_(tool_limits),
      targets_{TargetOf(task.theorem), NegationTarget(task.negation)} {
  offered_.push_back(kVerify);
  const Services& services = session.services();
  if (services.premises != nullptr) offered_.push_back(kSearch);
  if (services.python != nullptr && tool_limits_.python_memory > 0) offered_.push_back(kPython);
}

Task<std::vector<ToolResult>> Toolbox::Perform(std::vector<ToolCall> calls, std::string by) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Turn turn(executor);
  for (ToolCall& call : calls) {
    turn.submissions.emplace_back(Submission());
    if (call.error.empty() && call.tool == kVerify.name) {
      turn.submissions.back() = ReadSubmission(call.argument, task_.theorem.header, targets_);
    }
    ToolResult result;
    result.call = std::move(call);
    turn.results.push_back(std::move(result));
  }
  turn.done.resize(turn.results.size());
  core::TaskGroup group(executor);
  for (size_t i = 0; i < turn.results.size(); ++i) group.Spawn(PerformOne(turn, i, by));
  co_await group.Join();
  for (ToolResult& result : turn.results) {
    result.answer = Shortened(result.answer, tool_limits_.answer_bytes);
  }
  co_return std::move(turn.results);
}

Task<void> Toolbox::PerformOne(Turn& turn, size_t i, std::string by) {
  ToolResult& result = turn.results[i];
  ++calls_;
  if (!result.call.error.empty()) {
    Refuse(result, result.call.error);
  } else if (result.call.tool == kVerify.name) {
    co_await Verify(turn, i, std::move(by));
  } else if (result.call.tool == kSearch.name) {
    co_await Search(result);
  } else {
    co_await Compute(result);
  }
  turn.done[i] = true;
  turn.changed.Notify();
}

// ---- verify_lean

namespace {

/// The subject of the call: its last declaration with a name.
std::string SubjectOf(const Submission& submission) {
  for (auto it = submission.declared.rbegin(); it != submission.declared.rend(); ++it) {
    if (!it->name.empty()) return it->name;
  }
  return "";
}

}  // namespace

const Declared* Toolbox::TargetIn(const Submission& submission, const Declared& target) const {
  if (target.key.empty()) return nullptr;
  for (const Declared& declared : submission.declared) {
    const bool named = !target.name.empty() && declared.name == target.name;
    if (named || (target.name.empty() && declared.key == target.key)) return &declared;
  }
  return nullptr;
}

std::optional<std::string> Toolbox::RefusalReason(const Submission& submission) const {
  for (const Declared& target : targets_) {
    const Declared* const given = TargetIn(submission, target);
    if (given == nullptr || given->key == target.key) continue;
    return fmt::format("the statement of `{}` was changed. It is:\n{}", target.name, target.head);
  }
  for (const Declared& declared : submission.declared) {
    const bool own = declared.name == theorem().name || declared.name == negation().name;
    if (!own && known_.IsReserved(declared.name)) {
      return fmt::format("the name `{}` is taken; choose another", declared.name);
    }
  }
  return std::nullopt;
}

/// A statement that was proved before is not checked again.
bool Toolbox::AnswerFromMemory(const Submission& submission, ToolResult& result) const {
  if (submission.declared.size() != 1) return false;
  const Declared& declared = submission.declared.front();
  if (declared.keyword != "theorem") return false;
  const ProvedLemma* const same = known_.FindKey(declared.key);
  if (same == nullptr) return false;
  result.answer = fmt::format("This has been proved already, as `{}`. Use that.", same->name);
  return true;
}

Task<void> Toolbox::Verify(Turn& turn, size_t i, std::string by) {
  ToolResult& result = turn.results[i];
  const auto& read = turn.submissions[i];
  if (!read) {
    Refuse(result, read.error().message);
    co_return;
  }
  const Submission& submission = *read;
  result.subject = SubjectOf(submission);
  if (auto why = RefusalReason(submission)) {
    Refuse(result, *std::move(why));
    co_return;
  }
  while (turn.MustWait(i)) co_await turn.changed.Wait(core::Deadline());  // that call ends
  const bool is_target =
      TargetIn(submission, theorem()) != nullptr || TargetIn(submission, negation()) != nullptr;
  if (!is_target && AnswerFromMemory(submission, result)) co_return;
  const std::string lemmas = known_.Text();
  const SubmissionReport judged = co_await JudgeSubmission(
      session_, role::kAgent, task_.theorem.header, lemmas, submission.code, tool_limits_.check);
  result.answer = judged.report;
  switch (judged.status) {
    case SubmissionReport::Status::kOpen:
    case SubmissionReport::Status::kAccepted:
      Keep(submission, by, result);
      break;
    case SubmissionReport::Status::kRefused:
      result.refused = true;
      break;
    case SubmissionReport::Status::kUnknown:
      result.refused = true;
      if (judged.ended) result.answer = "there is no time left";
      break;
  }
}

/// Adds the completely proved lemmas to the memory; records a proof of the target.
void Toolbox::Keep(const Submission& submission, const std::string& by, ToolResult& result) {
  std::vector<std::string> kept, open;
  for (const Declared& declared : submission.declared) {
    const bool negated = &declared == TargetIn(submission, negation());
    const bool is_target = negated || &declared == TargetIn(submission, theorem());
    if (declared.name.empty() && !is_target) continue;
    const bool needs_open = std::any_of(open.begin(), open.end(), [&](const std::string& name) {
      return Mentions(declared.Text(), name);
    });
    if (declared.has_sorry || needs_open) {
      open.push_back(declared.name);
      continue;
    }
    if (is_target) {
      if (!finish_) finish_ = Finish{.negated = negated, .lemma = LemmaOf(declared, by)};
      result.accepted = true;
      result.answer += fmt::format("`{}` is proved. You have finished.\n", declared.name);
      continue;
    }
    if (!known_.Add(LemmaOf(declared, by))) {
      Refuse(result, fmt::format("`{}` is now the name of a lemma; choose another", declared.name));
      return;
    }
    result.accepted = true;
    kept.push_back(declared.name);
    nlohmann::json fields;
    fields["task"] = task_.label;
    fields["by"] = by;
    fields["name"] = declared.name;
    fields["statement"] = declared.head;
    fields["proof"] = declared.Text();
    session_.limits().Append(event::kLemmaProved, std::move(fields));
  }
  if (!kept.empty()) {
    result.answer += fmt::format(
        "Lean accepts {}: from now on it stands before everything that you check. Do not repeat "
        "it.\n",
        NamesOf(kept));
  }
  if (!open.empty()) {
    result.answer += fmt::format("Without errors, but not proved: {} (sorry).\n", NamesOf(open));
  }
  if (result.answer.empty()) result.answer = "Lean reports no errors.";
}

// ---- the other tools

Task<void> Toolbox::Search(ToolResult& result) {
  auto query = QueryOf(result.call.argument, task_.theorem.header, tool_limits_.premises);
  const auto found =
      co_await session_.services().premises->Search(std::move(query), session_.limits().deadline);
  if (!found) {
    Refuse(result, "the search failed: " + found.error().message);
    co_return;
  }
  result.answer = FormatPremises(*found);
}

Task<void> Toolbox::Compute(ToolResult& result) {
  core::PythonTask task;
  task.script = result.call.argument;
  task.time = tool_limits_.python_time;
  task.memory = tool_limits_.python_memory;
  const auto ran =
      co_await session_.services().python->Run(std::move(task), session_.limits().cancellation);
  if (!ran) {
    Refuse(result, "the program was not run: " + ran.error().message);
    co_return;
  }
  result.answer = Printed(*ran);
}

}  // namespace zermelo::strategy::agent
