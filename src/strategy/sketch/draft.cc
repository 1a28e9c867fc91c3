#include "strategy/sketch/draft.h"

#include <algorithm>
#include <fmt/format.h>

#include "llm/reply.h"
#include "strategy/prompt_text.h"

namespace zermelo::strategy::sketch {

using core::Task;
using nlohmann::json;
using Values = llm::PromptTemplates::Values;

namespace {

json ToJson(const Rubric& rubric) {
  return {{"veto", rubric.veto},
          {"alignment", rubric.alignment},
          {"value", rubric.value},
          {"reason", rubric.reason}};
}

json ToJson(const PlannedLemma& lemma) {
  return {{"name", lemma.declared.name},
          {"statement", lemma.declared.head},
          {"invalid", lemma.invalid},
          {"reason", lemma.reason}};
}

}  // namespace

double Draft::Quality() const {
  const size_t used = plan ? plan->lemmas.size() : 0;
  return sketch::Quality(rubric, plan && plan->HasInvalid(), used, plan ? plan->lemma_count() : 0);
}

int Draft::Reward() const {
  return sketch::Reward(plan ? plan->lemma_count() : 0, structure, Quality());
}

int Draft::BestReward(bool checked) const {
  if (!plan) return -1;
  const auto is_false = [](const PlannedLemma& lemma) { return lemma.invalid && !lemma.unjudged; };
  const bool any_false =
      std::ranges::any_of(plan->lemmas, is_false) || std::ranges::any_of(plan->unused, is_false);
  double quality = any_false ? -1 : 1;
  if (rubric) {
    quality = sketch::Quality(rubric, any_false, plan->lemmas.size(), plan->lemma_count());
  }
  return sketch::Reward(plan->lemma_count(), checked ? structure : 1, quality);
}

json ToJson(const Draft& draft) {
  json fields;
  fields["reply"] = draft.reply;
  fields["structure"] = draft.structure;
  fields["problem"] = draft.problem;
  fields["lemmas"] = json::array();
  if (draft.plan) {
    fields["code"] = draft.plan->code;
    for (const PlannedLemma& lemma : draft.plan->lemmas) fields["lemmas"].push_back(ToJson(lemma));
    for (const PlannedLemma& lemma : draft.plan->unused) fields["unused"].push_back(ToJson(lemma));
  }
  if (draft.rubric) fields["rubric"] = ToJson(*draft.rubric);
  fields["quality"] = draft.Quality();
  fields["reward"] = draft.Reward();
  return fields;
}

// ---- requests

Task<std::string> Drafter::Ask(std::string_view role, std::string_view prompt, Values values) {
  std::string text;
  if (!Goes()) co_return text;
  auto chat = session_.Begin(role, prompt, values);
  if (!chat) co_return text;
  co_await session_.Ask(*chat, session_.limits());
  text = std::move(chat->answer.text);
  co_return text;
}

Values Drafter::ValuesFor(const std::string& statement) const {
  const std::string known = known_.Statements();
  return PromptValues("header", HeaderBlock(header_), "statement", LeanBlock(statement), "known",
                      FormatSection("These lemmas are proved already and stand before it:",
                                    known.empty() ? "" : LeanBlock(known)));
}

Task<std::string> Drafter::ProofInWords(std::string statement, std::string reason) {
  Values values = ValuesFor(statement);
  values["notes"] =
      FormatSection("What attempts to prove it in Lean directly have shown:", std::move(reason));
  const std::string reply = co_await Ask(role::kInformal, "informal", std::move(values));
  co_return llm::WithoutThinking(reply);
}

// ---- a sketch and its judges

Task<Draft> Drafter::Make(DraftTask task) {
  Draft draft;
  Values values = ValuesFor(task.target.head);
  values["words"] = task.words;
  values["feedback"] =
      FormatSection("Problems of an earlier sketch, to be avoided:", task.feedback);
  draft.reply = co_await Ask(role::kSketcher, "sketch", std::move(values));
  if (draft.reply.empty()) {
    draft.problem = "The model returned no sketch.";
    co_return draft;
  }
  draft.code = llm::FindCode(llm::ReplyKind::kBlock, draft.reply).value_or("");
  auto plan = ReadPlan(draft.reply, header_, task.target, task.forbidden, known_);
  if (!plan) {
    draft.problem = "The reply is not a usable sketch: " + plan.error().message + ".";
    co_return draft;
  }
  draft.plan = *std::move(plan);
  if (draft.plan->lemma_count() < task.min_lemmas) {
    draft.problem = fmt::format("The sketch has fewer than {} lemmas.", task.min_lemmas);
    co_return draft;
  }
  co_await JudgeStructure(draft);
  if (draft.problem.empty() && parameters_.judge) co_await JudgeLemmas(draft);
  if (draft.problem.empty() && parameters_.rubric) co_await GiveMarks(task, draft);
  if (draft.problem.empty() && parameters_.rubric && draft.Quality() < parameters_.min_quality) {
    draft.problem = fmt::format("The sketch was given low marks: {:.2f}.", draft.Quality());
  }
  co_return draft;
}

/// Checks that Lean accepts the draft except for the `sorry`s of its lemmas.
Task<void> Drafter::JudgeStructure(Draft& draft) {
  const std::string lemmas = known_.Text();
  const auto limit = core::FromSeconds(parameters_.check_seconds);
  const SubmissionReport judged =
      co_await JudgeSubmission(session_, role::kSketcher, header_, lemmas, draft.plan->code, limit);
  const bool compiles = judged.status == SubmissionReport::Status::kAccepted ||
                        judged.status == SubmissionReport::Status::kOpen;
  draft.structure = compiles ? 1 : -1;
  if (!compiles) draft.problem = "Lean rejects the sketch:\n" + judged.report;
}

/// A judge finds false lemmas at a lower cost than the agent disproves them (section 3.3).
Task<void> Drafter::JudgeLemmas(Draft& draft) {
  const std::vector<PlannedLemma*> lemmas = draft.plan->AllLemmas();
  std::string definitions;  // also those that earlier sketches have left
  for (const ProvedLemma& one : known_.all()) {
    if (one.IsDefinition() && draft.plan->all_definitions.find(one.Text()) == std::string::npos)
      definitions += one.Text() + "\n\n";
  }
  definitions += draft.plan->all_definitions;
  core::TaskGroup group(session_.executor());
  for (PlannedLemma* const lemma : lemmas) {
    if (known_.FindKey(lemma->declared.key) == nullptr)
      group.Spawn(JudgeLemma(definitions, *lemma, draft));
  }
  co_await group.Join();
  for (const PlannedLemma* const lemma : lemmas) {
    if (!lemma->invalid) continue;
    draft.problem +=
        fmt::format("`{}` was judged to be false: {}\n", lemma->declared.name, lemma->reason);
  }
}

Task<void> Drafter::JudgeLemma(const std::string& definitions, PlannedLemma& lemma, Draft& draft) {
  auto values = PromptValues("header", HeaderBlock(header_), "lemma",
                             LeanBlock(definitions + lemma.declared.head));
  const std::string reply = co_await Ask(role::kJudge, "judge_lemma", std::move(values));
  const auto opinion = ReadOpinion(reply);
  lemma.unjudged = !opinion;
  draft.unjudged |= lemma.unjudged;
  if (!opinion && !Goes()) co_return;
  lemma.invalid = !opinion || opinion->invalid;
  lemma.reason = opinion ? opinion->reason : "the judge gave no verdict";
}

Task<void> Drafter::GiveMarks(const DraftTask& task, Draft& draft) {
  Values values = ValuesFor(task.target.head);
  values["words"] = task.words;
  values["sketch"] = LeanBlock(draft.plan->code);
  const std::string reply = co_await Ask(role::kJudge, "rubric", std::move(values));
  draft.rubric = ReadRubric(reply);
  draft.unjudged |= !draft.rubric;
  if (!draft.rubric && Goes()) draft.problem = "The judge gave no marks.";
  if (draft.rubric && !draft.rubric->veto.empty()) {
    draft.problem = fmt::format("The judge rejects the sketch ({}): {}", draft.rubric->veto,
                                draft.rubric->reason);
  }
}

}  // namespace zermelo::strategy::sketch
