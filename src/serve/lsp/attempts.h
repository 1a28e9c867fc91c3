// Attempts to prove `sorry`s of texts in an editor: each is a job (mcp/jobs.h) with its progress;
// its result is an edit or a message.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "serve/lsp/documents.h"
#include "serve/lsp/editor.h"
#include "serve/lsp/sorries.h"
#include "serve/mcp/jobs.h"

namespace zermelo::serve::lsp {

enum class Aim : uint8_t { kProve, kDisprove, kProveAll };

struct AttemptRequest {
  std::string uri;
  Aim aim = Aim::kProve;
  SorryPlace place;     // unless all are to be proved
  std::string model;    // empty: as the server was started
  double seconds = 60;  // for each `sorry`
};

class Attempts {
 public:
  /// All must outlive this object.
  Attempts(core::Executor executor, Projects& projects, mcp::ProofJobs& jobs, Documents& documents,
           Editor& editor);
  ~Attempts();

  /// Starts an attempt. Errors: kInput (nothing to prove; it is being tried already).
  core::Status Start(AttemptRequest request);
  /// window/workDoneProgress/cancel: as Stop.
  void StopToken(const std::string& token);
  /// Ends the searches of a `sorry`; proofs that they have found are still delivered. False: there
  /// are none.
  bool Stop(const std::string& uri, const Sorry& sorry);
  /// Cancels all attempts on a text.
  void CancelAll(const std::string& uri);
  /// Whether a `sorry` is being tried.
  bool IsTrying(const std::string& uri, const Sorry& sorry) const;
  /// What is known about a `sorry`, as Markdown: the running attempt, else the best one. Empty:
  /// nothing.
  std::string About(const std::string& uri, const Sorry& sorry) const;
  /// A text has changed or was closed: wakes the attempts that wait for that.
  void Changed() { changed_.Notify(); }
  /// Cancels all attempts and waits for them.
  core::Task<void> Close();

 private:
  /// An attempt moves to the right only; where it ends, its results are delivered and it is
  /// forgotten.
  ///
  ///     kStarting ──► kSearching ──► end
  ///         └─────────────┴──► kStopping ──► end
  struct Attempt;
  /// What is remembered of an attempt that ended without an edit.
  struct Memory {
    std::string uri;
    Sorry sorry;
    int worth = 0;     // better attempts are kept
    std::string text;  // Markdown
  };
  /// What happened to the proofs that were found.
  struct Insertion {
    std::vector<FoundProof> inserted;
    std::vector<FoundProof> dropped;
    std::string why;  // they were dropped
  };

  core::Task<void> Run(std::shared_ptr<Attempt> attempt);
  core::Task<core::Result<engine::ProveResult>> Search(std::shared_ptr<Attempt> attempt);
  core::Task<core::Result<engine::ProveResult>> WaitFor(std::shared_ptr<Attempt> attempt);
  std::string NoteDisproof(Attempt& attempt, const engine::ProveResult& result);
  core::Task<std::string> Deliver(std::shared_ptr<Attempt> attempt, engine::ProveResult result);
  core::Task<Insertion> Insert(std::shared_ptr<Attempt> attempt, std::vector<FoundProof> proofs);
  core::Task<void> WaitForVersionAfter(std::string uri, int64_t version);
  void Reanchor(const std::string& uri, const std::string& before, const std::vector<Edit>& edits);
  core::Task<void> BeginProgress(std::shared_ptr<Attempt> attempt);
  void Progress(const Attempt& attempt, const char* kind, const std::string& message);
  void RequestEnd(Attempt& attempt, mcp::Found found);
  void Remember(Memory memory);

  const core::Executor executor_;
  Projects& projects_;
  mcp::ProofJobs& jobs_;
  Documents& documents_;
  Editor& editor_;
  core::TaskGroup group_;
  core::Signal changed_;
  bool closed_ = false;
  uint64_t next_token_ = 1;
  std::list<std::shared_ptr<Attempt>> running_;
  std::list<Memory> memories_;  // newest first
};

}  // namespace zermelo::serve::lsp
