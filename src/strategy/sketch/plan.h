// Reads and rates a sketch by a model: lemmas with `sorry`, then the statement proved from them
// (Seed-Prover 1.5, arXiv 2512.17260, section 3.3, equation 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "strategy/lemma_store.h"
#include "strategy/submission.h"

namespace zermelo::strategy::sketch {

struct PlannedLemma {
  Declared declared;
  // The judge's opinion.
  bool invalid = false;
  std::string reason;
};

struct Plan {
  std::vector<PlannedLemma> lemmas;
  Declared theorem;  // with its proof from the lemmas
  std::string code;  // the whole plan, to be checked by Lean
  size_t known = 0;  // number of lemmas left out of `code` because they are proved
};

/// Reads the plan in a reply: its last block marked lean, without imports. Known lemmas are renamed
/// to their known names, others to free names. `target`: the statement to prove; `forbidden`: keys
/// of statements that may not be lemmas (the target, and the statements that depend on it). Fails
/// with kInput and a message for the model if there is no plan, it does not prove the target, or a
/// lemma is unused, repeats a forbidden statement, or is not a lemma.
core::Result<Plan> ReadPlan(std::string_view reply, std::string_view header, const Declared& target,
                            const std::vector<std::string>& forbidden, const LemmaStore& known);

/// The marks of a rubric, 0 to 10 each.
struct Rubric {
  double alignment = 0;    // with the informal proof
  double granularity = 0;  // enough lemmas, none trivial
  double progress = 0;     // the hardest lemma is easier than the statement
  double soundness = 0;    // safe against junk values: n - m, x / 0
  std::string fatal;       // a fatal fault; empty: none
  bool operator==(const Rubric&) const = default;
};
/// A judge's opinion on a lemma.
struct Opinion {
  bool invalid = false;
  std::string reason;
};

/// Read the last JSON object of a reply. Return nullopt if there is none or a field is missing.
std::optional<Rubric> ReadRubric(std::string_view reply);
std::optional<Opinion> ReadOpinion(std::string_view reply);

/// S_NL, from -1 to 1: -1 if a lemma is invalid or there is a fatal fault, 0 without a rubric, else
/// the mean of the marks divided by 10.
double Quality(const std::optional<Rubric>& rubric, bool any_invalid);
/// Equation 2: 1 if there are at least three lemmas, the structure holds (S_FL >= 0) and the
/// quality is at least 0.7; else -1.
int Reward(size_t lemmas, int structure, double quality);

}  // namespace zermelo::strategy::sketch
