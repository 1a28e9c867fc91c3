// Prompt formats: how a theorem becomes a prompt for one family of models.
//
// A format is a file (prompts/README.md describes its syntax); only loading it blocks. How a reply
// becomes Lean is in llm/reply.h and policy/reply_proof.h.
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
  kContinuation,  // Lean that continues the prompt, up to the end of its code fence
  kBlock,         // the last code block of an answer: the whole theorem, or its proof
  kTactic,        // one tactic
};

/// A proof that Lean did not accept.
struct FailedAttempt {
  std::string reply;   // everything that the model wrote
  std::string errors;  // in the form of MarkErrors
};

/// The values of the placeholders of a prompt; Lean text is as in the file.
struct PromptInput {
  std::string header;     // {header}: everything before the theorem, with its line breaks
  std::string informal;   // {informal}: the doc comment and its line break, or empty; {problem}:
                          // the same without `/--` and `-/`
  std::string statement;  // {statement}: `theorem t : p := by`, without trailing blanks
  std::string name;       // {name}: the name of the theorem, with namespaces
  std::string prefix;     // {prefix}: complete tactics so far, indented by two, each line ended, or
                          // empty; {steps}: the same, without indentation and the last line break
  std::string state;      // {state}: after the prefix, as printed by Lean; {goal}: its first goal
                          // without `case` and `this : True`. Empty: unknown
  std::vector<FailedAttempt> failed;  // {errors}, {round} (from 0); in order
  uint64_t draw = 0;                  // which of the examples {examples} has, and their order
};

struct Format {
  std::string name;  // the name of the file, without its extension
  PromptKind kind = PromptKind::kChat;
  ReplyKind reply = ReplyKind::kBlock;
  bool keeps_auxiliary = true;  // keep declarations that a reply puts before the theorem
  bool stop_at_fence = false;
  Sampling sampling;  // the authors' settings, n = 1
  std::map<std::string, std::string, std::less<>> sections;
  std::vector<std::string> examples;  // sections `example`; {header} in them is the problem's
  size_t shots = 0;  // the number of them in a prompt, which has none that proves its problem

  /// Whether prompts can contain the tactics so far.
  bool ContinuesProofs() const;
  /// Whether prompts can ask for a correction.
  bool Corrects() const { return sections.contains("correction"); }

  /// kUsage if the format has no place for the prefix or the failed attempts of the input. A state
  /// for which there is no place is left out.
  core::Result<Request> Build(const PromptInput& input) const;
};

/// kUsage with file and line. `file` is only used in messages and for the name, which is its stem.
core::Result<Format> ParseFormat(const std::filesystem::path& file, std::string_view text);

/// The same for the prompt of a strategy: sections `system` and `user`, with any placeholders, and
/// no settings.
core::Result<Format> ParseTemplate(const std::filesystem::path& file, std::string_view text);

using Formats = std::map<std::string, Format, std::less<>>;

/// Loads all formats of a folder, that is, its *.txt files.
core::Result<Formats> LoadFormats(const std::filesystem::path& folder);

/// kUsage for an unknown name; the hint is the nearest one.
core::Result<Format> FindFormat(const Formats& formats, const std::string& name);

/// $ZERMELO_PROMPTS; otherwise the folder `prompts` next to the program or in a folder above it;
/// empty: there is none.
std::filesystem::path PromptFolder();

}  // namespace zermelo::llm
