#include "syntax/proof/proof_site.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/text.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::syntax {

namespace {

constexpr std::string_view kConfirmationOptions = "set_option debug.skipKernelTC false\n";

/// The `mutual … end` around a declaration, whose members Lean elaborates together: from the
/// beginning of its first line to the end of its last. Empty when there is none.
TextRange MutualBlock(std::string_view text, const Declaration& declaration) {
  std::optional<size_t> begin;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = core::Trim(text.substr(at, end - at));
    if (line == "mutual" && at < declaration.range.begin) begin = at;
    if (line == "end" && begin) {
      if (declaration.range.end <= end) return {*begin, end};
      begin.reset();
    }
    at = end + 1;
  }
  return {};
}

/// The auxiliary commands with the line breaks of `text`, followed by a blank line unless they end
/// with an `… in` that applies to the declaration.
std::string BeforeDeclaration(std::string_view text, std::string_view auxiliary) {
  std::string lines(auxiliary);
  if (!lines.empty() && !lines.ends_with(" in\n")) lines += '\n';
  if (text.find("\r\n") == std::string_view::npos) return lines;
  std::string converted;
  for (const char c : lines) {
    if (c == '\n') converted += '\r';
    converted += c;
  }
  return converted;
}

}  // namespace

size_t PlaceOfAuxiliary(std::string_view text, const Declaration& declaration) {
  const TextRange block = MutualBlock(text, declaration);
  const size_t place = block.empty() ? declaration.range.begin : block.begin;
  const size_t before = text.substr(0, place).find_last_not_of(" \t");
  if (before == std::string_view::npos) return 0;
  return text[before] == '\n' ? before + 1 : place;
}

void InsertAuxiliary(std::string& text, size_t place, std::string_view auxiliary) {
  const bool begins_line = place == 0 || text[place - 1] == '\n';
  text.insert(place, (begins_line ? "" : "\n") + BeforeDeclaration(text, auxiliary));
}

size_t LinesOfAuxiliary(std::string_view auxiliary) {
  constexpr std::string_view kIn = " in\n";
  if (auxiliary.empty()) return 0;
  if (!auxiliary.ends_with(kIn)) {
    return static_cast<size_t>(std::count(auxiliary.begin(), auxiliary.end(), '\n')) + 1;
  }
  while (auxiliary.ends_with(kIn)) {
    const size_t line = auxiliary.find_last_of('\n', auxiliary.size() - 2);
    auxiliary = auxiliary.substr(0, line == std::string_view::npos ? 0 : line + 1);
  }
  return static_cast<size_t>(std::count(auxiliary.begin(), auxiliary.end(), '\n'));
}

ProofSite::ProofSite(std::string text, const Declaration& declaration, const Hole& hole)
    : text_(std::move(text)), declaration_(declaration), hole_(hole) {
  const TextRange block = MutualBlock(text_, declaration);
  options_at_ = block.empty() ? declaration.range.begin : block.begin;
  text_.resize(block.empty() ? declaration.range.end : block.end);
  if (text_.substr(0, options_at_).find_last_not_of(" \t") != std::string::npos &&
      options_at_ > 0 && text_[options_at_ - 1] != '\n') {
    // Other code shares the line: a line break must precede the option line.
    text_.insert(options_at_, 1, '\n');
    declaration_.range.begin += 1;
    declaration_.range.end += 1;
    hole_.begin += 1;
    hole_.end += 1;
    options_at_ += 1;
  }
}

SiteDocument ProofSite::ForSearch(std::string_view tactics, size_t heartbeats) const {
  const std::string option_line = fmt::format("set_option maxHeartbeats {}\n", heartbeats);
  return Build(option_line, Proof{.tactics = std::string(tactics), .auxiliary = {}});
}

SiteDocument ProofSite::ForConfirmation(std::string_view tactics) const {
  return ForConfirmation(Proof{.tactics = std::string(tactics), .auxiliary = {}});
}

SiteDocument ProofSite::ForConfirmation(const Proof& proof) const {
  return Build(kConfirmationOptions, proof);
}

SiteDocument ProofSite::Build(std::string_view option_line, const Proof& proof) const {
  Splice splice = SpliceProof(text_, hole_, proof.tactics);
  const std::string before = std::string(option_line) + BeforeDeclaration(text_, proof.auxiliary);
  splice.text.insert(options_at_, before);
  splice.text += '\n';
  SiteDocument document;
  const core::LineIndex lines(splice.text);
  const auto line_of = [&](size_t offset) { return static_cast<uint32_t>(lines.LineOf(offset)); };
  const size_t grown = splice.text.size() - 1 - text_.size();
  document.begin = splice.begin + before.size();
  document.end = splice.end + before.size();
  document.first_line = line_of(splice.begin + before.size());
  document.declaration_first_line = line_of(options_at_ + option_line.size());
  if (proof.auxiliary.empty()) {
    document.declaration_first_line = line_of(declaration_.range.begin + option_line.size());
  }
  document.declaration_last_line = line_of(declaration_.range.end + grown);
  document.last_line = line_of(splice.text.size());
  document.text = std::move(splice.text);
  return document;
}

}  // namespace zermelo::syntax
