// The core of all HTTP interfaces: checks snippets and judges proofs, with a bounded queue.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "core/gate.h"
#include "core/text.h"
#include "engine/acceptance/acceptance.h"
#include "engine/acceptance/outcome.h"
#include "lean/pool.h"
#include "lean/toolchain.h"
#include "serve/histogram.h"

namespace zermelo::serve {

/// How a check ended. Only the first three are Lean's verdict on the text.
enum class VerificationStatus : uint8_t {
  kAccepted,          // no error, no sorry, and nothing that could hide one
  kSorry,             // no error, but something is left unproved
  kRejected,          // errors
  kInvalidStatement,  // the statement to compare with does not compile or has nothing to prove
  kTimeout,           // the text took longer than its limit
  kCrashed,           // Lean crashed on it twice
  kCancelled,         // cancelled, usually because the client disconnected
  kNoWorker,          // no worker was free in time; the text was not checked
  kNoLean,            // Lean cannot be started; the text was not checked
};
inline constexpr size_t kOutcomes = 9;
const char* Name(VerificationStatus outcome);  // "accepted", "invalid_statement", …
/// In the words that all parts of Zermelo use. An invalid statement is rejected; what was cancelled
/// or had no worker or no Lean is infrastructure.
engine::Outcome OutcomeOf(VerificationStatus status);

struct Snippet {
  std::string text;
  core::Duration limit = std::chrono::seconds(60);  // from when a worker has it
  bool own_process = false;                         // checked by a fresh Lean process
  // Whether constructions that honest proofs do not need but cheats do
  // (trust/source/source_rules.h) are errors. Otherwise they are warnings, and "accepted" means
  // only that Lean accepts the text.
  bool rules = true;
};

/// A position as Lean counts it, but with lines from 0; columns are code points.
using Place = core::CodePointPosition;

struct Message {
  lean::Severity severity = lean::Severity::kError;
  Place begin;
  Place end;
  std::string text;
};

struct OpenSorry {
  Place begin;
  Place end;
  std::string goal;  // as Lean prints it; empty if Lean did not reach it
};

struct Verification {
  VerificationStatus outcome = VerificationStatus::kRejected;
  std::string error;               // a sentence; empty if Lean returned a result
  std::vector<Message> messages;   // in file order
  std::vector<OpenSorry> sorries;  // in file order
  double seconds = 0;
};

struct Judgement {
  VerificationStatus outcome = VerificationStatus::kRejected;
  std::vector<std::string> reasons;           // sentences; empty if accepted
  std::vector<std::string> axioms;            // axioms that the proofs depend on, if accepted
  std::vector<trust::KernelVerdict> kernels;  // that judged
  bool runs_programs = false;                 // as in engine::AcceptanceReport
  double seconds = 0;
};

struct VerifierOptions {
  trust::KernelUse kernel = trust::KernelUse::kOn;  // Zermelo's, in judgements
  /// Judge accepts candidates with code that runs inside Lean, as `check --against
  /// --allow-programs` does. engine::CanAllowPrograms must hold.
  bool allow_programs = false;
  size_t workers = 2;
  size_t queue = 256;                                  // maximum of checks not yet answered
  core::Duration max_wait = std::chrono::minutes(10);  // for a worker
  // Memory limit of all shared workers together (lean::PoolOptions).
  uint64_t max_total_bytes = std::numeric_limits<uint64_t>::max();
  /// That of each Lean process, those included that judge proofs or check a single snippet.
  uint64_t MostForOneLean() const {
    return std::min(lean::WorkerOptions().max_resident_bytes, max_total_bytes);
  }
  size_t spares = 0;  // spare workers (lean::PoolOptions)
  /// Where more shared workers run (lean::PoolOptions), and a callback for failures there; may be
  /// null.
  std::vector<std::shared_ptr<const lean::remote::Place>> places = {};
  std::function<void(const lean::remote::PlaceEvent&)> on_place = {};
};

/// Must be called on the executor's thread. Every check includes the kernel.
class Verifier {
 public:
  Verifier(core::Executor executor, lean::Toolchain toolchain, const VerifierOptions& options);

  /// Reserves queue space for a number of checks until it is destroyed.
  class Ticket {
   public:
    Ticket(Verifier& owner, size_t checks) : owner_(owner), checks_(checks) {
      owner_.accepted_ += checks_;
    }
    ~Ticket() { owner_.accepted_ -= checks_; }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    Verifier& owner_;
    const size_t checks_;
  };
  /// Null if the queue has no room for that many checks.
  std::unique_ptr<Ticket> Admit(size_t checks);
  /// Estimated seconds until the queue has room, from 1 to 60.
  int RetryAfter() const;

  /// Starts the workers. Errors: kEnvironment, kCrashed or kTimeout if Lean does not start.
  core::Task<core::Status> WarmUp();

  /// Checks a text. Texts that run code while Lean elaborates get their own process. Texts that
  /// define syntax, which could hide a `sorry` or an axiom, are accepted only if their own theorems
  /// are also accepted by the judgement below.
  core::Task<Verification> Check(Snippet snippet, core::Cancellation& cancellation);

  /// Judges whether `candidate` proves the `sorry`s of `statement`. `limit` is per step: checking
  /// the candidate, then judging its .olean. Programs may be allowed (VerifierOptions).
  core::Task<Judgement> Judge(std::string statement, std::string candidate, core::Duration limit,
                              core::Cancellation& cancellation);

  /// Stops all workers.
  void Close();

  size_t accepted() const { return accepted_; }
  const VerifierOptions& options() const { return options_; }
  const lean::Pool& pool() const { return shared_; }
  /// For other components that use the same workers.
  lean::Pool& shared_pool() { return shared_; }
  const lean::Pool& own_process_pool() const { return own_process_; }
  uint64_t checks(VerificationStatus outcome) const {
    return checks_[static_cast<size_t>(outcome)];
  }
  const Histogram& check_seconds() const { return check_seconds_; }

 private:
  struct Prepared {
    std::string statement;
    std::unique_ptr<engine::Acceptance> acceptance;
  };

  core::Task<Verification> Elaborate(Snippet snippet, core::Cancellation& cancellation);
  core::Task<void> JudgeItself(const Snippet& snippet, core::Cancellation& cancellation,
                               Verification& verification);
  core::Task<Judgement> JudgeOlean(std::string statement, std::string candidate,
                                   core::Duration limit, bool allow_programs,
                                   core::Cancellation& cancellation);
  std::unique_ptr<engine::Acceptance> TakePrepared(const std::string& statement);
  void Count(VerificationStatus outcome, double seconds);

  const core::Executor executor_;
  const VerifierOptions options_;
  lean::Pool shared_;
  lean::Pool own_process_;        // each worker does one check
  core::Gate judging_;            // each judgement runs up to two more Lean processes
  std::list<Prepared> prepared_;  // statements with their .olean, most recently used first
  size_t accepted_ = 0;

  std::array<uint64_t, kOutcomes> checks_{};
  Histogram check_seconds_;
};

}  // namespace zermelo::serve
