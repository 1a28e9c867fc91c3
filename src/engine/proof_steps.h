// The proofs of a file with the tactic states on the way, for those who read them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lean/worker.h"
#include "syntax/file.h"
#include "syntax/proof/tactic_places.h"

namespace zermelo::engine {

class ProofSteps {
 public:
  /// Consecutive declarations of a file, as indices, `last` included.
  struct Part {
    size_t first = 0;
    size_t last = 0;
  };
  /// `text`: a file with the proofs in their places.
  ProofSteps(std::string text, const std::vector<Part>& parts);

  /// Elaborates the file and asks for the state before each tactic.
  lean::CheckRequest Request() const;
  /// Of each part: {"text", "steps": [{"start", "end", "depth", "before", "next"}]}. Places are
  /// [line, column] in `text` from 1, columns in code points; `before` has the goals as Lean prints
  /// them, with blank lines between; `next` is the index of the step that has the state after this
  /// one, null if none is left in its block. Steps that Lean did not run are missing. Null if there
  /// are no steps or their states are very long. `checked`: the answer to Request.
  std::vector<nlohmann::json> Describe(const lean::CheckResult& checked) const;

 private:
  struct PartPlaces {
    syntax::TextRange range;  // from the beginning of a line
    std::vector<syntax::TacticPlace> tactics;
    size_t first_state = 0;  // among those of the request
  };
  nlohmann::json Describe(const PartPlaces& part, const lean::CheckResult& checked) const;

  const syntax::File file_;
  std::vector<PartPlaces> parts_;
};

}  // namespace zermelo::engine
