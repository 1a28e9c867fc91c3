// Sketches: proofs whose steps are `have`s without a proof (Hilbert, section 3.2.1).
//
// Pure functions; any bytes are accepted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lean/worker.h"
#include "strategy/hilbert/lemma.h"

namespace zermelo::strategy {

/// A `sorry` of a sketch.
struct SketchHole {
  std::string name;  // of its `have`, or "step"; different for each
  std::string goal;  // its tactic state, as Lean prints it; empty: not known
};

struct Sketch {
  std::string tactics;  // at column 0
  std::vector<SketchHole> holes;
};

/// The tactics with the proof of every `have h : p := …` and `obtain … : p := …` at the top
/// replaced by `sorry`; of those in blocks, what was written stays.
std::string WithSorries(std::string_view tactics);

/// A sketch that Lean has checked with the goals at its sorries asked for: `document` is what Lean
/// saw.
Sketch SketchOf(std::string tactics, const lean::SiteDocument& document,
                const lean::CheckResult& checked);

/// The theorems of a reply's code, without their namespaces.
std::vector<Statement> TheoremsIn(std::string_view code);

/// A theorem that says what a tactic state says, and how it is applied there: "(n : Nat) (h : p n)
/// : q n" by `exact NAME n h`. Values of hypotheses (`x : T := v`) become equations. Nothing: the
/// state cannot be read. What Lean prints need not elaborate again, so both have to be checked.
struct StateTheorem {
  std::string statement;
  std::string arguments;  // " n h"
};
std::optional<StateTheorem> TheoremOfState(std::string_view goal);

/// The sketch with the n-th sorry replaced by an application of the n-th theorem: as TheoremOfState
/// has it, or by its name alone, what is left of it to hypotheses.
std::string Assembled(const Sketch& sketch, const std::vector<Statement>& theorems);

/// Lines of a proof that are neither blank nor comments alone.
size_t CountLines(std::string_view tactics);

/// Names that Lean says it does not know.
std::vector<std::string> UnknownNames(const std::vector<lean::Diagnostic>& diagnostics);

}  // namespace zermelo::strategy
