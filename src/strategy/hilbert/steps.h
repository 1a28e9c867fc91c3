// The steps of Hilbert, one function each (arXiv 2509.22819, section 3.2; Algorithms 2-8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strategy/hilbert/desk.h"
#include "strategy/hilbert/lemma.h"
#include "strategy/hilbert/sketch.h"

namespace zermelo::strategy {

/// A theorem to be proved.
struct Goal {
  size_t node = 0;   // its number in the events; 0 is the theorem of the file
  size_t depth = 0;  // how many decompositions it is inside of
  Statement theorem;
  Problem problem;
  std::vector<std::string> above;  // KeyOf of it and of the theorems that it is a subgoal of
};

/// As prompts show it.
inline std::string Shown(const Goal& goal) {
  return goal.problem.context.theorem.statement + "\n  sorry";
}

/// A sketch whose sorries are calls of theorems, accepted by Lean with these theorems as stubs.
struct Assembly {
  std::string tactics;
  std::vector<Statement> theorems;              // one a sorry of the sketch, in order
  std::vector<std::vector<std::string>> goals;  // the tactic state of each
};

/// A step that fails answers nothing, and says why in an event where a decomposition ends with it.
/// One run's; calls may overlap.
class Steps {
 public:
  /// Both must outlive it.
  Steps(Desk& desk, FreeAttempt builtin, const std::vector<std::string>& taken_names);

  /// Free of charge: the built-in policy, for `builtin_seconds`.
  core::Task<std::optional<lean::Proof>> TryBuiltin(const Goal& goal, const Limits& limits);
  /// Section 3.2 and 3.2.2, step 1: proofs by the prover, up to the first that Lean accepts.
  core::Task<std::optional<lean::Proof>> TryProver(const Goal& goal, size_t proofs,
                                                   const Limits& limits);

  /// Section 3.2.1, step 1: what to search the library for; what is found; what of it is of use, as
  /// prompts have it. "(none)" when nobody searches.
  core::Task<std::vector<std::string>> SearchQueries(const Goal& goal, const Limits& limits);
  core::Task<std::vector<std::string>> SearchLibrary(const Goal& goal,
                                                     std::vector<std::string> queries,
                                                     const Limits& limits);
  core::Task<std::string> SelectPremises(const Goal& goal, std::vector<std::string> found,
                                         const Limits& limits);
  core::Task<std::string> RetrievePremises(const Goal& goal, const Limits& limits);

  /// Step 2: a proof in words, and a sketch that Lean accepts but for its sorries. One without any
  /// is a proof.
  core::Task<std::optional<std::string>> InformalProof(const Goal& goal,
                                                       const std::string& premises,
                                                       const Limits& limits);
  core::Task<std::optional<Sketch>> MakeSketch(const Goal& goal, const std::string& informal_proof,
                                               const std::string& premises, const Limits& limits);
  /// Section 3.2.2, step 2: another one, where a subgoal was found false.
  core::Task<std::optional<Sketch>> RefineSketch(const Goal& goal, const Sketch& sketch,
                                                 const std::string& issue,
                                                 const std::vector<LemmaPointer>& proved,
                                                 const Limits& limits);
  /// Step 3: a theorem for every sorry, counted, asked for again, corrected with Lean's errors.
  /// Those that are among `known` are these.
  core::Task<std::optional<std::vector<Statement>>> ExtractSubgoals(const Goal& goal,
                                                                    const Sketch& sketch,
                                                                    const ProvedLemmas& known,
                                                                    const Limits& limits);
  /// Step 4: the proof that applies them, checked with their stubs.
  core::Task<std::optional<Assembly>> Assemble(const Goal& goal, const Sketch& sketch,
                                               std::vector<Statement> theorems,
                                               const Limits& limits);

  /// Free of charge: why a subgoal is false, when the built-in policy proves its negation within
  /// `disprove_seconds`.
  core::Task<std::optional<std::string>> Disprove(const Goal& goal, const Limits& limits);
  /// Section 3.2.2, step 2: why a subgoal is false or badly stated, by the judge of this number
  /// (0: mathematics, 1: the formal statement); nothing: it is not, or the judge does not say.
  static constexpr size_t kJudges = 2;
  core::Task<std::optional<std::string>> Judge(const Goal& goal, size_t judge,
                                               const Limits& limits);
  /// Step 3: short proofs by the reasoner, with premises, corrected with Lean's errors.
  core::Task<std::optional<lean::Proof>> ShallowSolve(const Goal& goal, const Limits& limits);

  /// Whether Lean accepts a proof that uses these lemmas, all of it, with the kernel on.
  core::Task<bool> CompilesWhole(const Goal& goal, const lean::Proof& proof, const Limits& limits);

 private:
  struct Refused {
    std::string errors;                // as models are told them
    std::vector<std::string> unknown;  // names
    size_t lines = 0;
  };
  /// Adds what a search of the library finds; false: nobody answers.
  core::Task<bool> Look(const Goal& goal, std::string query, bool formal,
                        std::vector<std::string>& found, const Limits& limits);
  core::Task<std::optional<lean::Proof>> Search(const Problem& problem, double seconds,
                                                const Limits& limits);
  /// A proof in a reply that Lean accepts, or why there is none; nothing: the run ends.
  core::Task<std::optional<tl::expected<lean::Proof, Refused>>> CheckProof(
      const Goal& goal, const tl::expected<policy::ReplyProof, policy::RefusedReply>& read,
      const Limits& limits);
  core::Task<std::optional<lean::Proof>> ShallowAttempt(const Goal& goal,
                                                        const std::string& premises,
                                                        const Limits& limits);
  core::Task<std::string> PremisesForErrors(const Goal& goal, const Refused& refused,
                                            const Limits& limits);
  core::Task<std::optional<Sketch>> CompileSketch(const Goal& goal, Chat chat,
                                                  const Limits& limits);
  core::Task<std::optional<Sketch>> CheckSketch(const Goal& goal, std::string tactics,
                                                std::string& errors, const Limits& limits);
  core::Task<std::optional<Sketch>> CheckComplete(const Goal& goal, policy::ReplyProof read,
                                                  std::string& errors, const Limits& limits);

  struct Extracted;
  core::Task<void> AskForSubgoals(const Goal& goal, const Sketch& sketch, const ProvedLemmas& known,
                                  Extracted& extracted, const Limits& limits);
  core::Task<bool> CheckStatements(const Goal& goal, Extracted& extracted, const Limits& limits);
  core::Task<void> CorrectStatements(const Goal& goal, Extracted& extracted, const Limits& limits);
  core::Task<std::optional<Assembly>> CheckAssembly(const Goal& goal, std::string tactics,
                                                    const std::vector<Statement>& theorems,
                                                    std::string& errors, const Limits& limits);

  Desk& desk_;
  const FreeAttempt builtin_;
  LemmaNames names_;
  bool library_answers_ = false;  // when it was last asked
};

/// Proofs that trust would refuse are none: it would take the whole back.
bool IsForbidden(std::string_view code);

/// The stubs of theorems, each once.
std::string StubsOf(const std::vector<Statement>& theorems);

/// Ends the attempt to divide a goal.
void Refuse(const Goal& goal, std::string_view step, const std::string& why, const Limits& limits);

}  // namespace zermelo::strategy
