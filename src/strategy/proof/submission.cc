#include "strategy/proof/submission.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/text.h"
#include "strategy/prompt_text.h"
#include "syntax/commands.h"
#include "syntax/file.h"
#include "syntax/lexer.h"
#include "syntax/proof/auxiliary.h"
#include "syntax/proof/proof_text.h"
#include "syntax/words.h"
#include "trust/source/source_tokens.h"

namespace zermelo::strategy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using syntax::File;
using syntax::WordSet;

namespace {

constexpr WordSet kDeclarations({"abbrev", "def", "example", "lemma", "theorem"});
constexpr size_t kMaxCodeBytes = 200'000;
constexpr size_t kMaxErrors = 6;
constexpr size_t kMaxMessageBytes = 1500;
constexpr const char* kHiddenSorry =
    "Lean says that something is left open here with `sorry`, though the word is not there: a "
    "tactic "
    "(`apply?`, say) did not prove its goal.";
constexpr std::string_view kKernelOn = "set_option debug.skipKernelTC false\n";
constexpr std::string_view kSorryOption = "warn.sorry";  // Lean's warnings are what finds it

void Blank(std::string& text, syntax::TextRange range) {
  for (size_t i = range.begin; i < range.end; ++i) {
    if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
  }
}

/// The start of a declaration after its doc comment, whose text is stored in `doc`.
size_t AfterDoc(const File& file, const syntax::Declaration& declaration, std::string& doc) {
  const std::string_view range = file.Slice(declaration.range);
  const auto tokens = syntax::LexCode(range);
  if (tokens.size() < 2 || tokens.front().kind != syntax::TokenKind::kDocComment) {
    return declaration.range.begin;
  }
  doc = core::WithoutCommentMarks(syntax::TextOf(range, tokens.front()));
  return declaration.range.begin + tokens[1].begin;
}

/// What the head of a target replaces, and the names that follow from it.
class TargetsHead {
 public:
  TargetsHead(const File& file, std::span<const Declared> targets) : file_(file) {
    for (const syntax::Declaration& declaration : file.declarations()) {
      const std::string key =
          DeclarationKey(declaration.keyword, file.Slice(declaration.signature));
      const auto found = std::ranges::find_if(targets, [&](const Declared& target) {
        return !target.key.empty() && target.key == key;
      });
      if (found == targets.end()) continue;
      target_ = &*found;
      replaced_ = &declaration;
      renames_ = !declaration.name.empty() && declaration.name != target_->name;
      if (renames_) renaming_.Add(declaration.name, declaration.full_name, target_->name);
      return;
    }
  }

  /// `text`: as long as the file's.
  std::string Apply(const std::string& text) const {
    if (target_ == nullptr) return text;
    const std::string_view all = text;
    return Renamed(all.substr(0, replaced_->range.begin)) + target_->head +
           Renamed(all.substr(replaced_->signature.end));
  }

  Declared Describe(const syntax::Declaration& declaration) const {
    Declared declared;
    const size_t begin = AfterDoc(file_, declaration, declared.doc);
    declared.value = Slice(declaration.signature.end, declaration.range.end);
    declared.has_sorry = syntax::UsesSorry(file_.Slice({begin, declaration.range.end}));
    if (&declaration == replaced_) {
      declared.doc.clear();
      declared.keyword = target_->keyword;
      declared.name = target_->name;
      declared.key = target_->key;
      declared.signature = target_->signature;
      declared.head = target_->head;
      return declared;
    }
    declared.keyword = declaration.keyword == "lemma" ? "theorem" : declaration.keyword;
    declared.name = declaration.name;
    declared.signature = Slice(declaration.signature.begin, declaration.signature.end);
    declared.head = Slice(begin, declaration.signature.end);
    const bool is_definition = declaration.keyword == "def" || declaration.keyword == "abbrev";
    declared.key = DeclarationKey(declaration.keyword,
                                  declared.signature + (is_definition ? declared.value : ""));
    return declared;
  }

 private:
  std::string Renamed(std::string_view text) const {
    return renames_ ? renaming_.Apply(text) : std::string(text);
  }
  std::string Slice(size_t begin, size_t end) const { return Renamed(file_.Slice({begin, end})); }

