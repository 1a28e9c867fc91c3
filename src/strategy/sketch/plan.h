// A sketch as a model wrote it: lemmas with `sorry`, then the statement proved from them; whether
// it is one, and what it is worth (Seed-Prover 1.5, arXiv 2512.17260, section 3.3, equation 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "strategy/lemma_memory.h"
#include "strategy/submission.h"

namespace zermelo::strategy::sketch {

struct PlannedLemma {
  Declared declared;
  // What was said of it in words.
  bool invalid = false;
  std::string reason;
};

struct Plan {
  std::vector<PlannedLemma> lemmas;
  Declared theorem;  // with its proof from the lemmas
  std::string code;  // all of it, as Lean is to check it
  size_t known = 0;  // lemmas that were left out because they are proved already
};

/// Names for the lemmas of a plan.
class Names {
 public:
  virtual ~Names() = default;
  /// The name of what says the same already; empty: nothing does.
  virtual std::string Known(std::string_view key) const = 0;
  virtual bool IsProved(std::string_view key) const = 0;
  virtual bool IsTaken(std::string_view name) const = 0;
};

/// The plan in a reply: its last block marked lean, without its imports; lemmas that are known have
/// the names by which they are known, others names that are free. `target`: what it is to prove;
/// `forbidden`: keys of statements that may not be among its lemmas (the target, and what it is
/// itself needed for). kInput, in words for the model: there is none, it does not prove the target,
/// a lemma is not used, says what is to be proved, or is no lemma.
core::Result<Plan> ReadPlan(std::string_view reply, std::string_view header, const Declared& target,
                            const std::vector<std::string>& forbidden, const Names& names);

/// The marks of a rubric, 0 to 10 each.
struct Rubric {
  double alignment = 0;    // with the proof in words
  double granularity = 0;  // as many lemmas as it takes, none trivial
  double progress = 0;     // the hardest lemma is easier than the statement
  double soundness = 0;    // against junk values: n - m, x / 0
  std::string fatal;       // why it is worth nothing; empty: it is
  bool operator==(const Rubric&) const = default;
};
/// What a judge says of a lemma.
struct Opinion {
  bool invalid = false;
  std::string reason;
};

/// From the last JSON object of a reply. Nothing: there is none, or it lacks what it must have.
std::optional<Rubric> ReadRubric(std::string_view reply);
std::optional<Opinion> ReadOpinion(std::string_view reply);

/// S_NL, from -1 to 1: -1 when a lemma is invalid or a fault is fatal, else the mean of the marks
/// over 10.
double Quality(const std::optional<Rubric>& rubric, bool any_invalid);
/// Equation 2: 1 when there are at least three lemmas, the structure holds (S_FL >= 0) and the
/// quality is at least 0.7; else -1.
int Reward(size_t lemmas, int structure, double quality);

}  // namespace zermelo::strategy::sketch
