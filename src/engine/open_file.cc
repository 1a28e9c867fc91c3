#include "engine/open_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/names.h"
#include "engine/project_imports.h"
#include "engine/unprovable.h"
#include "lean/import_errors.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::engine {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using syntax::Declaration;
using syntax::DeclarationHole;

namespace {

constexpr size_t kMessageBytes = 600;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string Described(const Declaration& declaration) {
  if (declaration.full_name.empty()) return declaration.keyword;
  return declaration.keyword + " `" + declaration.full_name + "`";
}

std::string FirstLine(const std::string& message) { return message.substr(0, message.find('\n')); }

}  // namespace

const char* Name(TheoremStatus status) {
  switch (status) {
    case TheoremStatus::kProved:
      return "proved";
    case TheoremStatus::kProvedFrom:
      return "proved_from";
    case TheoremStatus::kUnproved:
      return "unproved";
    case TheoremStatus::kError:
      return "error";
  }
  return "error";
}

Outcome OutcomeOf(const TheoremResult& theorem) {
  switch (theorem.status) {
    case TheoremStatus::kProved:
      return Outcome::kAccepted;
    case TheoremStatus::kProvedFrom:
    case TheoremStatus::kUnproved:
      return Outcome::kOpen;
    case TheoremStatus::kError:
      break;
  }
  return theorem.crashed ? Outcome::kCrashed : Outcome::kRejected;
}

void to_json(nlohmann::json& json, const TheoremResult& theorem) {
  json = {{"name", theorem.name},
          {"line", theorem.line},
          {"status", Name(theorem.status)},
          {"outcome", Name(OutcomeOf(theorem))},
          {"proof", theorem.proof.empty() ? nlohmann::json() : nlohmann::json(theorem.proof)},
          {"proofs", theorem.proofs},
          {"seconds", theorem.seconds},
          {"checks", theorem.checks},
          {"samples", theorem.samples},
          {"axioms", theorem.axioms}};
  if (HasProof(theorem)) json["kernels"] = KernelsJson(theorem.kernels);
  if (!theorem.from.empty()) json["from"] = theorem.from;
  if (theorem.states.any()) json["states"] = theorem.states;
  if (!theorem.auxiliary.empty()) json["auxiliary"] = theorem.auxiliary;
  if (!theorem.message.empty()) json["message"] = theorem.message;
  if (!theorem.progress.empty()) json["progress"] = theorem.progress;
  if (theorem.depth > 0) json["depth"] = theorem.depth;
  for (const auto& lemma : theorem.lemmas) json["lemmas"].push_back(lemma.Text());
  if (!theorem.roles.empty()) json["roles"] = theorem.roles;
}

bool HasProof(const TheoremResult& theorem) {
  return theorem.status == TheoremStatus::kProved || theorem.status == TheoremStatus::kProvedFrom;
}

void SetFrom(std::vector<std::string> open, TheoremResult* theorem) {
  theorem->status = open.empty() ? TheoremStatus::kProved : TheoremStatus::kProvedFrom;
  theorem->message.clear();
  if (!open.empty()) {
    theorem->message = fmt::format("proved from `{}`, which {} no proof yet",
                                   fmt::join(open, "`, `"), open.size() == 1 ? "has" : "have");
  }
  theorem->from = std::move(open);
}

std::string HoleName(const Declaration& declaration, const DeclarationHole& hole, size_t line,
                     size_t nth) {
  const std::string name = declaration.DisplayName();
  if (!hole.label.empty()) return name + "." + hole.label;
  return nth == 0 ? name : fmt::format("{} (line {})", name, line);
}

std::string Shortened(const std::string& message) {
  return core::Truncated(message, kMessageBytes);
}

OpenFile::OpenFile(std::string text, std::vector<syntax::FileConstant> imported)
    : file_(std::move(text)),
      imported_(std::move(imported)),
      constants_(syntax::ConstantsOf(file_)),
      lines_(file_.text()) {}

