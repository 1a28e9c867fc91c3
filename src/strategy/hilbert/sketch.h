// Sketches: proofs whose steps are `have`s without proofs (Hilbert, section 3.2.1).
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
  std::string name;  // of its `have`, or "step"; unique in the sketch
  std::string goal;  // its tactic state as Lean prints it; empty: unknown
};

struct Sketch {
  std::string tactics;  // at column 0
  std::vector<SketchHole> holes;
};

/// The tactics with the proof of every top-level `have h : p := …` and `obtain … : p := …` replaced
/// by `sorry`; those in blocks are unchanged.
std::string WithSorries(std::string_view tactics);

/// The sketch of tactics that Lean has checked with CheckRequest::goals_at_sorries; `document` is
/// the checked document.
Sketch SketchOf(std::string tactics, const syntax::SiteDocument& document,
                const lean::CheckResult& checked);

/// The theorems and lemmas in a reply's code, with names without namespaces.
std::vector<Statement> TheoremsIn(std::string_view code);

/// A theorem equivalent to a tactic state, and its arguments there: "(n : Nat) (h : p n) : q n" is
/// applied by `exact NAME n h`. Values of hypotheses (`x : T := v`) become equations. nullopt: the
/// state cannot be read. Lean may not accept its own printed terms, so both have to be checked.
struct StateTheorem {
  std::string signature;
  std::string arguments;  // " n h"
};
std::optional<StateTheorem> TheoremOfState(std::string_view goal);

/// The sketch with the n-th sorry replaced by an application of the n-th theorem: with the
/// arguments of TheoremOfState, or by name only, with remaining premises closed by `assumption`.
std::string Assembled(const Sketch& sketch, const std::vector<Statement>& theorems);

/// Number of lines of a proof that are not blank and not only comments.
size_t CountLines(std::string_view tactics);

/// Names that Lean reports as unknown.
std::vector<std::string> UnknownNames(const std::vector<lean::Diagnostic>& diagnostics);

}  // namespace zermelo::strategy
