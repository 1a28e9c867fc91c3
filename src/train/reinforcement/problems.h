// The theorems that a model learns to prove, and what Lean judges of its answers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"

namespace zermelo::train {

/// A theorem to prove, from a line {"prompt", "theorem": {"header", "statement"}, "prefix",
/// "words", "notes"} as `zermelo export rl` writes it: the statement ends with `:= by`, and
/// `prefix` has the tactics that the prompt shows, if it begins in the middle of a proof.
struct Problem {
  std::string prompt;
  std::string statement;  // a file with one `sorry`
  std::string begun;      // the file up to where an answer goes on, with the prefix
  bool is_begun = false;  // the prompt ends in the middle of a proof
  std::string words;      // a proof in words, for sketches and tools; empty: there is none
  std::string notes;      // what earlier attempts taught, for tools; empty: nothing
};
/// kInput with file and line.
core::Result<std::vector<Problem>> ReadProblems(const std::filesystem::path& path);

struct Answer {
  const Problem* problem = nullptr;
  std::string text;  // what the model wrote after the prompt
  std::string file;  // to judge instead, with the proof; empty: the text is judged
};
/// The file to judge. A text after a prompt that has opened a code fence or ends in the middle of a
/// proof continues it, up to the end of the fence; any other has a code block or proof of its own.
std::string CandidateOf(const Answer& answer);

}  // namespace zermelo::train
