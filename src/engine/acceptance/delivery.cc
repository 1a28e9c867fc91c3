#include "engine/acceptance/delivery.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "core/text.h"
#include "engine/prove_file.h"
#include "engine/receipt/receipt.h"
#include "syntax/proof/proof_site.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::engine {

using core::Deadline;
using core::Fail;
using core::Task;
using syntax::Declaration;

namespace {

/// `may_be_open`: a `sorry` is no reason.
const trust::Reason* FirstReason(const JudgedTarget& judged, bool may_be_open) {
  for (const trust::Reason& reason : judged.reasons) {
    if (!may_be_open || reason.code != trust::ReasonCode::kUsesSorry) return &reason;
  }
  return nullptr;
}

/// The first error in the declaration or in the commands inserted before it; empty: none.
std::string FirstErrorIn(const Declaration& declaration, const TheoremResult& result,
                         const core::LineIndex& lines,
                         const std::vector<lean::Diagnostic>& diagnostics) {
  // The command line counts columns in code points, so compare lines only.
  const size_t first =
      lines.LineOf(declaration.range.begin) - syntax::LinesOfAuxiliary(result.auxiliary);
  const size_t last = lines.LineOf(declaration.range.end);
  for (const auto& d : diagnostics) {
    const bool inside = d.begin.line >= first && d.begin.line <= last;
    if (inside && d.severity == lean::Severity::kError) return d.message;
  }
  return "";
}

}  // namespace

Acceptance& Delivery::TheAcceptance() {
  if (!acceptance_) {
    acceptance_ =
        std::make_unique<Acceptance>(executor_, toolchain_, file_.Acceptable(file_.clean_text()));
  }
  return *acceptance_;
}

core::Status Delivery::StartAhead() { return TheAcceptance().StartAhead(); }

Task<void> Delivery::CompileAhead(Deadline deadline, core::Cancellation* cancellation) {
  AcceptanceOptions options = Options(cancellation);
  options.deadline = deadline;
  return TheAcceptance().CompileAhead(std::move(options));
}

AcceptanceOptions Delivery::Options(core::Cancellation* cancellation) const {
  AcceptanceOptions options;
  options.allowed_axioms = allowed_axioms_;
  options.kernel = kernel_;
  options.deadline = Deadline::After(kWholeFileLimit);
  options.cancellation = cancellation;
  options.max_resident_bytes = max_resident_bytes_;
  return options;
}

size_t Delivery::proofs() const {
  return static_cast<size_t>(
      std::count_if(file_.targets().begin(), file_.targets().end(),
                    [](const Target& target) { return HasProof(target.result); }));
}

Task<core::Status> Delivery::Accept(core::Cancellation* cancellation) {
  while (proofs() > 0) {
    listener_.Phase(
        fmt::format("verifying {} with a fresh Lean", core::Counted(proofs(), "proof")));
    if (auto started = StartAhead(); !started) co_return Fail(started.error());
    const std::string text = file_.Acceptable(WithProofs(file_.clean_text()));
    auto report = co_await acceptance_->Judge(text, FilledDeclarations(), Options(cancellation));
    if (!report || report->lost) {
      const core::Error& error = report ? *report->lost : report.error();
      co_return Fail(error.code, "the proofs found could not be verified: " + error.message,
                     "nothing was written; try again with fewer theorems (--theorem NAME)");
    }
    if (RejectRefused(text, *report) > 0) continue;
    receipt_ = ReceiptFor(text, std::move(*report));
    break;
  }
  co_return core::Status();
}

/// Of what is proved: neither of what is proved from open theorems, nor of a part of a proof.
nlohmann::json Delivery::ReceiptFor(const std::string& text, AcceptanceReport report) const {
  std::erase_if(report.targets, [](const JudgedTarget& target) { return !target.accepted; });
  report.accepted = !report.targets.empty();
  if (!report.accepted) return nullptr;
  JudgedProof proof;
  proof.original = file_.Acceptable(file_.clean_text());
  proof.candidate = text;
  proof.targets.emplace();
  for (const JudgedTarget& target : report.targets) proof.targets->push_back(target.name);
  proof.allowed_axioms = allowed_axioms_;
  proof.kernel = kernel_;
  return MakeReceipt(proof, report, toolchain_);
}

