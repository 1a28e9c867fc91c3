// Prompt formats: how a theorem becomes a prompt for one family of models.
//
// A format is a file (prompts/README.md tells its syntax): nothing here blocks but reading it.
// How a reply becomes Lean is in llm/reply.h and policy/reply_proof.h.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "llm/model.h"

namespace zermelo::llm {

enum class PromptKind { kCompletion, kChat };

enum class ReplyKind {
  kContinuation,  // Lean that goes on where the prompt ends, up to the end of its code fence
  kBlock,         // the last code block of an answer: the whole theorem, or its proof
  kTactic,        // one tactic
};

/// A proof that Lean did not accept.
struct FailedAttempt {
  std::string reply;   // all that the model said
  std::string errors;  // as MarkErrors writes them
};

/// What a prompt can be made of; Lean text as it stands in the file.
struct PromptInput {
  std::string header;     // {header}: all that stands before the theorem, with its line breaks
  std::string informal;   // {informal}: the doc comment and its line break, or empty; {problem}:
                          // the same without `/--` and `-/`
  std::string statement;  // {statement}: `theorem t : p := by`, without blanks at its end
  std::string name;       // {name}: of the theorem, with namespaces
  std::string prefix;     // {prefix}: whole tactics so far, indented by two, each line ended, or
                          // empty; {steps}: the same, not indented, without the last line break
  std::string state;      // {state}: after the prefix, as Lean prints it; {goal}: its first goal
                          // without `case` and `this : True`. Empty: not known
  std::vector<FailedAttempt> failed;  // {errors}, {round} (from 0); in order
  std::vector<std::string> taken;     // not for prompts: last parts of the file's other names
};

struct Format {
  std::string name;  // of the file, without its ending
  PromptKind kind = PromptKind::kChat;
  ReplyKind reply = ReplyKind::kBlock;
  bool keeps_auxiliary = true;  // declarations that a reply puts before the theorem
  bool stop_at_fence = false;
  Sampling sampling;  // what the authors used, n = 1
  std::map<std::string, std::string, std::less<>> sections;

  /// Whether prompts can hold the tactics so far, say the tactic state after them, ask to correct.
  bool ContinuesProofs() const;
  bool ShowsState() const;
  bool Corrects() const { return sections.contains("correction"); }

  /// kUsage when the format has no place for what the input holds: a prefix or failed attempts. A
  /// state that it has no place for is left out.
  core::Result<Request> Build(const PromptInput& input) const;
};

/// kUsage with file and line. `file` is for the message; its stem becomes the name.
core::Result<Format> ParseFormat(const std::filesystem::path& file, std::string_view text);

using Formats = std::map<std::string, Format, std::less<>>;

/// All formats of a folder, that is, its *.txt files.
core::Result<Formats> LoadFormats(const std::filesystem::path& folder);

/// kUsage that proposes the nearest name.
core::Result<Format> FindFormat(const Formats& formats, const std::string& name);

/// $ZERMELO_PROMPTS, else `prompts` beside the program or above it; empty when there is none.
std::filesystem::path PromptFolder();

}  // namespace zermelo::llm
