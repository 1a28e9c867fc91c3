// A strategy is an algorithm that proves: it asks a policy for candidates and Lean for their
// tactic states. It never writes files and never has the last word on a proof.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "lean/proof_site.h"
#include "policy/completion.h"
#include "policy/policy.h"
#include "strategy/limits.h"
#include "strategy/roles.h"

namespace zermelo::retrieve {
class Retriever;
}

namespace zermelo::strategy {

class PythonRunner;

/// A hole to fill.
struct Problem {
  lean::ProofSite site;
  std::vector<std::string> goals;  // the tactic state at the hole, as Lean prints it
  policy::StepContext context;     // what does not change from state to state
};

/// Whom a strategy asks. All must outlive it.
struct Environment {
  lean::Checker& checker;
  policy::Policy* steps = nullptr;                  // tactics; null: nobody proposes them
  policy::CompletionPolicy* completions = nullptr;  // proofs; likewise
  bool all = false;                                 // go on after the first proof, for more of them
  Roles* roles = nullptr;                           // models by what they are asked to do
  retrieve::Retriever* premises = nullptr;          // searches the library; null: nobody does
  PythonRunner* python = nullptr;                   // runs models' programs; likewise
};

struct Outcome {
  std::optional<std::string> proof;  // tactics for the hole; confirmed with the kernel on
  std::string auxiliary;             // commands that it needs before the declaration (lean::Proof)
  std::vector<std::string> proofs;   // it and the others, distinct up to blanks and comments
  uint64_t samples = 0;              // candidates that Lean tried, proofs that models wrote
  uint64_t unusable = 0;             // of those proofs, the ones with nothing in them to check
  std::map<std::string, size_t> refusals;  // why: "the reply has no code block", … and how often
  uint64_t checks = 0;                     // documents that Lean elaborated
  uint64_t nodes = 0;                      // distinct tactic states seen
  llm::Spending spending;                  // what models were paid
  std::map<std::string, llm::Spending> roles;  // the same by what they were asked to do
  size_t depth = 0;                            // of decompositions into subgoals that were begun
  std::string progress;                        // how far it came, in words; mostly nothing
  std::vector<std::string> lemmas;  // subgoals with their proofs, where the theorem has none
  // Why there is no proof: "time", "stopped", "budget" (of the models), "exhausted".
  std::string reason;
};

/// An error in the declaration, in what a proof puts before it, or at the end of the document,
/// where Lean says that the declaration is not over.
bool IsErrorOf(const lean::SiteDocument& document, const lean::Diagnostic& diagnostic);

/// Why Lean refuses what stands in the hole: the first such error. Null: it does not.
const lean::Diagnostic* FirstError(const lean::SiteDocument& document,
                                   const std::vector<lean::Diagnostic>& diagnostics);

/// Checks a whole proof with the kernel on and the file's own limits: no error in the declaration
/// and no `sorry` among the tactics. The message says what is wrong.
core::Task<core::Result<std::optional<std::string>>> WhyNotAccepted(lean::Checker& checker,
                                                                    const lean::ProofSite& site,
                                                                    std::string tactics,
                                                                    const Limits& limits);

/// The same for proofs that differ in blanks and comments only.
std::string Fingerprint(std::string_view proof);

}  // namespace zermelo::strategy