std::shared_ptr<const std::vector<syntax::FileConstant>> OpenFile::Above(
    const Target& target, OpenTheorems theorems) const {
  std::vector<size_t> open(declarations().size());  // holes
  for (size_t d = 0; d < open.size(); ++d) open[d] = declarations()[d].holes.size();
  for (const Target& other : targets_) {
    if (other.result.status == TheoremStatus::kProved) --open[other.declaration];
  }
  std::vector<std::string> unproved;
  auto above = std::make_shared<std::vector<syntax::FileConstant>>(imported_);
  const size_t first = imported_.empty() ? 0 : imported_.back().declaration + 1;
  for (const syntax::FileConstant& constant : constants_) {
    if (constant.declaration >= target.declaration) break;
    const bool blanked =
        !clean_index_.empty() && clean_index_[constant.declaration] == kNoDeclaration;
    const bool depends = MayRestOn(constant, unproved);
    above->push_back(constant);
    above->back().declaration += first;
    above->back().open = blanked || depends || open[constant.declaration] > 0;
    if (above->back().open && !constant.name.empty()) unproved.push_back(constant.name);
    const bool assumed = theorems == OpenTheorems::kAssumed && !blanked &&
                         constant.kind == syntax::FileConstant::Kind::kTheorem;
    if (assumed) above->back().open = false;
  }
  return above;
}

core::Status OpenFile::FindTargets(const std::vector<std::string>& theorems,
                                   std::optional<size_t> wanted_hole) {
  for (size_t d = 0; d < declarations().size(); ++d) {
    const Declaration& declaration = declarations()[d];
    size_t nth = 0;
    for (const DeclarationHole& hole : declaration.holes) {
      const size_t line = lines_.LineOf(hole.begin) + 1;
      const bool elsewhere = wanted_hole && hole.begin != *wanted_hole;
      if (!hole.provable) {
        NoteSkipped(declaration, hole);
        continue;
      }
      Target target{.declaration = d, .hole = hole, .result = {}};
      target.result.name = HoleName(declaration, hole, line, nth++);
      target.result.line = line;
      if (elsewhere || !Wanted(theorems, declaration, target.result.name)) continue;
      targets_.push_back(std::move(target));
    }
  }
  return CheckNames(theorems);
}

void OpenFile::NoteSkipped(const Declaration& declaration, const DeclarationHole& hole) {
  const char* what = "data, not a proof";
  if (hole.in_signature) what = "part of the statement";
  if (hole.in_default) what = "a default, which is elaborated where it is used";
  notes_.push_back(fmt::format("line {}: the sorry in {} is {}; skipped",
                               lines_.LineOf(hole.begin) + 1, Described(declaration), what));
}

bool OpenFile::Wanted(const std::vector<std::string>& theorems, const Declaration& declaration,
                      const std::string& name) const {
  return theorems.empty() || std::any_of(theorems.begin(), theorems.end(), [&](const auto& w) {
           return declaration.MatchesName(w) || w == name;
         });
}

core::Status OpenFile::CheckNames(const std::vector<std::string>& theorems) const {
  for (const std::string& wanted : theorems) {
    const auto matches = [&](const Target& target) {
      return DeclarationOf(target).MatchesName(wanted) || target.result.name == wanted;
    };
    if (std::any_of(targets_.begin(), targets_.end(), matches)) continue;
    std::vector<std::string> names;
    for (const Declaration& declaration : declarations()) {
      if (declaration.IsNamed(wanted)) {
        return Fail(ErrorCode::kUsage, "`" + wanted + "` has no sorry to fill");
      }
      if (declaration.holes.empty()) continue;
      names.push_back(declaration.full_name);
      names.push_back(declaration.name);
    }
    return Fail(ErrorCode::kUsage, "there is no theorem `" + wanted + "` in the file",
                core::DidYouMean(wanted, names));
  }
  return {};
}

Task<core::Status> OpenFile::Read(lean::Checker& checker, size_t readers,
                                  const lean::Toolchain& toolchain) {
  lean::CheckRequest check;
  check.text = text();
  check.deadline = Deadline::After(kWholeFileLimit);
  Result<lean::CheckResult> checked = lean::CheckResult();  // all answers are equal; keep one
  std::vector<lean::CheckRequest> requests(readers, check);
  co_await checker.CheckBatch(std::move(requests), [&](size_t, Result<lean::CheckResult> result) {
    checked = std::move(result);
  });
  if (!checked) co_return Fail(checked.error());
  JudgeTargets(checked->diagnostics);
  NoteErrorsElsewhere(checked->diagnostics, toolchain);
  NoteHiddenSorrys(checked->diagnostics);
  if (auto sorted = co_await SortOutUnprovable(checker); !sorted) co_return sorted;
  co_return co_await MakeCleanText(checker, checked->diagnostics);
}