  const File& file_;
  const Declared* target_ = nullptr;
  const syntax::Declaration* replaced_ = nullptr;
  bool renames_ = false;
  syntax::Renaming renaming_;
};

}  // namespace

const Declared* Submission::Find(std::string_view name) const {
  const auto found = std::find_if(declared.begin(), declared.end(),
                                  [&](const Declared& d) { return d.name == name; });
  return found == declared.end() ? nullptr : &*found;
}

Result<Submission> ReadSubmission(std::string_view code, std::string_view header,
                                  std::span<const Declared> targets) {
  if (code.size() > kMaxCodeBytes) return Fail(ErrorCode::kInput, "the code is too long");
  if (!syntax::IsBalanced(code)) {
    return Fail(ErrorCode::kInput,
                "a bracket, comment or string is left open, or closed too often");
  }
  const File file{std::string(code)};
  if (file.tokens().empty()) return Fail(ErrorCode::kInput, "there is no code");
  if (file.commands().empty() || file.commands().front().begin > 0) {
    return Fail(ErrorCode::kInput,
                "the code must be whole declarations: `theorem name … : … := by …`");
  }
  Submission submission;
  submission.code = code;
  std::string proofs(code);  // without questions about them
  const File above{std::string(header)};
  std::set<std::string> known;
  for (size_t i = 0; i < above.commands().size(); ++i) {
    known.insert(syntax::TokenKey(above.Slice(above.RangeOf(i))));
  }
  for (size_t i = 0; i < file.commands().size(); ++i) {
    const std::string_view word = file.KeywordOf(i);
    const syntax::TextRange range = file.RangeOf(i);
    if (kDeclarations.Contains(word)) continue;
    if (syntax::IsQuery(word)) {
      Blank(proofs, range);
      continue;
    }
    const std::string words = syntax::TokenKey(file.Slice(range));
    const bool scenery = syntax::GivesContext(word) || word == "prelude";
    if (word == "end" || word == "import" || (scenery && known.contains(words))) {
      Blank(submission.code, range);
      Blank(proofs, range);
      continue;
    }
    if (word == "open" || word == "set_option") {
      return Fail(ErrorCode::kInput, fmt::format("the file does not have `{0}`: write `{0} in` "
                                                 "before the declaration that needs it",
                                                 words));
    }
    return Fail(ErrorCode::kInput, fmt::format("`{}` has no place here: give lemmas, definitions "
                                               "and the theorem only",
                                               word));
  }
  const TargetsHead head(file, targets);
  for (const auto& d : file.declarations()) submission.declared.push_back(head.Describe(d));
  submission.code = head.Apply(submission.code);
  for (const syntax::Token& token : file.tokens()) {
    if (syntax::TextOf(code, token) != kSorryOption) continue;
    return Fail(ErrorCode::kInput, fmt::format("the option `{}` may not be set", kSorryOption));
  }
  if (auto objection = trust::Objection(head.Apply(proofs)))
    return Fail(ErrorCode::kInput, *objection);
  return submission;
}

