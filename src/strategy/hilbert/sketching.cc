// The steps that decompose a goal: section 3.2.1, steps 2-4.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/text.h"
#include "strategy/hilbert/steps.h"
#include "strategy/prompt_text.h"
#include "strategy/proof/marked_errors.h"
#include "strategy/proof/proof_segments.h"
#include "syntax/proof/proof_text.h"
#include "trust/source/source_tokens.h"

namespace zermelo::strategy {

using core::Task;

namespace {

/// The whole theorem with these tactics.
std::string FormatStatement(const Goal& goal, const std::string& tactics) {
  std::string shown = goal.problem.context.theorem.Opening() + "\n" + policy::PrefixOf(tactics);
  if (shown.ends_with('\n')) shown.pop_back();
  return shown;
}

std::string NamesOf(const std::set<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Sketches are proofs only: declarations before the theorem are not kept.
auto ReadSketch(const Goal& goal, const std::string& code) {
  return syntax::ExtractProof(goal.problem.context.theorem, code, "", /*keeps_auxiliary=*/false);
}

std::string StatesOf(const Sketch& sketch) {
  std::string states;
  for (const SketchHole& hole : sketch.holes) {
    states += fmt::format("-- {}\n{}\n\n", hole.name, hole.goal.empty() ? "?" : hole.goal);
  }
  if (!states.empty()) states.resize(states.size() - 2);
  return states;
}

/// The lines of each theorem in a document whose auxiliary commands begin with StubsOf(theorems).
std::map<std::string, syntax::LineRange> LinesOf(const std::vector<Statement>& theorems,
                                                 const syntax::SiteDocument& document) {
  std::map<std::string, syntax::LineRange> lines;
  uint32_t first = document.declaration_first_line;
  for (const Statement& theorem : theorems) {
    if (lines.contains(theorem.name)) continue;
    const std::string stub = theorem.Stub();
    const auto next = first + static_cast<uint32_t>(std::ranges::count(stub, '\n'));
    lines[theorem.name] = {first, next - 1};
    first = next;
  }
  return lines;
}

}  // namespace

Task<std::optional<std::string>> Steps::InformalProof(const Goal& goal, const std::string& premises,
                                                      const std::string& issue,
                                                      const Limits& limits) {
  const std::string& informal = goal.problem.context.theorem.doc;
  auto chat = session_.Begin(
      role::kInformal, "informal_proof",
      PromptValues(
          "statement", FormatStatement(goal), "informal", informal.empty() ? "(none)" : informal,
          "premises", premises, "issue",
          FormatSection("A sketch made from an earlier proof has this problem; avoid it:", issue)));
  if (!chat) co_return std::nullopt;
  const auto proofs = co_await AskForTags(*chat, "informal_proof", limits);
  if (!proofs.empty()) co_return proofs.back();
  if (chat->reply.empty()) co_return std::nullopt;
  co_return chat->reply;  // a proof without the requested tags
}

Task<std::optional<Sketch>> Steps::MakeSketch(const Goal& goal,
                                              const std::optional<Rejected>& rejected,
                                              const Limits& limits) {
  const std::string premises = co_await RetrievePremises(goal, limits);
  const std::string issue = rejected ? rejected->issue : "";
  const auto informal = co_await InformalProof(goal, premises, issue, limits);
  if (!informal) co_return std::nullopt;
  auto values =
      PromptValues("header", goal.problem.context.theorem.header, "statement",
                   FormatStatement(goal), "informal_proof", *informal, "premises", premises);
  if (rejected) {
    values.erase("statement");
    values["sketch"] = FormatStatement(goal, rejected->tactics);
    values["issue"] = issue;
    values["proved"] = rejected->proved.empty() ? "(none)" : rejected->proved;
  }
  auto chat = session_.Begin(role::kSketcher, rejected ? "refine_sketch" : "sketch", values);
  if (!chat) co_return std::nullopt;
  co_return co_await CompileSketch(goal, *std::move(chat), limits);
}

Task<std::optional<Sketch>> Steps::CompileSketch(const Goal& goal, Chat chat,
                                                 const Limits& limits) {
  std::string errors;
  for (size_t pass = 0; pass <= parameters_.sketch_corrections; ++pass) {
    if (pass > 0 && !session_.Add(chat, "correct_sketch", PromptValues("errors", errors))) break;
    const auto code = co_await AskForCode(chat, limits);
    if (!code) break;
    const auto read = ReadSketch(goal, *code);
    if (!read) {
      errors = read.error().message;
      continue;
    }
    std::optional<Sketch> sketch;
    if (read->has_sorry) {
      sketch = co_await CheckSketch(goal, read->tactics, errors, limits);
    } else {
      sketch = co_await CheckComplete(goal, *read, errors, limits);
    }
    if (sketch || session_.Done(limits)) co_return sketch;
    // Perhaps only the proofs of the steps are wrong: try again with `sorry` in their place.
    const std::string bare = WithSorries(read->tactics);
    if (bare != read->tactics) sketch = co_await CheckSketch(goal, bare, errors, limits);
    if (sketch || session_.Done(limits)) co_return sketch;
  }
  Refuse(goal, "sketch", errors, limits);
  co_return std::nullopt;
}

Task<std::optional<Sketch>> Steps::CheckSketch(const Goal& goal, std::string tactics,
                                               std::string& errors, const Limits& limits) {
  if (auto objection = trust::Objection(tactics)) {
    errors = *std::move(objection);
    co_return std::nullopt;
  }
  const auto checked = co_await Check(goal.problem, MakeProof(tactics), role::kSketcher,
                                      parameters_.sketch_seconds, Goals::kAtSorries, limits);
  if (!checked) {
    errors = "Lean takes too long over it";
    co_return std::nullopt;
  }
  if (checked->accepted) co_return SketchOf(std::move(tactics), checked->document, checked->result);
  errors = MarkedErrors(checked->document, checked->result.diagnostics);
  co_return std::nullopt;
}

/// A reply without a `sorry` may be the whole proof.
Task<std::optional<Sketch>> Steps::CheckComplete(const Goal& goal, syntax::ExtractedProof read,
                                                 std::string& errors, const Limits& limits) {
  const auto whole = co_await CheckProof(goal, read, role::kSketcher, limits);
  if (!whole) co_return std::nullopt;
  if (!*whole) errors = whole->error().errors;
  if (!*whole || !(*whole)->auxiliary.empty()) co_return std::nullopt;
  Sketch complete;
  complete.tactics = (*whole)->tactics;
  co_return complete;
}

// ---- step 3

/// The theorem extracted for each hole, if any, and Lean's errors in it.
struct Steps::Extracted {
  const Sketch& sketch;
  std::vector<std::string> names;                      // names of the theorems
  std::vector<std::optional<std::string>> signatures;  // one per hole
  std::vector<std::string> errors;               // one per hole; empty: Lean accepts the statement
  std::vector<std::optional<Chat>> corrections;  // the conversation about each hole's statement

