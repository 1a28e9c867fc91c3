#include "strategy/sketch/workflow.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "strategy/prompt_text.h"
#include "strategy/proof/delivery.h"
#include "syntax/negation.h"

namespace zermelo::strategy::sketch {

using core::Result;
using core::Task;
using nlohmann::json;

namespace {

std::string NegationName(const std::string& name) { return name + "_is_false"; }

/// An earlier sketch and what came of it, for the next request.
std::string WithSketch(const std::string& code, const std::string& why) {
  constexpr size_t kMaxBytes = 12'000;
  return code.empty() ? why : LeanBlock(Shortened(code, kMaxBytes)) + "\n\n" + why;
}

}  // namespace

Workflow::Workflow(const Services& services, const Problem& problem,
                   const SketchParameters& parameters, const SketchProvers& provers,
                   const llm::PromptTemplates& prompts, Limits limits, core::Executor executor)
    : problem_(problem),
      parameters_(parameters),
      provers_(provers),
      session_(services, std::move(limits), std::move(executor), &prompts),
      blueprint_(session_.limits()),
      known_(problem.context.theorem.taken),
      theorem_(TargetOf(problem.context.theorem)),
      drafter_(session_, problem.context.theorem.header, known_, parameters_),
      changed_(session_.executor()) {}

// ---- the theorem

Task<Result<SearchResult>> Workflow::Run() {
  Lemma theorem;
  theorem.name = theorem_.name;
  theorem.head = theorem_.head;
  theorem.key = theorem_.key;
  known_.Reserve(theorem.name, theorem.key);
  const size_t root = blueprint_.Add(std::move(theorem));
  const Path path(1, root);
  while (epoch_ <= parameters_.restarts && Goes()) {
    BeginEpoch(root);
    Sublimits limits(session_.limits());
    co_await TakeApart(root, path, limits);
    if (IsSettled(root)) break;
  }
  session_.result().lemmas = known_.all();
  if (!IsSettled(root)) {
    blueprint_.Update(root, [](Lemma& lemma) { lemma.status = LemmaStatus::kOpen; });
  }
  co_return session_.Finish();
}

/// Starts over with all proved lemmas in the context (section 4.2).
void Workflow::BeginEpoch(size_t root) {
  ++epoch_;
  json fields;
  fields["task"] = theorem_.name;
  fields["by"] = fmt::format("sketch {}", epoch_ - 1);
  fields["known"] = known_.all().size();
  session_.limits().Append(event::kRoundBegun, std::move(fields));
  blueprint_.Update(root, [](Lemma& lemma) { lemma.status = LemmaStatus::kProving; });
}

bool Workflow::IsSettled(size_t id) const {
  const LemmaStatus status = blueprint_.at(id).status;
  return status == LemmaStatus::kProved || status == LemmaStatus::kFalse;
}

// ---- a statement

/// A statement is solved once, wherever it is needed: later callers wait for the first.
Task<void> Workflow::Solve(size_t id, Path path, Sublimits& limits) {
  while (blueprint_.at(id).status == LemmaStatus::kProving) {
    if (limits.ended() || blueprint_.WaitsFor(id, path)) co_return;  // a cycle of waiting
    co_await changed_.Wait(core::Deadline());  // the first caller ends in time
  }
  if (IsSettled(id) || limits.ended() || !Goes()) co_return;
  blueprint_.Update(id, [](Lemma& lemma) { lemma.status = LemmaStatus::kProving; });
  if (std::exchange(attempted_[id], epoch_) != epoch_) co_await Attempt(id, limits);
  const bool may_take_apart = path.size() < parameters_.depth;
  if (!IsSettled(id) && Goes() && !limits.ended() && may_take_apart &&
      std::exchange(taken_apart_[id], epoch_) != epoch_) {
    path.push_back(id);
    co_await TakeApart(id, path, limits);
  }
  if (!IsSettled(id)) {
    const bool ended = limits.ended() || !Goes();
    blueprint_.Update(id, [ended](Lemma& lemma) {
      lemma.status = ended ? LemmaStatus::kOpen : LemmaStatus::kTooHard;
    });
  }
  changed_.Notify();
}

/// Stops the work on the other lemmas of a sketch if one lemma is false.
Task<void> Workflow::SolveOrStop(size_t id, Path path, Sublimits& limits) {
  co_await Solve(id, std::move(path), limits);
  if (blueprint_.at(id).status != LemmaStatus::kFalse) co_return;
  limits.End();
  changed_.Notify();
}

Task<void> Workflow::Attempt(size_t id, const Sublimits& limits) {
  while (working_ >= parameters_.lemmas && !limits.ended()) {
    co_await changed_.Wait(core::Deadline());  // attempts in progress end in time
  }
  if (limits.ended() || !Goes()) co_return;
  ++working_;
  if (TakesFreeTry(id)) co_await TryFree(id, limits);
  if (!IsSettled(id) && Goes() && !limits.ended()) {
    co_await AskProver(id, provers_.agent, "", limits.limits());
  }
  --working_;
  changed_.Notify();
}

/// Spreads the share evenly over all lemmas.
bool Workflow::TakesFreeTry(size_t id) const {
  if (!provers_.free) return false;
  const double share = parameters_.free_share, n = static_cast<double>(id);
  return std::floor((n + 1) * share) > std::floor(n * share);
}

Task<void> Workflow::TryFree(size_t id, const Sublimits& limits) {
  const Timebox box(session_.executor(), limits.limits(),
                    core::FromSeconds(parameters_.free_seconds));
  co_await AskProver(id, provers_.free, "built-in", box.limits());
}

Task<void> Workflow::AskProver(size_t id, const StatementProver& prover, std::string_view who,
                               const Limits& limits) {
  const Lemma& lemma = blueprint_.at(id);
  StatementTask task;
  task.theorem = syntax::TheoremOf(lemma.head);
  task.theorem.header = problem_.context.theorem.header;
  task.theorem.taken = problem_.context.theorem.taken;
  const auto negation =
      syntax::NegationOf(lemma.head + " := sorry", NegationName(lemma.name), task.theorem.header);
  if (negation) task.negation = *negation;
  task.known = &known_;
  task.informal = lemma.doc;
  task.notes = lemma.reason;
  task.label = lemma.name;
  task.wants_reason = true;
  auto answer = co_await prover(std::move(task), limits);
  if (!answer) {
    session_.ProposalFailed(answer.error(), limits);  // a prompt too long leaves this lemma open
    co_return;
  }
  Settle(id, *std::move(answer), who);
}

void Workflow::Settle(size_t id, StatementAnswer answer, std::string_view who) {
  session_.result().spending += answer.spending;
  session_.result().samples += static_cast<uint64_t>(answer.spending.samples);
  if (answer.spent) session_.Spend();
  if (answer.lemma.by.empty()) answer.lemma.by = who;
  switch (answer.status) {
    case StatementAnswer::Status::kProved:
      blueprint_.Update(id, [&](Lemma& lemma) { lemma.spending += answer.spending; });
      MarkProved(id, answer.lemma);
      break;
    case StatementAnswer::Status::kDisproved: {
      ProvedLemma negation = answer.lemma;
      negation.name = NegationName(blueprint_.at(id).name);
      negation.key = negation.name;  // a key that no statement has
      known_.Add(std::move(negation));
      blueprint_.Update(id, [&](Lemma& lemma) {
        lemma.spending += answer.spending;
        lemma.status = LemmaStatus::kFalse;
        lemma.proof = answer.lemma.Text();
        lemma.by = answer.lemma.by;
      });
      break;
    }
    case StatementAnswer::Status::kOpen:
      blueprint_.Update(id, [&](Lemma& lemma) {
        lemma.spending += answer.spending;
        if (!answer.reason.empty()) lemma.reason = answer.reason;
      });
      break;
  }
  changed_.Notify();
}

void Workflow::MarkProved(size_t id, const ProvedLemma& as) {
  const Lemma& lemma = blueprint_.at(id);
  ProvedLemma proved = as.Renamed(lemma.name, lemma.head);
  proved.key = lemma.key;
  const std::string text = proved.Text(), by = proved.by;
  known_.Add(std::move(proved));
  blueprint_.Update(id, [&](Lemma& changed) {
    changed.status = LemmaStatus::kProved;
    changed.proof = text;
    changed.by = by;
    changed.reason.clear();
  });
  json fields;
  fields["task"] = lemma.name;
  fields["by"] = by;
  fields["name"] = lemma.name;
  fields["statement"] = lemma.head;
  session_.limits().Append(event::kLemmaProved, std::move(fields));
}

// ---- decomposition

Task<void> Workflow::TakeApart(size_t id, Path path, Sublimits& limits) {
  const std::string words =
      co_await drafter_.ProofInWords(blueprint_.at(id).head, blueprint_.at(id).reason);
  std::string feedback;
  for (size_t attempt = 0; attempt < parameters_.refinements; ++attempt) {
    if (IsSettled(id) || limits.ended() || !Goes()) co_return;
    const auto plan = co_await BestPlan(id, path, words, attempt, feedback);
    if (!plan) continue;
    const std::string why = co_await WorkOn(id, path, *plan, limits);
    if (why.empty()) co_return;
    feedback = LeanBlock(Shortened(plan->code, 12'000)) + "\n\n" + Shortened(why, 6000);
  }
}

/// The best of several drafts; nullopt, with the reasons in `feedback`, if none is usable.
Task<std::optional<Plan>> Workflow::BestPlan(size_t id, const Path& path, const std::string& words,
                                             size_t attempt, std::string& feedback) {
  DraftTask task{.target = {}, .words = words, .feedback = feedback, .forbidden = {}};
  task.target.name = blueprint_.at(id).name;
  task.target.head = blueprint_.at(id).head;
  task.target.key = blueprint_.at(id).key;
  for (const size_t above : path) task.forbidden.push_back(blueprint_.at(above).key);
  std::vector<Draft> drafts(parameters_.width);
  core::TaskGroup group(session_.executor());
  const auto make = [this, &task](Draft& draft) -> Task<void> {
    draft = co_await drafter_.Make(task);
  };
  for (Draft& draft : drafts) group.Spawn(make(draft));
  co_await group.Join();
  Draft* best = nullptr;
  std::string problems;
  for (Draft& draft : drafts) {
    if (!draft.reply.empty()) RecordDraft(id, attempt, words, draft);
    if (!draft.problem.empty()) problems += WithSketch(draft.code, draft.problem) + "\n\n";
    const bool usable = draft.plan && draft.problem.empty();
    if (usable && (best == nullptr || draft.Quality() > best->Quality())) best = &draft;
  }
  if (best != nullptr) co_return std::move(best->plan);
  feedback = Shortened(problems, 24'000);
  co_return std::nullopt;
}

/// Appends the event that training data for sketch models is made of.
void Workflow::RecordDraft(size_t id, size_t attempt, const std::string& words,
                           const Draft& draft) const {
  json fields = ToJson(draft);
  fields["lemma"] = id;
  fields["attempt"] = attempt;
  fields["words"] = words;
  session_.limits().Append(event::kSketched, std::move(fields));
}

/// Adds the definitions of a plan to what is known and its lemmas to the blueprint; marks those
/// that are proved already. Returns their ids.
std::vector<size_t> Workflow::AddLemmas(size_t id, const Path& path, const Plan& plan) {
  for (const Declared& definition : plan.definitions) known_.Add(LemmaOf(definition, "sketch"));
  std::vector<size_t> ids;
  for (const PlannedLemma& planned : plan.lemmas) {
    Lemma lemma;
    lemma.name = planned.declared.name;
    lemma.head = planned.declared.head;
    lemma.key = planned.declared.key;
    lemma.doc = planned.declared.doc;
    lemma.depth = path.size();
    const size_t child = blueprint_.Add(std::move(lemma));
    known_.Reserve(blueprint_.at(child).name, blueprint_.at(child).key);
    known_.Reserve(NegationName(blueprint_.at(child).name));
    ids.push_back(child);
  }
  blueprint_.Update(id, [&](Lemma& lemma) { lemma.depends = ids; });
  std::vector<std::string> open;
  for (size_t i = 0; i < ids.size(); ++i) {
    const Declared& declared = plan.lemmas[i].declared;
    const ProvedLemma* const known = known_.FindKey(declared.key);
    if (blueprint_.at(ids[i]).status == LemmaStatus::kProved) continue;
    const bool needs_open = std::any_of(open.begin(), open.end(), [&](const std::string& name) {
      return Mentions(declared.Text(), name);
    });
    if (known != nullptr) {
      MarkProved(ids[i], *known);
    } else if (!declared.has_sorry && !needs_open) {
      MarkProved(ids[i], LemmaOf(declared, "sketch"));
    } else {
      open.push_back(declared.name);
    }
  }
  return ids;
}

/// Returns an empty string if the statement follows, else the reason, for refining the sketch.
Task<std::string> Workflow::WorkOn(size_t id, const Path& path, const Plan& plan,
                                   Sublimits& limits) {
  const std::vector<size_t> children = AddLemmas(id, path, plan);
  Sublimits inner(limits.limits());
  core::TaskGroup group(session_.executor());
  for (const size_t child : children) group.Spawn(SolveOrStop(child, path, inner));
  co_await group.Join();
  std::string why;
  for (const size_t child : children) {
    const Lemma& lemma = blueprint_.at(child);
    if (lemma.status == LemmaStatus::kFalse) {
      why += fmt::format("`{}` is false. Lean accepts this:\n{}\n\n", lemma.name, lemma.proof);
    } else if (lemma.status == LemmaStatus::kTooHard) {
      why += fmt::format("`{}` could not be proved. {}\n\n", lemma.name, lemma.reason);
    } else if (lemma.status != LemmaStatus::kProved) {
      why += fmt::format("`{}` was not proved.\n\n", lemma.name);
    }
  }
  if (!why.empty()) co_return why;
  const bool holds = co_await Assemble(id, plan);
  if (holds) co_return "";
  co_return "All lemmas are proved, but the theorem does not follow from them as written.";
}

Task<bool> Workflow::Assemble(size_t id, const Plan& plan) {
  const auto limit = core::FromSeconds(parameters_.check_seconds);
  if (id == 0) {
    const bool delivered =
        co_await Deliver(session_, role::kSketcher, problem_, known_, plan.theorem.value, limit);
    if (delivered) {
      blueprint_.Update(id, [&](Lemma& lemma) {
        lemma.status = LemmaStatus::kProved;
        lemma.proof = plan.theorem.Text();
        lemma.by = "sketch";
      });
    }
    co_return delivered;
  }
  const std::string lemmas = known_.Text();
  const SubmissionReport judged = co_await JudgeSubmission(session_, role::kSketcher, header(),
                                                           lemmas, plan.theorem.Text(), limit);
  if (judged.status != SubmissionReport::Status::kAccepted) co_return false;
  MarkProved(id, LemmaOf(plan.theorem, "sketch"));
  co_return true;
}

}  // namespace zermelo::strategy::sketch