Task<core::Status> OpenFile::SortOutUnprovable(lean::Checker& checker) {
  UnprovableQuestion question(file_);
  if (question.empty() || targets_.empty()) co_return core::Status();
  lean::CheckRequest check;
  check.text = question.text();
  check.references = true;
  check.deadline = Deadline::After(kWholeFileLimit);
  const auto checked = co_await checker.Check(std::move(check));
  if (!checked && checked.error().code == ErrorCode::kCancelled) co_return Fail(checked.error());
  if (!checked) co_return core::Status();
  question.Answer(*checked);
  for (Target& target : targets_) {
    if (target.result.status == TheoremStatus::kError) continue;
    const std::string missing = question.MissingFrom(target.declaration);
    if (question.IsData(target.hole.begin)) {
      target.result.message = "not tried: the sorry is data, not a proof";
    } else if (!missing.empty()) {
      target.result.message = fmt::format(
          "not tried: its statement depends on `{}`, which has a sorry; replace that sorry first",
          missing);
    } else {
      continue;
    }
    target.result.status = TheoremStatus::kError;
  }
  co_return core::Status();
}

void OpenFile::JudgeTargets(const std::vector<lean::Diagnostic>& diagnostics) {
  const bool silenced = text().find("warn.sorry false") != std::string::npos;
  const char* const unreported =
      silenced
          ? "Lean reports no sorry, as the file says `set_option warn.sorry false`: remove that"
          : "Lean does not report a sorry here; is it part of a comment or a macro?";
  const lean::Diagnostic* first_error = nullptr;
  for (const auto& d : diagnostics) {
    if (d.severity == lean::Severity::kError && first_error == nullptr) first_error = &d;
  }
  for (Target& target : targets_) {
    const auto& range = declarations()[target.declaration].range;
    bool uses_sorry = false;
    const lean::Diagnostic* error = nullptr;
    for (const auto& d : diagnostics) {
      if (!range.Touches(OffsetOf(lines_, d.begin))) continue;
      uses_sorry |= SaysSorry(d);
      if (d.severity == lean::Severity::kError && error == nullptr) error = &d;
    }
    if (error == nullptr && uses_sorry) continue;
    target.result.status = TheoremStatus::kError;
    if (error == nullptr) error = first_error;
    target.result.message = error == nullptr
                                ? std::string(unreported)
                                : fmt::format("not tried, because of an error in line {}: {}",
                                              error->begin.line + 1, Shortened(error->message));
  }
}

/// Targets in blanked declarations cannot be verified.
Task<core::Status> OpenFile::MakeCleanText(lean::Checker& checker,
                                           std::vector<lean::Diagnostic> diagnostics) {
  constexpr size_t kRounds = 8;
  clean_text_ = text();
  for (size_t round = 0; round < kRounds; ++round) {
    for (const auto& d : diagnostics) lacks_code_ |= IsCodeGenerationError(d);
    const auto errors = FindErrors(text(), declarations(), diagnostics);
    if (errors.empty()) break;
    for (const FileError& error : errors) Blank(error);
    lean::CheckRequest check;
    check.text = clean_text_;
    check.deadline = Deadline::After(kWholeFileLimit);
    auto checked = co_await checker.Check(std::move(check));
    if (!checked) co_return Fail(checked.error());
    diagnostics = std::move(checked->diagnostics);
  }
  IndexCleanText();
  co_return core::Status();
}

/// Declarations keep their offsets in the clean text, but not their indices.
void OpenFile::IndexCleanText() {
  const auto clean = syntax::FindDeclarations(clean_text_);
  clean_count_ = clean.size();
  clean_index_.assign(declarations().size(), kNoDeclaration);
  for (size_t d = 0; d < declarations().size(); ++d) {
    for (size_t c = 0; c < clean.size(); ++c) {
      if (clean[c].range == declarations()[d].range) clean_index_[d] = c;
    }
  }
  for (Target& target : targets_) {
    if (clean_index_[target.declaration] != kNoDeclaration) continue;
    if (target.result.status == TheoremStatus::kError) continue;
    target.result.status = TheoremStatus::kError;
    target.result.message = "not tried, because of errors elsewhere in the file";
  }
}

