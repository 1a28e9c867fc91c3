// Reads and rates a sketch by a model: lemmas with `sorry`, then the statement proved from them
// (Seed-Prover 1.5, arXiv 2512.17260, section 3.3, equation 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "strategy/lemma_store.h"
#include "strategy/proof/submission.h"

namespace zermelo::strategy::sketch {

struct PlannedLemma {
  Declared declared;
  // The judge's opinion.
  bool invalid = false;
  bool unjudged = false;  // there is none; the lemma counts as invalid
  std::string reason;
};

struct Plan {
  std::vector<Declared> definitions;  // of which the lemmas and the theorem speak
  std::string all_definitions;        // the text of all definitions, for those who judge lemmas
  std::vector<PlannedLemma> lemmas;   // those that the theorem uses, directly or through others
  std::vector<PlannedLemma> unused;   // the other lemmas, which are judged but not proved
  Declared theorem;                   // with its proof from the lemmas
  std::string code;                   // the whole plan, to be checked by Lean
  size_t known = 0;  // number of declarations left out of `code` because Lean has accepted them

  /// Used or not.
  std::vector<PlannedLemma*> AllLemmas();
  size_t lemma_count() const { return lemmas.size() + unused.size(); }
  /// Whether the judge found any lemma invalid (section 3.3).
  bool HasInvalid() const;
};

/// Reads the plan in a reply: its last block marked lean, without imports. Known lemmas and
/// definitions are renamed to their known names, others to free names. `target`: the statement to
/// prove; `forbidden`: keys of statements that may not be lemmas (the target, and the statements
/// that depend on it). Fails with kInput and a message for the model if there is no plan, it does
/// not prove the target, or a lemma repeats a forbidden statement.
core::Result<Plan> ReadPlan(std::string_view reply, std::string_view header, const Declared& target,
                            const std::vector<std::string>& forbidden, const LemmaStore& known);

/// A judge's verdict on a sketch (appendix B, prompt 2).
struct Rubric {
  std::string veto;      // kVetoes; empty: none
  double alignment = 0;  // with the informal proof, 0 to 10
  double value = 0;      // of the lemmas: how much easier the statement becomes, 0 to 10
  std::string reason;
  bool operator==(const Rubric&) const = default;
};
inline constexpr std::string_view kVetoes[] = {"FATAL_MISALIGNMENT", "PROOF_BY_DELEGATION",
                                               "INVALID_LEMMA"};
/// A judge's opinion on a lemma.
struct Opinion {
  bool invalid = false;
  std::string reason;
};

/// Read the last JSON object of a reply. Return nullopt if there is none or a field is missing.
std::optional<Rubric> ReadRubric(std::string_view reply);
std::optional<Opinion> ReadOpinion(std::string_view reply);

/// Appendix B: -10 for a veto, else (0.4 alignment + 0.6 value) used / valid, rounded to a tenth:
/// from 0 to 10. `used` of the `valid` lemmas are used; without lemmas, the share is 1.
double Score(const Rubric& rubric, size_t used, size_t valid);
/// S_NL, from -1 to 1: -1 if a lemma is invalid or there is a veto, 0 without a rubric, else a
/// tenth of the score (the paper does not say how the score becomes S_NL).
double Quality(const std::optional<Rubric>& rubric, bool any_invalid, size_t used, size_t valid);
/// Lemmas that a sketch with a reward of 1 has at least.
inline constexpr size_t kWantedLemmas = 3;
/// Equation 2: 1 if there are at least three lemmas, the structure holds (S_FL >= 0) and the
/// quality is at least 0.7; else -1.
int Reward(size_t lemmas, int structure, double quality);

}  // namespace zermelo::strategy::sketch
