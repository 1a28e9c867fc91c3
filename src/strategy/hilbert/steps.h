// The steps of Hilbert, one function each (arXiv 2509.22819, section 3.2; Algorithms 2-8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strategy/hilbert/hilbert.h"
#include "strategy/hilbert/lemma.h"
#include "strategy/hilbert/sketch.h"
#include "strategy/hilbert/task_race.h"
#include "strategy/session.h"

namespace zermelo::strategy {

/// A theorem to prove.
struct Goal {
  size_t node = 0;   // its number in events; 0: the theorem of the file
  size_t depth = 0;  // number of decompositions above it
  Statement theorem;
  Problem problem;
  std::vector<std::string> above;  // keys of all theorems above it and of itself
};

/// The goal as shown in prompts.
inline std::string FormatStatement(const Goal& goal) {
  return goal.problem.context.theorem.Opening() + "\n  sorry";
}

/// A sketch whose sorries are applications of theorems; Lean accepted it with stubs of the
/// theorems.
struct Assembly {
  std::string tactics;
  std::vector<Statement> theorems;              // one per sorry of the sketch, in order
  std::vector<std::vector<std::string>> goals;  // the tactic state of each
};

/// The steps of one run; calls may overlap. A step that fails returns an empty result; if that ends
/// a decomposition, it also appends an event with the reason.
class Steps {
 public:
  /// `session`, `parameters` and `known`, the proved subgoals, must outlive this object.
  Steps(Session& session, const HilbertParameters& parameters, LemmaStore& known,
        FreeAttempt builtin);

  /// Free of charge: runs the built-in search for `builtin_seconds`.
  core::Task<std::optional<syntax::Proof>> TryBuiltin(const Goal& goal, const Limits& limits);
  /// Section 3.2 and 3.2.2, step 1: proofs by the prover until Lean accepts one.
  core::Task<std::optional<syntax::Proof>> TryProver(const Goal& goal, size_t proofs,
                                                     const Limits& limits);

  /// Section 3.2.1, steps 1 and 2: retrieval, an informal proof, and a sketch that Lean accepts
  /// except for its sorries. A sketch without sorries is a proof. With `rejected`, also section
  /// 3.2.2, step 2: what is wrong with an earlier sketch guides the informal proof and the sketch.
  struct Rejected {
    std::string tactics;  // of the earlier sketch
    std::string issue;    // of one of its subgoals
    std::string proved;   // the heads of those that are proved
  };
  core::Task<std::optional<Sketch>> MakeSketch(const Goal& goal,
                                               const std::optional<Rejected>& rejected,
                                               const Limits& limits);
  /// Step 3: a theorem for every sorry; missing ones are requested again, rejected ones are
  /// corrected with Lean's errors. Known statements are replaced by the known theorems.
  core::Task<std::optional<std::vector<Statement>>> ExtractSubgoals(const Goal& goal,
                                                                    const Sketch& sketch,
                                                                    const Limits& limits);
  /// Step 4: the proof that applies the theorems, checked with their stubs.
  core::Task<std::optional<Assembly>> Assemble(const Goal& goal, const Sketch& sketch,
                                               std::vector<Statement> theorems,
                                               const Limits& limits);

  /// Free of charge: returns the reason that a subgoal is false if the built-in search proves its
  /// negation within `disprove_seconds`.
  core::Task<std::optional<std::string>> Disprove(const Goal& goal, const Limits& limits);
  /// Section 3.2.2, step 2: asks a judge (0: mathematics, 1: the formal statement) whether a
  /// subgoal is false or badly stated. Returns the reason, also if the judge gives no verdict;
  /// nullopt if the judge accepts, if there is none, or if the run ends.
  static constexpr size_t kJudges = 2;
  core::Task<std::optional<std::string>> Judge(const Goal& goal, size_t judge,
                                               const Limits& limits);
  /// Step 3: attempts at a short proof by the reasoner, each with premises that it retrieves, and
  /// corrected with Lean's errors.
  core::Task<std::optional<syntax::Proof>> ShallowSolve(const Goal& goal, const Limits& limits);

  /// Whether Lean accepts the whole proof, with its lemmas and with the kernel on.
  core::Task<bool> CompilesWhole(const Goal& goal, const syntax::Proof& proof,
                                 const Limits& limits);