void OpenFile::Blank(const FileError& error) {
  size_t begin = lines_.LineBegin(error.diagnostic->begin.line);
  size_t end = clean_text_.size();
  if (error.declaration != kNoDeclaration) {
    begin = declarations()[error.declaration].range.begin;
    end = declarations()[error.declaration].range.end;
    for (Target& target : targets_) {
      if (target.declaration != error.declaration) continue;
      if (target.result.status == TheoremStatus::kError) continue;
      target.result.status = TheoremStatus::kError;
      target.result.message =
          fmt::format("not tried, because a declaration that it uses has an error: {}",
                      Shortened(error.diagnostic->message));
    }
  } else {  // the command with the error, or what is there instead of one
    const size_t at = OffsetOf(lines_, error.diagnostic->begin);
    size_t command = begin;
    for (size_t i = 0; i < file_.commands().size() && end == clean_text_.size(); ++i) {
      const size_t next = file_.RangeOf(i).begin;
      if (next > at) {
        end = next;
      } else {
        command = next;
      }
    }
    if (syntax::DeclarationAt(declarations(), command) == nullptr) begin = std::min(begin, command);
  }
  for (size_t i = begin; i < end; ++i) {
    if (clean_text_[i] != '\n' && clean_text_[i] != '\r') clean_text_[i] = ' ';
  }
}

/// Adds notes on errors outside the targets, and on the targets that they may affect.
void OpenFile::NoteErrorsElsewhere(const std::vector<lean::Diagnostic>& diagnostics,
                                   const lean::Toolchain& toolchain) {
  if (text().starts_with(kByteOrderMark)) {
    notes_.push_back(
        "the file begins with a byte order mark, which Lean does not accept: save it as UTF-8 "
        "without it");
  }
  for (const FileError& error : FindErrors(text(), declarations(), diagnostics)) {
    std::string spoilt;
    bool is_target = false;
    for (const Target& target : targets_) {
      is_target |= target.declaration == error.declaration;
      if (std::find(error.spoils.begin(), error.spoils.end(), target.declaration) ==
          error.spoils.end()) {
        continue;
      }
      spoilt += (spoilt.empty() ? "; it may affect " : ", ") + target.result.name;
    }
    if (is_target && spoilt.empty()) continue;  // reported with its result
    has_faults_ = true;
    notes_.push_back(fmt::format("line {}: error{}: {}{}", error.diagnostic->begin.line + 1,
                                 error.declaration == kNoDeclaration
                                     ? ""
                                     : " in " + Described(declarations()[error.declaration]),
                                 FirstLine(error.diagnostic->message), spoilt));
    const std::string hint = lean::ImportHint(*error.diagnostic, toolchain);
    if (!hint.empty()) notes_.push_back(hint);
  }
}

/// A `sorry` that a macro writes cannot be filled.
void OpenFile::NoteHiddenSorrys(const std::vector<lean::Diagnostic>& diagnostics) {
  for (const lean::Diagnostic& diagnostic : diagnostics) {
    if (!SaysSorry(diagnostic)) continue;
    const Declaration* declaration =
        syntax::DeclarationAt(declarations(), OffsetOf(lines_, diagnostic.begin));
    if (declaration == nullptr || !declaration->holes.empty()) continue;
    has_faults_ = true;
    notes_.push_back(
        fmt::format("line {}: {} uses a sorry that is not written there, but comes "
                    "from a macro; write `sorry` there to have it filled",
                    diagnostic.begin.line + 1, Described(*declaration)));
  }
}

/// The embedded Lean has no code for parts of its library, so it cannot compile some
/// definitions that use them; no proof needs their code.
std::string OpenFile::Acceptable(std::string text) const {
  if (lacks_code_) text.insert(syntax::HeaderEnd(text), "noncomputable section\n");
  return text;
}

}  // namespace zermelo::engine
