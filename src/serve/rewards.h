// The wire contracts of trainers that request rewards over HTTP.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/verifier.h"

namespace zermelo::serve {

/// OpenRLHF's remote reward model (openrlhf/utils/remote_rm_utils.py):
/// {query[], prompts[], labels[]} -> {rewards[], scores[], extra_logs{}}. A query is prompt and
/// answer as one text, including special tokens. The statement that an answer must prove is its
/// label or, if that is empty, the last Lean code block of its prompt, which must have a `sorry`.
namespace openrlhf {

struct Sample {
  std::string statement;
  std::string candidate;
};
struct Batch {
  std::vector<Sample> samples;
  core::Duration limit;  // time limit of each sample; `timeout`, our extension
};
/// Throws BadRequest, also if a sample has no statement: rewarding proofs of arbitrary theorems
/// would teach a model to prove easy ones.
Batch Parse(const nlohmann::json& body);
/// `lean_version` is the Lean that judged; the answer names its known kernel bugs. It has
/// `runs_programs` if programs are allowed.
nlohmann::json Answer(const std::vector<Judgement>& judgements, const std::string& lean_version,
                      bool allow_programs = false);

}  // namespace openrlhf

/// NeMo Gym's sandbox (resources_servers/math_formal_lean/sandbox_client.py):
/// {generated_code, language, timeout, max_output_characters} ->
/// {process_status, stdout, stderr}. The client takes "completed" without the word "sorry" in the
/// output for a proof.
namespace nemo_gym {

struct Execution {
  Snippet snippet;
  size_t max_output_characters = 0;
};
/// Throws BadRequest.
Execution Parse(const nlohmann::json& body);
nlohmann::json Answer(const Execution& execution, const Verification& verification);

}  // namespace nemo_gym

}  // namespace zermelo::serve
