// What the proofs of a file's project have taught, for one job: `prove` and the proof jobs of
// `serve`, `mcp` and `lsp` (docs/learning.md).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/prove_file.h"
#include "learn/knowledge.h"

namespace zermelo::engine {

struct Learning {
  std::unique_ptr<learn::Knowledge> knowledge;  // null: the job neither uses nor saves anything
  std::string place;                            // as ProveRequest::place
  std::string note;                             // a sentence: why nothing is known; often empty

  /// The object must outlive the job.
  void ApplyTo(ProveRequest& request) const;
};

struct LearningRequest {
  std::filesystem::path file;  // its project's `.zermelo/learned` is read, and gets new proofs
  /// False: only proofs of the job itself are used. A recording of model calls must not depend on
  /// what was learned before.
  bool reads = true;
  bool makes_folder = true;  // saves proofs even if there is no `.zermelo` folder yet
};

/// Examples that cannot be read are only a note. Blocks while they are read: about two seconds for
/// a million.
Learning LearningFor(const LearningRequest& request);

}  // namespace zermelo::engine