Task<std::vector<std::string>> Delivery::AcceptLemmas(core::Cancellation* cancellation) {
  std::vector<std::string> notes;
  std::vector<ProvedOnTheWay> found;
  for (const Target& target : file_.targets()) {
    if (target.result.status != TheoremStatus::kUnproved) continue;
    if (target.result.lemmas.empty()) continue;
    ProvedOnTheWay one;
    one.place = PlaceOfAuxiliary(target);
    one.lemmas = target.result.lemmas;
    found.push_back(std::move(one));
  }
  if (found.empty()) co_return notes;
  listener_.Phase("verifying lemmas with a fresh Lean");
  auto file = co_await engine::AcceptLemmas(
      executor_, toolchain_, file_.clean_text(), std::move(found),
      [this](std::string text) { return file_.Acceptable(std::move(text)); },
      Options(cancellation));
  if (!file) {
    notes.push_back("the lemmas found could not be verified: " + file.error().message);
    co_return notes;
  }
  if (file->refused > 0) {
    notes.push_back(fmt::format("{} lemmas were rejected by the verification", file->refused));
  }
  if (file->count == 0) co_return notes;
  notes.push_back(fmt::format("{} lemma{} proved on the way", file->count,
                              file->count == 1 ? " was" : "s were"));
  lemmas_ = std::move(file->kept);
  co_return notes;
}

/// Indices in the clean text of the declarations that get a proof. If other holes of a declaration
/// stay open, everything except their `sorry`s is judged.
std::vector<size_t> Delivery::FilledDeclarations() const {
  std::vector<size_t> filled;
  for (size_t d = 0; d < file_.declarations().size(); ++d) {
    if (Filled(d) > 0) filled.push_back(file_.clean_index()[d]);
  }
  return filled;
}

/// Number of holes of a declaration with a proof.
size_t Delivery::Filled(size_t declaration) const {
  return static_cast<size_t>(
      std::count_if(file_.targets().begin(), file_.targets().end(), [&](const Target& target) {
        return target.declaration == declaration && HasProof(target.result);
      }));
}