 private:
  /// Generates search queries, searches the library, selects the useful results and formats them
  /// for prompts. RetrievePremises does all of it. "(none)": nothing was found.
  core::Task<std::vector<std::string>> SearchQueries(const Goal& goal, const Limits& limits);
  core::Task<std::vector<std::string>> SearchLibrary(const Goal& goal,
                                                     std::vector<std::string> queries,
                                                     const Limits& limits);
  core::Task<std::string> SelectPremises(const Goal& goal, std::vector<std::string> found,
                                         const Limits& limits);
  core::Task<std::string> RetrievePremises(const Goal& goal, const Limits& limits);
  /// `issue`: of an earlier sketch; empty: none.
  core::Task<std::optional<std::string>> InformalProof(const Goal& goal,
                                                       const std::string& premises,
                                                       const std::string& issue,
                                                       const Limits& limits);
  struct Refused {
    std::string errors;                // formatted for models
    std::vector<std::string> unknown;  // unknown names in the errors
    size_t lines = 0;
  };
  /// Sends the chat, with up to tag_retries reminders, until the reply has a code block; returns
  /// it.
  core::Task<std::optional<std::string>> AskForCode(Chat& chat, const Limits& limits);
  /// Like AskForCode for texts in <tag>…</tag>; returns all of them, in order.
  core::Task<std::vector<std::string>> AskForTags(Chat& chat, std::string tag,
                                                  const Limits& limits);
  enum class Goals { kNotNeeded, kAtSorries };
  core::Task<std::optional<Session::Checked>> Check(const Problem& problem, syntax::Proof proof,
                                                    std::string_view role, double seconds,
                                                    Goals goals, const Limits& limits);
  /// Adds the results of a library search to `found`. Returns false if the search fails.
  core::Task<bool> Look(const Goal& goal, std::string query, bool formal,
                        std::vector<std::string>& found, const Limits& limits);
  enum class Learning { kYes, kNo };  // from the goals of a search
  core::Task<std::optional<syntax::Proof>> Search(const Problem& problem, double seconds,
                                                  Learning learning, const Limits& limits);
  /// Checks the proof in a reply of `role`. Returns the accepted proof, or the reasons of its
  /// rejection; nullopt if the run ends.
  core::Task<std::optional<tl::expected<syntax::Proof, Refused>>> CheckProof(
      const Goal& goal, const tl::expected<syntax::ExtractedProof, syntax::NoProof>& read,
      std::string_view role, const Limits& limits);
  core::Task<std::optional<syntax::Proof>> ShallowAttempt(const Goal& goal, const Limits& limits);
  core::Task<std::string> PremisesForErrors(const Goal& goal, const Refused& refused,
                                            const Limits& limits);
  core::Task<std::optional<Sketch>> CompileSketch(const Goal& goal, Chat chat,
                                                  const Limits& limits);
  core::Task<std::optional<Sketch>> CheckSketch(const Goal& goal, std::string tactics,
                                                std::string& errors, const Limits& limits);
  core::Task<std::optional<Sketch>> CheckComplete(const Goal& goal, syntax::ExtractedProof read,
                                                  std::string& errors, const Limits& limits);

  struct Extracted;
  core::Task<void> AskForSubgoals(const Goal& goal, const Sketch& sketch, Extracted& extracted,
                                  const Limits& limits);
  core::Task<bool> CheckStatements(const Goal& goal, Extracted& extracted, std::string_view role,
                                   const Limits& limits);
  core::Task<void> CorrectStatements(const Goal& goal, Extracted& extracted, const Limits& limits);
  core::Task<std::optional<Assembly>> CheckAssembly(const Goal& goal, std::string tactics,
                                                    std::string_view role,
                                                    const std::vector<Statement>& theorems,
                                                    std::string& errors, const Limits& limits);

  Session& session_;
  const HilbertParameters& parameters_;
  LemmaStore& known_;
  const FreeAttempt builtin_;
  bool library_answers_ = false;  // the last library search succeeded
};

/// The texts between <tag> and </tag>, trimmed; empty ones are skipped.
std::vector<std::string> InTags(std::string_view text, std::string_view tag);

/// The stubs of theorems, each once.
std::string StubsOf(const std::vector<Statement>& theorems);

/// Appends the event that ends an attempt to decompose a goal.
void Refuse(const Goal& goal, std::string_view step, const std::string& why, const Limits& limits);

}  // namespace zermelo::strategy
