// What runs, evaluations and traces offer for training: proofs, attempts at proofs, tactics of
// searches, replies of models.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/error.h"
#include "llm/model.h"
#include "syntax/theorem.h"

namespace zermelo::data {

/// A theorem and where it comes from.
struct Origin {
  syntax::Theorem theorem;
  std::string module;     // "A.B"; for a benchmark, its name
  nlohmann::json source;  // what rows say of it: {"theorem", "module", "run" or "evaluation" or …}
};

/// A tactic of a proof, with the states that Lean reported.
struct TracedTactic {
  size_t begin = 0;  // in the proof, bytes
  size_t depth = 0;  // blocks around it
  std::string tactic;
  std::string before;                  // goals with blank lines between; empty: no goals
  bool closes = false;                 // it proved the first of them
  std::vector<std::string> premises;   // that it names
  std::vector<std::string> elsewhere;  // those that other files can name as they are here
};

struct ProofExample {
  Origin origin;
  std::string tactics;               // the whole proof, a block at column 0
  std::string auxiliary;             // commands that it needs before the theorem; often empty
  std::vector<TracedTactic> traced;  // in order; empty: not traced
};

/// A tactic that a search tried.
struct SearchTactic {
  Origin origin;
  std::string tactic;
  std::string state;   // the goals before the tactic
  std::string prefix;  // the tactics before it, a block at column 0
  bool failed = false;
};

/// What a model wrote, and the prompt it was given.
struct ReplyExample {
  Origin origin;
  std::string kind;  // "reply": it contains the accepted proof; "correction": the same, after
                     // proofs that Lean refused; "sketch": a division into lemmas
  std::variant<std::string, std::vector<llm::Message>> prompt;
  std::string reply;
  std::string reasoning;         // if the server returns it separately
  std::optional<double> reward;  // of a sketch: 1 or -1 (Seed-Prover 1.5, equation 2)
  nlohmann::json rubric;         // of a sketch: the judge's marks; null: none
};

/// A conversation of an agent with its tools that contains the accepted proof.
struct Conversation {
  Origin origin;
  std::vector<llm::Message> messages;
};

/// What a model was told beside a theorem: what Seed-Prover 1.5's second and third kind of task
/// begin with (arXiv 2512.17260, section 3.1). One of the two is empty.
struct Guide {
  Origin origin;
  std::string words;  // a proof in words
  std::string notes;  // what failed attempts taught
};

/// How often a theorem was proved.
struct Attempts {
  Origin origin;
  size_t samples = 0;  // 0: it was not tried
  size_t proved = 0;
};

struct Material {
  std::vector<ProofExample> proofs;
  std::vector<SearchTactic> tactics;
  std::vector<ReplyExample> replies;
  std::vector<Conversation> conversations;
  std::vector<Guide> guides;
  std::vector<Attempts> attempts;
  /// What could not be used, by reason: "file_changed", "needs_lemmas", "incomplete", …
  std::map<std::string, size_t> skipped;
};

struct MaterialRequest {
  /// Numbers of runs, folders of evaluations, traces; empty: all runs of the database.
  std::vector<std::string> from;
  std::filesystem::path database;  // of the runs; only opened if a run is wanted
};

/// kUsage: a source that is none of these, or a run that the database does not have. kInput: a file
/// that cannot be read.
core::Result<Material> ReadMaterial(const MaterialRequest& request);

/// The parts of ReadMaterial; each adds to `material`.
core::Status AddRuns(const std::filesystem::path& database, const std::vector<int64_t>& runs,
                     Material& material);
core::Status AddEvaluation(const std::filesystem::path& folder, Material& material);
/// Of an evaluation whose attempts were recorded: what searches tried, and models wrote. `sources`:
/// a problem's Origin::source, by its name.
core::Status AddAttempts(const std::filesystem::path& folder,
                         const std::map<std::string, nlohmann::json>& sources, Material& material);
core::Status AddTrace(const std::filesystem::path& trace, Material& material);

}  // namespace zermelo::data
