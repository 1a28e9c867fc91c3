#include "llm/reply.h"

#include <optional>

#include "core/text.h"

namespace zermelo::llm {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kOpenThinking = "<think>";
constexpr std::string_view kCloseThinking = "</think>";

bool IsBlank(std::string_view text) { return core::Trim(text).empty(); }

enum class Mark { kLean, kNone, kOther };

/// What follows the opening fence on its line.
Mark ReadMark(std::string_view line) {
  line = core::Trim(line);
  if (line.empty()) return Mark::kNone;
  const std::string word =
      core::InLowerCase(std::string(line.substr(0, line.find_first_of(" \t{"))));
  return word == "lean" || word == "lean4" ? Mark::kLean : Mark::kOther;
}

/// The last block with each mark. A fence opens at the beginning of a line, after any blanks, but
/// closes anywhere, because models that were trained on `sorry```` close it that way.
struct Blocks {
  std::optional<std::string_view> lean, unmarked;
};

Blocks FindBlocks(std::string_view text) {
  Blocks found;
  size_t at = 0;
  while ((at = text.find(kFence, at)) != std::string_view::npos) {
    const size_t before = text.find_last_not_of(" \t", at - 1);
    const bool opens = at == 0 || before == std::string_view::npos || text[before] == '\n';
    at += kFence.size();
    if (!opens) continue;
    const size_t line_end = text.find('\n', at);
    if (line_end == std::string_view::npos) break;  // a fence without content
    const Mark mark = ReadMark(text.substr(at, line_end - at));
    const size_t begin = line_end + 1;
    const size_t end = text.find(kFence, begin);
    const std::string_view block = text.substr(begin, end - begin);
    if (mark == Mark::kLean) found.lean = block;
    if (mark == Mark::kNone) found.unmarked = block;
    if (end == std::string_view::npos) break;
    at = end + kFence.size();
  }
  return found;
}

tl::expected<std::string, NoCode> LastBlock(std::string_view text) {
  const Blocks blocks = FindBlocks(text);
  const auto& block = blocks.lean ? blocks.lean : blocks.unmarked;
  if (!block) return tl::unexpected(NoCode::kNoBlock);
  if (IsBlank(*block)) return tl::unexpected(NoCode::kEmptyBlock);
  return std::string(*block);
}

tl::expected<std::string, NoCode> Tactic(std::string_view text) {
  if (const auto block = LastBlock(text)) return std::string(core::Trim(*block));
  if (const size_t echo = text.rfind(":::"); echo != std::string_view::npos) {
    text.remove_prefix(echo + 3);
  }
  text = core::Trim(text.substr(0, text.find(kFence)));
  if (text.empty()) return tl::unexpected(NoCode::kEmpty);
  return std::string(text);
}

}  // namespace

std::string WithoutThinking(std::string_view text) {
  std::string kept;
  bool thinking = false;
  while (!text.empty()) {
    if (text.starts_with(kOpenThinking)) {
      thinking = true;
      text.remove_prefix(kOpenThinking.size());
    } else if (text.starts_with(kCloseThinking)) {
      if (!thinking) kept.clear();  // it was opened in the prompt
      thinking = false;
      text.remove_prefix(kCloseThinking.size());
    } else {
      if (!thinking) kept += text.front();
      text.remove_prefix(1);
    }
  }
  return kept;
}

const char* Explain(NoCode reason) {
  switch (reason) {
    case NoCode::kEmpty:
      return "the reply is empty";
    case NoCode::kOnlyThinking:
      return "the reply ends before the thinking does";
    case NoCode::kNoBlock:
      return "the reply has no code block";
    case NoCode::kEmptyBlock:
      return "the code block is empty";
  }
  return "";
}

tl::expected<std::string, NoCode> FindCode(ReplyKind kind, std::string_view reply) {
  if (IsBlank(reply)) return tl::unexpected(NoCode::kEmpty);
  if (kind == ReplyKind::kContinuation) {
    const std::string_view code = reply.substr(0, reply.find(kFence));
    if (IsBlank(code)) return tl::unexpected(NoCode::kEmptyBlock);
    return std::string(code);
  }
  const std::string answer = WithoutThinking(reply);
  if (IsBlank(answer)) return tl::unexpected(NoCode::kOnlyThinking);
  return kind == ReplyKind::kTactic ? Tactic(answer) : LastBlock(answer);
}

}  // namespace zermelo::llm
