#include "lean/proof_site.h"

#include "lean/proof_text.h"

namespace zermelo::lean {

namespace {

// About five times Lean's default: a probe counts the heartbeats of all its candidates together,
// and each has a limit on the clock.
constexpr std::string_view kSearchOptions = "set_option maxHeartbeats 1000000\n";
constexpr std::string_view kConfirmationOptions = "set_option debug.skipKernelTC false\n";

std::string_view Trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

/// The `mutual … end` around a declaration, whose members Lean elaborates together: from the
/// beginning of its first line to the end of its last. Empty when there is none.
TextRange MutualBlock(std::string_view text, const Declaration& declaration) {
  TextRange block;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = Trimmed(text.substr(at, end - at));
    if (line == "mutual" && at < declaration.range.begin) block.begin = at;
    if (line == "end" && block.begin < at && block.end <= block.begin) {
      block.end = end;
      if (block.begin < declaration.range.begin && declaration.range.end <= end) return block;
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

ProofSite::ProofSite(std::string text, const Declaration& declaration, const Hole& hole)
    : text_(std::move(text)), declaration_(declaration), hole_(hole) {
  const TextRange block = MutualBlock(text_, declaration);
  options_at_ = block.empty() ? declaration.range.begin : block.begin;
  text_.resize(block.empty() ? declaration.range.end : block.end);
  if (text_.substr(0, options_at_).find_last_not_of(" \t") != std::string::npos &&
      options_at_ > 0 && text_[options_at_ - 1] != '\n') {
    // Something else stands on the line: an option there still parses, a line break must precede.
    text_.insert(options_at_, 1, '\n');
    declaration_.range.begin += 1;
    declaration_.range.end += 1;
    hole_.begin += 1;
    hole_.end += 1;
    options_at_ += 1;
  }
}

SiteDocument ProofSite::ForSearch(std::string_view tactics) const {
  return Build(kSearchOptions, tactics);
}

SiteDocument ProofSite::ForConfirmation(std::string_view tactics) const {
  return Build(kConfirmationOptions, tactics);
}

SiteDocument ProofSite::Build(std::string_view option_line, std::string_view tactics) const {
  Splice splice = SpliceProof(text_, hole_, tactics);
  splice.text.insert(options_at_, option_line);
  splice.text += '\n';
  SiteDocument document;
  const core::LineIndex lines(splice.text);
  const auto line_of = [&](size_t offset) { return static_cast<uint32_t>(lines.LineOf(offset)); };
  const size_t grown = splice.text.size() - 1 - text_.size();
  document.begin = splice.begin + option_line.size();
  document.end = splice.end + option_line.size();
  document.first_line = line_of(splice.begin + option_line.size());
  document.declaration_first_line = line_of(declaration_.range.begin + option_line.size());
  document.declaration_last_line = line_of(declaration_.range.end + grown);
  document.text = std::move(splice.text);
  return document;
}

}  // namespace zermelo::lean