/// Marks targets whose proofs were rejected as unproved; returns their number.
size_t Delivery::RejectRefused(const std::string& text, const AcceptanceReport& report) {
  const auto declarations = syntax::FindDeclarations(text);
  const core::LineIndex lines(text);
  std::vector<size_t> filled, added;  // as judged; rejecting a proof changes them
  for (size_t d = 0; d < file_.declarations().size(); ++d) {
    filled.push_back(Filled(d));
    added.push_back(AddedBefore(file_.declarations()[d].range.begin));
  }
  const size_t count = file_.clean_count() + AddedBefore(text.size());
  size_t refused = 0;
  const auto reject = [&](Target& target, const std::string& why) {
    target.result.status = TheoremStatus::kUnproved;
    target.result.message = "a proof was found but rejected by the verification: " + Shortened(why);
    target.result.proof.clear();
    target.result.proofs.clear();
    target.result.auxiliary.clear();
    target.result.from.clear();
    listener_.TheoremChanged(target.result);
    ++refused;
  };
  for (Target& target : file_.targets()) {
    if (!HasProof(target.result)) continue;
    const size_t d = target.declaration;
    const auto judged = std::find_if(
        report.targets.begin(), report.targets.end(),
        [&](const JudgedTarget& t) { return t.declaration == file_.clean_index()[d]; });
    const bool open = filled[d] < file_.declarations()[d].holes.size();
    const trust::Reason* reason = nullptr;
    if (judged != report.targets.end()) {
      target.result.axioms = judged->axioms;
      target.result.kernels = report.kernels;
      const auto& from = judged->from;
      const bool is_from = !from.empty() && (open || judged->otherwise_complete);
      if (open && !is_from) std::erase(target.result.axioms, "sorryAx");
      const bool was_proved = target.result.status == TheoremStatus::kProved;
      if (!open || is_from) SetFrom(is_from ? from : std::vector<std::string>(), &target.result);
      if (was_proved && is_from) listener_.TheoremChanged(target.result);
      reason = FirstReason(*judged, open || is_from);
    }
    if (declarations.size() != count) {
      reject(target, "it changes which declarations the file has");
      continue;
    }
    const Declaration& now = declarations[file_.clean_index()[d] + added[d]];
    const std::string error = FirstErrorIn(now, target.result, lines, report.diagnostics);
    if (now.holes.size() != file_.declarations()[d].holes.size() - filled[d]) {
      reject(target, "it uses sorry");
    } else if (!error.empty()) {
      reject(target, error);
    } else if (reason != nullptr) {
      // Of a definition or instance: a proof in it may be filled without changing it.
      const bool is_data = reason->code == trust::ReasonCode::kValueChanged;
      reject(target, is_data
                         ? "the sorry is data, not a proof, so what fills it changes a definition"
                         : reason->message);
    }
  }
  if (refused > 0 || report.reasons.empty()) return refused;
  for (Target& target : file_.targets()) {  // the reason concerns no single proof
    if (HasProof(target.result)) {
      reject(target, report.reasons.front().message);
    }
  }
  return refused;
}

/// Number of declarations that the proofs' auxiliary commands add before an offset of the file.
size_t Delivery::AddedBefore(size_t place) const {
  size_t added = 0;
  for (const Target& target : file_.targets()) {
    if (target.result.auxiliary.empty() || PlaceOfAuxiliary(target) > place) continue;
    added += syntax::FindDeclarations(target.result.auxiliary).size();
  }
  return added;
}

ProofSteps::Part Delivery::PartOf(const Target& target) const {
  size_t own = 0;
  for (const Target& other : file_.targets()) {
    if (other.declaration != target.declaration) continue;
    own += syntax::FindDeclarations(other.result.auxiliary).size();
  }
  const size_t last = target.declaration + AddedBefore(file_.DeclarationOf(target).range.begin);
  return {.first = last - own, .last = last};
}

size_t Delivery::PlaceOfAuxiliary(const Target& target) const {
  return syntax::PlaceOfAuxiliary(file_.text(), file_.DeclarationOf(target));
}

/// Inserts the proofs, and `lemmas` of theorems without a proof.
std::string Delivery::WithProofs(std::string text,
                                 const std::vector<ProvedOnTheWay>& lemmas) const {
  std::multimap<size_t, const Target*, std::greater<>> holes;
  std::multimap<size_t, std::string, std::greater<>> places;
  for (const ProvedOnTheWay& one : lemmas) places.emplace(one.place, AsAuxiliary(one));
  for (const Target& target : file_.targets()) {
    if (!HasProof(target.result)) continue;
    holes.emplace(target.hole.begin, &target);
    if (target.result.auxiliary.empty()) continue;
    places.emplace(PlaceOfAuxiliary(target), target.result.auxiliary);
  }
  // From the last to the first, so that the remaining offsets stay valid.
  auto place = places.begin();
  const auto insert_from = [&](size_t end) {
    for (; place != places.end() && place->first >= end; ++place) {
      syntax::InsertAuxiliary(text, place->first, place->second);
    }
  };
  for (const auto& [begin, target] : holes) {
    insert_from(begin);
    text = syntax::SpliceProof(text, target->hole, target->result.proof).text;
  }
  insert_from(0);
  return text;
}

std::string Delivery::LemmasText() const {
  return lemmas_.empty() ? "" : WithProofs(file_.text(), lemmas_);
}

}  // namespace zermelo::engine
