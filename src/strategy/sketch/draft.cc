// The part of a workflow that requests and judges sketches.
#include <algorithm>
#include <fmt/format.h>

#include "llm/reply.h"
#include "strategy/prompt_text.h"
#include "strategy/sketch/workflow.h"

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

/// An earlier sketch and what came of it, for the next request.
std::string WithSketch(const std::string& code, const std::string& why) {
  constexpr size_t kMaxBytes = 12'000;
  return code.empty() ? why : LeanBlock(Shortened(code, kMaxBytes)) + "\n\n" + why;
}

}  // namespace

/// A sketch in progress.
struct Workflow::Draft {
  std::string reply;
  std::string code;  // in the reply; empty: none
  std::optional<Plan> plan;
  int structure = -1;  // S_FL: 1 when Lean accepts it but for its lemmas
  std::optional<Rubric> rubric;
  double quality = -1;  // S_NL
  std::string problem;  // why it is not used; empty: it may be used
};

// ---- requests

Task<std::string> Workflow::AskRole(std::string_view role, std::string_view prompt, Values values) {
  std::string text;
  if (!Goes()) co_return text;
  auto chat = session_.Begin(role, prompt, values);
  if (!chat) co_return text;
  co_await session_.Ask(*chat, session_.limits());
  text = std::move(chat->answer.text);
  co_return text;
}

Values Workflow::ValuesFor(size_t id) const {
  const std::string known = known_.Statements();
  return PromptValues("header", HeaderBlock(header()), "statement",
                      LeanBlock(blueprint_.at(id).statement), "known",
                      FormatSection("These lemmas are proved already and stand before it:",
                                    known.empty() ? "" : LeanBlock(known)));
}

Task<std::string> Workflow::ProofInWords(size_t id) {
  Values values = ValuesFor(id);
  values["notes"] = FormatSection("What attempts to prove it in Lean directly have shown:",
                                  blueprint_.at(id).reason);
  const std::string reply = co_await AskRole(role::kInformal, "informal", std::move(values));
  co_return llm::WithoutThinking(reply);
}

// ---- drafts

