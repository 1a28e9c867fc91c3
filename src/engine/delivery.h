// What is delivered: the text of a file with the proofs that were found, accepted in that very
// text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/acceptance.h"
#include "engine/lemma_file.h"
#include "engine/open_file.h"

namespace zermelo::engine {

class ProveListener;

class Delivery {
 public:
  /// `file` after OpenFile::Read. All must outlive the delivery.
  Delivery(core::Executor executor, const lean::Toolchain& toolchain, OpenFile& file,
           const std::vector<std::string>& allowed_axioms, ProveListener& listener)
      : executor_(std::move(executor)),
        toolchain_(toolchain),
        file_(file),
        allowed_axioms_(allowed_axioms),
        listener_(listener) {}

  /// Its Leans come up while the search goes on. kEnvironment: they cannot be started.
  core::Status StartAhead();
  /// Nothing can be accepted afterwards but what StartAhead begins anew.
  void EndLeans() { acceptance_.reset(); }

  /// How many targets have a proof.
  size_t proved() const;
  /// Judges the text that will be delivered until every proof left in it is accepted; a proof that
  /// is refused is taken out again. `cancellation` may be null. Errors as Acceptance::Judge, also
  /// when a judgement was lost.
  core::Task<core::Status> Accept(core::Cancellation* cancellation);
  /// What was proved for theorems that stayed open is verified like proofs are. Sentences about it.
  core::Task<std::vector<std::string>> AcceptLemmas(core::Cancellation* cancellation);

  std::string Text() const { return WithProofs(file_.text()); }
  /// With the lemmas of theorems that stayed open; empty: there are none.
  std::string LemmasText() const;

 private:
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
  ProveListener& listener_;
  std::vector<ProvedOnTheWay> lemmas_;  // for theorems that stayed open, verified
  std::unique_ptr<Acceptance> acceptance_;
};

}  // namespace zermelo::engine
