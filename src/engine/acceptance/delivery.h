// Delivery: the text of a file with the proofs found, accepted in exactly that text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/acceptance/acceptance.h"
#include "engine/lemma_file.h"
#include "engine/open_file.h"
#include "engine/proof_steps.h"

namespace zermelo::engine {

class ProveListener;

class Delivery {
 public:
  /// `file`: after OpenFile::Read. `max_resident_bytes`: AcceptanceOptions. All references must
  /// outlive the delivery.
  Delivery(core::Executor executor, const lean::Toolchain& toolchain, OpenFile& file,
           const std::vector<std::string>& allowed_axioms, trust::KernelUse kernel,
           uint64_t max_resident_bytes, ProveListener& listener)
      : executor_(std::move(executor)),
        toolchain_(toolchain),
        file_(file),
        allowed_axioms_(allowed_axioms),
        kernel_(kernel),
        max_resident_bytes_(max_resident_bytes),
        listener_(listener) {}

  /// Starts the Lean processes for the verdict while the search continues. kEnvironment: they
  /// cannot be started.
  core::Status StartAhead();
  /// Does this, and compiles the original. `cancellation` must outlive the task.
  core::Task<void> CompileAhead(core::Deadline deadline, core::Cancellation* cancellation);
  /// Ends those processes; accepting again starts new ones.
  void EndLeans() { acceptance_.reset(); }

  /// Number of targets with a proof.
  size_t proofs() const;
  /// Judges the text that will be delivered, removing rejected proofs, until every remaining proof
  /// is accepted. `cancellation` may be null. Errors: as Acceptance::Judge; also if a judgement was
  /// lost (AcceptanceReport::lost).
  core::Task<core::Status> Accept(core::Cancellation* cancellation);
  /// Verifies the lemmas proved for theorems that stayed open, as proofs are verified. Returns
  /// notes for the user, each a sentence.
  core::Task<std::vector<std::string>> AcceptLemmas(core::Cancellation* cancellation);

  /// The receipt of the last judgement, which accepted the proofs; null if there was none.
  const nlohmann::json& receipt() const { return receipt_; }

  std::string Text() const { return WithProofs(file_.text()); }
  /// The declarations of Text() that hold the proof of a target: its own, and those that were
  /// inserted before it.
  ProofSteps::Part PartOf(const Target& target) const;
  /// Text() with the lemmas of theorems that stayed open; empty if there are none.
  std::string LemmasText() const;

 private:
  Acceptance& TheAcceptance();
  nlohmann::json ReceiptFor(const std::string& text, AcceptanceReport report) const;
  AcceptanceOptions Options(core::Cancellation* cancellation) const;
  std::vector<size_t> FilledDeclarations() const;
  size_t Filled(size_t declaration) const;
  size_t RejectRefused(const std::string& text, const AcceptanceReport& report);
  size_t AddedBefore(size_t place) const;
  size_t PlaceOfAuxiliary(const Target& target) const;
  std::string WithProofs(std::string text, const std::vector<ProvedOnTheWay>& lemmas = {}) const;

  const core::Executor executor_;
  const lean::Toolchain& toolchain_;
  OpenFile& file_;
  const std::vector<std::string>& allowed_axioms_;
  const trust::KernelUse kernel_;
  const uint64_t max_resident_bytes_;
  ProveListener& listener_;
  std::vector<ProvedOnTheWay> lemmas_;  // verified, for theorems that stayed open
  std::unique_ptr<Acceptance> acceptance_;
  nlohmann::json receipt_;
};

}  // namespace zermelo::engine