  explicit Extracted(const Sketch& of) : sketch(of) {
    names.resize(of.holes.size());
    signatures.resize(of.holes.size());
    errors.resize(of.holes.size());
    corrections.resize(of.holes.size());
  }
  std::set<std::string> Missing() const {
    std::set<std::string> missing;
    for (size_t i = 0; i < signatures.size(); ++i) {
      if (!signatures[i]) missing.insert(sketch.holes[i].name);
    }
    return missing;
  }
  /// Adds the theorems of holes that have none yet.
  void Add(const std::vector<Statement>& theorems) {
    for (size_t i = 0; i < signatures.size(); ++i) {
      const auto found = std::ranges::find(theorems, sketch.holes[i].name, &Statement::name);
      if (!signatures[i] && found != theorems.end()) signatures[i] = found->signature;
    }
  }
  /// Fills missing and rejected statements from Lean's own tactic states.
  void AddStates() {
    for (size_t i = 0; i < signatures.size(); ++i) {
      if (signatures[i] && errors[i].empty()) continue;
      const auto state = TheoremOfState(sketch.holes[i].goal);
      if (state) signatures[i] = state->signature;
    }
  }
  std::vector<Statement> Theorems() const {
    std::vector<Statement> theorems;
    for (size_t i = 0; i < signatures.size(); ++i) {
      if (signatures[i]) theorems.push_back(At(i));
    }
    return theorems;
  }
  Statement At(size_t i) const {
    return {.name = names[i], .signature = signatures[i].value_or("")};
  }
  bool Refused() const {
    return std::ranges::any_of(errors, [](const auto& error) { return !error.empty(); });
  }
  bool Good() const { return Missing().empty() && !Refused(); }
};

Task<std::optional<std::vector<Statement>>> Steps::ExtractSubgoals(const Goal& goal,
                                                                   const Sketch& sketch,
                                                                   const Limits& limits) {
  Extracted extracted(sketch);
  for (size_t i = 0; i < sketch.holes.size(); ++i) {
    extracted.names[i] = known_.FreeName(LemmaName(goal.theorem.name, sketch.holes[i].name));
    known_.Reserve(extracted.names[i]);
  }
  const bool by_lean = parameters_.extraction == Extraction::kLean;
  if (by_lean) extracted.AddStates();
  if (!by_lean) co_await AskForSubgoals(goal, sketch, extracted, limits);
  const auto by = by_lean ? role::kSketcher : role::kReasoner;
  bool checked = co_await CheckStatements(goal, extracted, by, limits);
  if (by_lean && checked && !extracted.Good()) {
    for (size_t i = 0; i < extracted.signatures.size(); ++i) {
      if (!extracted.errors[i].empty()) extracted.signatures[i].reset();
    }
    co_await AskForSubgoals(goal, sketch, extracted, limits);
    checked = co_await CheckStatements(goal, extracted, role::kReasoner, limits);
  }
  for (size_t pass = 0; pass < parameters_.sketch_corrections; ++pass) {
    if (!checked || !extracted.Refused() || !session_.MayAsk(limits)) break;
    co_await CorrectStatements(goal, extracted, limits);
    checked = co_await CheckStatements(goal, extracted, role::kReasoner, limits);
  }
  if (checked && !extracted.Good()) {
    extracted.AddStates();
    checked = co_await CheckStatements(goal, extracted, role::kSketcher, limits);
  }
  if (!checked) Refuse(goal, "extraction", "Lean takes too long over the statements", limits);
  if (!checked) co_return std::nullopt;
  if (!extracted.Good()) {
    std::string why = "no theorem for " + NamesOf(extracted.Missing());
    for (const std::string& error : extracted.errors) why = error.empty() ? why : error;
    Refuse(goal, "extraction", why, limits);
    co_return std::nullopt;
  }
  std::vector<Statement> theorems = extracted.Theorems();
  for (Statement& theorem : theorems) {
    if (const auto* lemma = known_.FindKey(theorem.Key()))
      theorem = {lemma->name, lemma->signature};
  }
  co_return theorems;
}

Task<void> Steps::AskForSubgoals(const Goal& goal, const Sketch& sketch, Extracted& extracted,
                                 const Limits& limits) {
  std::string proved;
  for (const ProvedLemma& lemma : known_.all())
    proved += Statement{lemma.name, lemma.signature}.Stub();
  const auto missing = extracted.Missing();
  auto chat =
      session_.Begin(role::kReasoner, "extract_subgoals",
                     PromptValues("header", goal.problem.context.theorem.header, "sketch",
                                  FormatStatement(goal, sketch.tactics), "states", StatesOf(sketch),
                                  "count", std::to_string(missing.size()), "names",
                                  NamesOf(missing), "proved", proved.empty() ? "(none)" : proved));
  if (!chat) co_return;
  for (size_t tries = 0; tries <= parameters_.missing_retries; ++tries) {
    const auto left = extracted.Missing();
    if (left.empty()) break;
    if (tries > 0 && !session_.Add(*chat, "missing_subgoals", PromptValues("names", NamesOf(left))))
      break;
    const auto code = co_await AskForCode(*chat, limits);
    if (!code) break;
    extracted.Add(TheoremsIn(*code));
  }
}

/// Checks all statements in one document. Returns false if Lean does not answer.
Task<bool> Steps::CheckStatements(const Goal& goal, Extracted& extracted, std::string_view role,
                                  const Limits& limits) {
  for (size_t i = 0; i < extracted.signatures.size(); ++i) {
    extracted.errors[i].clear();
    if (!extracted.signatures[i]) continue;
    const Statement theorem = extracted.At(i);
    const bool one = ProblemOf(goal.problem, theorem).has_value();
    if (!one) extracted.signatures[i].reset();  // it is not a single theorem
  }
  const auto theorems = extracted.Theorems();
  if (theorems.empty()) co_return true;
  const auto checked = co_await Check(goal.problem, MakeProof("sorry", StubsOf(theorems)), role,
                                      parameters_.sketch_seconds, Goals::kNotNeeded, limits);
  if (!checked) co_return false;
  const auto lines = LinesOf(theorems, checked->document);
  for (size_t i = 0; i < extracted.signatures.size(); ++i) {
    const auto place = lines.find(extracted.names[i]);
    if (!extracted.signatures[i] || place == lines.end()) continue;
    for (const lean::Diagnostic& d : checked->result.diagnostics) {
      if (d.severity == lean::Severity::kError && place->second.Contains(d.begin)) {
        extracted.errors[i] += (extracted.errors[i].empty() ? "" : "\n") + d.message;
      }
    }
  }
  co_return true;
}

Task<void> Steps::CorrectStatements(const Goal& goal, Extracted& extracted, const Limits& limits) {
  TaskRace<bool> corrections(session_.executor(), JoinPolicy::kAll, parameters_.parallel, limits);
  const auto correct = [&](size_t i, const Limits& own) -> Task<core::Result<bool>> {
    const Statement theorem = extracted.At(i);
    auto& chat = extracted.corrections[i];
    if (chat) {
      const auto errors = PromptValues("errors", extracted.errors[i]);
      if (!session_.Add(*chat, "correct_statement_again", errors)) co_return false;
    } else {
      chat = session_.Begin(
          role::kReasoner, "correct_statement",
          PromptValues("header", goal.problem.context.theorem.header, "statement", theorem.Stub(),
                       "state", extracted.sketch.holes[i].goal, "errors", extracted.errors[i]));
      if (!chat) co_return false;
    }
    const auto code = co_await AskForCode(*chat, own);
    if (!code) {
      chat.reset();  // the next pass begins anew
      co_return false;
    }
    const auto theorems = TheoremsIn(*code);
    if (!theorems.empty()) extracted.signatures[i] = theorems.back().signature;
    co_return true;
  };
  for (size_t i = 0; i < extracted.signatures.size(); ++i) {
    if (!extracted.signatures[i] || extracted.errors[i].empty()) continue;
    corrections.Spawn([&correct, i](const Limits& own) { return correct(i, own); });
  }
  co_await corrections.Join();
}

// ---- step 4

Task<std::optional<Assembly>> Steps::Assemble(const Goal& goal, const Sketch& sketch,
                                              std::vector<Statement> theorems,
                                              const Limits& limits) {
  std::string errors;
  const std::string by_lean = Assembled(sketch, theorems);
  if (parameters_.extraction == Extraction::kLean) {
    auto assembly =
        co_await CheckAssembly(goal, by_lean, role::kSketcher, theorems, errors, limits);
    if (assembly) co_return assembly;
  }
  auto chat = session_.Begin(
      role::kReasoner, "assemble",
      PromptValues("theorems", StubsOf(theorems), "sketch", FormatStatement(goal, sketch.tactics)));
  if (!chat) co_return std::nullopt;
  for (size_t pass = 0; pass <= parameters_.sketch_corrections; ++pass) {
    if (pass > 0 && !session_.Add(*chat, "correct_assembly", PromptValues("errors", errors))) break;
    const auto code = co_await AskForCode(*chat, limits);
    if (!code) break;
    const auto read = ReadSketch(goal, *code);
    if (!read) {
      errors = read.error().message;
      continue;
    }
    auto assembly =
        co_await CheckAssembly(goal, read->tactics, role::kReasoner, theorems, errors, limits);
    if (assembly) co_return assembly;
    if (session_.Done(limits)) co_return std::nullopt;
  }
  if (parameters_.extraction == Extraction::kReasoner) {
    auto assembly =
        co_await CheckAssembly(goal, by_lean, role::kSketcher, theorems, errors, limits);
    if (assembly) co_return assembly;
  }
  Refuse(goal, "assembly", errors, limits);
  co_return std::nullopt;
}

Task<std::optional<Assembly>> Steps::CheckAssembly(const Goal& goal, std::string tactics,
                                                   std::string_view role,
                                                   const std::vector<Statement>& theorems,
                                                   std::string& errors, const Limits& limits) {
  if (syntax::UsesSorry(tactics)) {
    errors = "it still has a `sorry`: each must become a call of its theorem";
    co_return std::nullopt;
  }
  if (auto objection = trust::Objection(tactics)) {
    errors = *std::move(objection);
    co_return std::nullopt;
  }
  const auto checked = co_await Check(goal.problem, MakeProof(tactics, StubsOf(theorems)), role,
                                      parameters_.sketch_seconds, Goals::kAtSorries, limits);
  if (!checked) {
    errors = "Lean takes too long over it";
    co_return std::nullopt;
  }
  if (!checked->accepted) {
    errors = MarkedErrors(checked->document, checked->result.diagnostics);
    co_return std::nullopt;
  }
  Assembly assembly;
  assembly.tactics = std::move(tactics);
  assembly.theorems = theorems;
  const auto lines = LinesOf(theorems, checked->document);
  for (const Statement& theorem : theorems) {
    std::vector<std::string> goals;
    const auto place = lines.find(theorem.name);
    for (const lean::SorryGoals& sorry : checked->result.sorries) {
      if (place == lines.end()) break;
      if (place->second.Contains(sorry.at)) goals = sorry.goals;
    }
    assembly.goals.push_back(std::move(goals));
  }
  co_return assembly;
}

}  // namespace zermelo::strategy