/// The best of several drafts; nullopt, with the reasons in `feedback`, if none is usable.
Task<std::optional<Plan>> Workflow::BestPlan(size_t id, const Path& path, const std::string& words,
                                             size_t attempt, std::string& feedback) {
  std::vector<Draft> drafts(parameters_.width);
  core::TaskGroup group(session_.executor());
  for (Draft& draft : drafts) group.Spawn(MakeDraft(id, path, words, feedback, draft));
  co_await group.Join();
  const Draft* best = nullptr;
  std::string problems;
  for (const Draft& draft : drafts) {
    if (!draft.reply.empty()) RecordDraft(id, attempt, words, draft);
    if (!draft.problem.empty()) problems += WithSketch(draft.code, draft.problem) + "\n\n";
    const bool usable = draft.plan && draft.problem.empty();
    if (usable && (best == nullptr || draft.quality > best->quality)) best = &draft;
  }
  std::optional<Plan> plan;
  if (best != nullptr) {
    plan = best->plan;
  } else {
    feedback = Shortened(problems, 24'000);
  }
  co_return plan;
}

Task<void> Workflow::MakeDraft(size_t id, const Path& path, const std::string& words,
                               const std::string& feedback, Draft& draft) {
  Values values = ValuesFor(id);
  values["words"] = words;
  values["feedback"] = FormatSection("Problems of an earlier sketch, to be avoided:", feedback);
  draft.reply = co_await AskRole(role::kSketcher, "sketch", std::move(values));
  if (draft.reply.empty()) {
    draft.problem = "The model returned no sketch.";
    co_return;
  }
  draft.code = llm::FindCode(llm::ReplyKind::kBlock, draft.reply).value_or("");
  Declared target;
  target.name = blueprint_.at(id).name;
  target.head = blueprint_.at(id).statement;
  target.statement = blueprint_.at(id).key;
  std::vector<std::string> forbidden;
  for (const size_t above : path) forbidden.push_back(blueprint_.at(above).key);
  auto plan = ReadPlan(draft.reply, header(), target, forbidden, known_);
  if (!plan) {
    draft.problem = "The reply is not a usable sketch: " + plan.error().message + ".";
    co_return;
  }
  draft.plan = *std::move(plan);
  co_await JudgeStructure(draft);
  if (draft.problem.empty() && parameters_.judge) co_await JudgeLemmas(draft);
  if (draft.problem.empty() && parameters_.rubric) co_await GiveMarks(id, words, draft);
  if (draft.problem.empty() && parameters_.rubric && draft.quality < parameters_.min_quality) {
    draft.problem = fmt::format("The sketch was given low marks: {:.2f}.", draft.quality);
  }
}

/// Checks that Lean accepts the draft except for the `sorry`s of its lemmas.
Task<void> Workflow::JudgeStructure(Draft& draft) {
  const std::string lemmas = known_.Text();
  const auto limit = core::FromSeconds(parameters_.check_seconds);
  const SubmissionReport judged = co_await JudgeSubmission(session_, role::kSketcher, header(),
                                                           lemmas, draft.plan->code, limit);
  const bool compiles = judged.status == SubmissionReport::Status::kAccepted ||
                        judged.status == SubmissionReport::Status::kOpen;
  draft.structure = compiles ? 1 : -1;
  if (!compiles) draft.problem = "Lean rejects the sketch:\n" + judged.report;
}

/// A judge finds false lemmas at a lower cost than the agent disproves them (section 3.3).
Task<void> Workflow::JudgeLemmas(Draft& draft) {
  const std::vector<PlannedLemma*> lemmas = draft.plan->AllLemmas();
  std::string definitions;  // also those that earlier sketches have left
  for (const ProvedLemma& one : known_.all()) {
    if (one.IsDefinition() && draft.plan->all_definitions.find(one.text) == std::string::npos)
      definitions += one.text + "\n\n";
  }
  definitions += draft.plan->all_definitions;
  core::TaskGroup group(session_.executor());
  for (PlannedLemma* const lemma : lemmas) {
    if (known_.FindKey(lemma->declared.statement) == nullptr)
      group.Spawn(JudgeLemma(definitions, *lemma));
  }
  co_await group.Join();
  for (const PlannedLemma* const lemma : lemmas) {
    if (!lemma->invalid) continue;
    draft.problem +=
        fmt::format("`{}` was judged to be false: {}\n", lemma->declared.name, lemma->reason);
  }
}

Task<void> Workflow::JudgeLemma(const std::string& definitions, PlannedLemma& lemma) {
  auto values = PromptValues("header", HeaderBlock(header()), "lemma",
                             LeanBlock(definitions + lemma.declared.head));
  const std::string reply = co_await AskRole(role::kJudge, "judge_lemma", std::move(values));
  const auto opinion = ReadOpinion(reply);
  if (!opinion && !Goes()) co_return;
  lemma.invalid = !opinion || opinion->invalid;
  lemma.reason = opinion ? opinion->reason : "the judge gave no verdict";
}

Task<void> Workflow::GiveMarks(size_t id, const std::string& words, Draft& draft) {
  Values values = ValuesFor(id);
  values["words"] = words;
  values["sketch"] = LeanBlock(draft.plan->code);
  const std::string reply = co_await AskRole(role::kJudge, "rubric", std::move(values));
  draft.rubric = ReadRubric(reply);
  const size_t used = draft.plan->lemmas.size();
  draft.quality = Quality(draft.rubric, false, used, draft.plan->lemma_count());
  if (!draft.rubric && Goes()) draft.problem = "The judge gave no marks.";
  if (draft.rubric && !draft.rubric->veto.empty()) {
    draft.problem = fmt::format("The judge rejects the sketch ({}): {}", draft.rubric->veto,
                                draft.rubric->reason);
  }
}

// ---- events

/// Appends the event that training data for sketch models is made of.
void Workflow::RecordDraft(size_t id, size_t attempt, const std::string& words,
                           const Draft& draft) const {
  json fields;
  fields["lemma"] = id;
  fields["attempt"] = attempt;
  fields["words"] = words;
  fields["reply"] = draft.reply;
  fields["structure"] = draft.structure;
  fields["problem"] = draft.problem;
  fields["lemmas"] = json::array();
  if (draft.plan) {
    fields["code"] = draft.plan->code;
    for (const PlannedLemma& lemma : draft.plan->lemmas) {
      fields["lemmas"].push_back(ToJson(lemma));
    }
    for (const PlannedLemma& lemma : draft.plan->unused) {
      fields["unused"].push_back(ToJson(lemma));
    }
  }
  if (draft.rubric) fields["rubric"] = ToJson(*draft.rubric);
  const size_t used = draft.plan ? draft.plan->lemmas.size() : 0;
  const size_t lemmas = draft.plan ? draft.plan->lemma_count() : 0;
  const bool any_invalid = draft.plan && draft.plan->HasInvalid();
  const double quality = Quality(draft.rubric, any_invalid, used, lemmas);
  fields["quality"] = quality;
  fields["reward"] = Reward(lemmas, draft.structure, quality);
  session_.limits().Append(event::kSketched, std::move(fields));
}

}  // namespace zermelo::strategy::sketch