namespace {

/// The document of a check, and the first line of the submission in it.
struct Document {
  std::string text;
  uint32_t first_line = 0;
};

Document MakeDocument(std::string_view header, std::string_view lemmas, std::string_view code) {
  Document document;
  document.text = header;
  if (!document.text.empty() && document.text.back() != '\n') document.text += '\n';
  document.text.append(kKernelOn);
  if (header.find(kSorryOption) != header.npos) {
    document.text.append("set_option ").append(kSorryOption).append(" true\n");
  }
  document.text.append(lemmas);
  document.first_line =
      static_cast<uint32_t>(std::count(document.text.begin(), document.text.end(), '\n'));
  document.text.append(code).append("\n");
  return document;
}

std::string Place(const Document& document, const core::LineIndex& lines, syntax::Position at) {
  const size_t line = std::min<size_t>(at.line, lines.line_count() - 1);
  const size_t begin = lines.LineBegin(line);
  const auto column = lines.ToCodePoints(OffsetOf(lines, at)).column;
  return fmt::format("line {}, column {}:\n  {}", at.line - document.first_line + 1, column + 1,
                     document.text.substr(begin, lines.LineEnd(line) - begin));
}

/// Whether a `sorry` is written in the declaration at `offset`. Tactics such as `apply?` leave a
/// goal open without the word.
bool SaysSorryAt(const File& code, size_t offset) {
  return std::ranges::any_of(code.declarations(), [&](const syntax::Declaration& declaration) {
    const auto [begin, end] = declaration.range;
    return begin <= offset && offset < end && syntax::UsesSorry(code.Slice(declaration.range));
  });
}

SubmissionReport Report(const Document& document, const lean::CheckResult& checked) {
  SubmissionReport judgement;
  judgement.status = SubmissionReport::Status::kAccepted;
  const core::LineIndex lines(document.text);
  const size_t begin = lines.LineBegin(document.first_line);
  const File code(document.text.substr(begin));
  size_t errors = 0;
  bool sorry = false;
  for (const lean::Diagnostic& d : checked.diagnostics) {
    if (d.begin.line < document.first_line) continue;
    const bool left_open = SaysSorry(d);
    sorry |= left_open;
    const bool hidden = left_open && !SaysSorryAt(code, OffsetOf(lines, d.begin) - begin);
    const bool error = hidden || d.severity == lean::Severity::kError;
    if (!error && d.severity != lean::Severity::kInformation) continue;
    if (error && ++errors > kMaxErrors) continue;
    judgement.report +=
        fmt::format("{} at {}\n{}\n", error ? "error" : "message", Place(document, lines, d.begin),
                    hidden ? kHiddenSorry : Shortened(d.message, kMaxMessageBytes));
  }
  if (errors > kMaxErrors)
    judgement.report += fmt::format("({} more errors)\n", errors - kMaxErrors);
  if (errors > 0) {
    judgement.status = SubmissionReport::Status::kRefused;
  } else if (sorry) {
    judgement.status = SubmissionReport::Status::kOpen;
    for (const lean::SorryGoals& open : checked.sorries) {
      if (open.at.line < document.first_line || open.goals.empty()) continue;
      judgement.report += fmt::format("left open at {}\n{}\n", Place(document, lines, open.at),
                                      Shortened(open.goals.front(), kMaxMessageBytes));
    }
  }
  return judgement;
}

}  // namespace

Task<SubmissionReport> JudgeSubmission(Session& session, std::string_view role,
                                       std::string_view header, std::string_view lemmas,
                                       std::string code, core::Duration limit) {
  SubmissionReport unknown;
  unknown.ended = session.Done();
  if (unknown.ended) co_return unknown;
  session.limits().trying(code);
  const Document document = MakeDocument(header, lemmas, code);
  lean::CheckRequest request;
  request.text = document.text;
  request.limit = limit;
  request.goals_at_sorries = syntax::UsesSorry(code);
  const auto checked = co_await session.Elaborate(std::move(request), role, session.limits());
  if (checked) co_return Report(document, *checked);
  unknown.ended = session.Done();
  unknown.report = checked.error().code == ErrorCode::kTimeout
                       ? fmt::format("Lean took longer than {:.0f} s", core::Seconds(limit))
                       : "Lean crashed on this code: " + checked.error().message;
  co_return unknown;
}

ProvedLemma LemmaOf(const Declared& declared, std::string by) {
  const bool proves = declared.keyword == "theorem";
  return {.name = declared.name,
          .key = declared.key,
          .signature = declared.signature,
          .head = proves ? declared.head : declared.Text(),
          .value = proves ? declared.value : "",
          .by = std::move(by),
          .uses = {}};
}

Declared TargetOf(const syntax::Theorem& theorem) {
  if (theorem.head.empty()) return {};
  return {.keyword = theorem.keyword == "lemma" ? "theorem" : theorem.keyword,
          .name = theorem.written_name,
          .key = DeclarationKey(theorem.keyword, theorem.signature),
          .signature = theorem.signature,
          .head = theorem.head,
          .value = {},
          .doc = {}};
}

}  // namespace zermelo::strategy
