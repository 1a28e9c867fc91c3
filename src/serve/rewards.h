// The wire contracts of trainers that ask for a verdict over HTTP.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/verifier.h"

namespace zermelo::serve {

/// OpenRLHF's remote reward model (openrlhf/utils/remote_rm_utils.py):
/// {query[], prompts[], labels[]} -> {rewards[], scores[], extra_logs{}}. A query is prompt and
/// answer as one text, special tokens included. The statement that an answer must prove is its
/// label or, where that is empty, the last Lean code with a `sorry` in its prompt.
namespace openrlhf {

struct Sample {
  std::string statement;
  std::string candidate;
};
struct Batch {
  std::vector<Sample> samples;
  core::Duration limit;  // of each; `timeout`, an addition of ours
};
/// Throws BadRequest, also when there is no statement: a reward for any theorem at all teaches to
/// prove easy ones.
Batch Parse(const nlohmann::json& body);
/// `lean_version`: what judged, whose known kernel bugs are named.
nlohmann::json Answer(const std::vector<Judgement>& judgements, const std::string& lean_version);

}  // namespace openrlhf

/// NeMo Gym's sandbox (resources_servers/math_formal_lean/sandbox_client.py):
/// {generated_code, language, timeout, max_output_characters} ->
/// {process_status, stdout, stderr}. Whoever asks takes "completed" without the word "sorry" in the
/// output for a proof.
namespace nemo_gym {

struct Execution {
  Snippet snippet;
  size_t max_output_characters = 0;
};
Execution Parse(const nlohmann::json& body);
nlohmann::json Answer(const Execution& execution, const Verification& verification);

}  // namespace nemo_gym

}  // namespace zermelo::serve
