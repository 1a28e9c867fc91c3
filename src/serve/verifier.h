// What the HTTP interfaces share: snippets in, verdicts out, never more at once than agreed.
#pragma once

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
#include "core/text.h"
#include "engine/acceptance.h"
#include "lean/pool.h"
#include "lean/toolchain.h"
#include "serve/gate.h"
#include "serve/histogram.h"

namespace zermelo::serve {

/// How a check ended. Only the first three are words of Lean's about the text.
enum class Outcome : uint8_t {
  kAccepted,          // no error, no sorry, and nothing that could hide one
  kSorry,             // no error, but something is left unproved
  kRejected,          // errors
  kInvalidStatement,  // the statement to compare with does not compile or has nothing to prove
  kTimeout,           // the text took longer than its limit
  kCrashed,           // Lean died on it twice
  kCancelled,         // nobody wanted the answer any more
  kNoWorker,          // none was free in time; nothing is known about the text
  kNoLean,            // Lean cannot be started; nothing is known about the text
};
inline constexpr size_t kOutcomes = 9;
const char* Name(Outcome outcome);  // "accepted", "invalid_statement", …

struct Snippet {
  std::string text;
  core::Duration limit = std::chrono::seconds(60);  // from when a Lean has it
  bool own_process = false;                         // checked by a Lean that has seen nothing else
  // Whether constructions that a proof does not need and a cheat does (trust/source_rules.h) are
  // errors. Off, they are warnings, and "accepted" says what Lean says, no more.
  bool rules = true;
};

/// A place as Lean counts it, but with lines from 0: columns are code points.
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
  std::string goal;  // as Lean prints it; empty where Lean did not get to it
};

struct Verification {
  Outcome outcome = Outcome::kRejected;
  std::string error;               // a sentence; empty when Lean gave an answer
  std::vector<Message> messages;   // in file order
  std::vector<OpenSorry> sorries;  // in file order
  double seconds = 0;
};

struct Judgement {
  Outcome outcome = Outcome::kRejected;
  std::vector<std::string> reasons;  // sentences; empty when accepted
  std::vector<std::string> axioms;   // that the proofs rest on, when accepted
  double seconds = 0;
};

struct VerifierOptions {
  size_t workers = 2;
  size_t queue = 256;                                  // checks accepted and not yet answered
  core::Duration max_wait = std::chrono::minutes(10);  // for a worker
  // Of the shared workers together (lean::PoolOptions).
  uint64_t max_total_bytes = std::numeric_limits<uint64_t>::max();
};

/// All calls on the executor's thread. The kernel is on in every check.
class Verifier {
 public:
  Verifier(core::Executor executor, lean::Toolchain toolchain, VerifierOptions options);

  /// The right to have so many checks made; given back at its end.
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
  /// Nothing when the queue has not so much room.
  std::unique_ptr<Ticket> Admit(size_t checks);
  /// Seconds after which there may be room again.
  int RetryAfter() const;

  /// Starts the workers. kEnvironment, kCrashed or kTimeout when Lean does not come up.
  core::Task<core::Status> WarmUp();

  /// Checks a text as it stands. Texts that run code while Lean elaborates get a process of their
  /// own. Texts that define syntax, behind which a `sorry` or an axiom could hide, are accepted
  /// only after the judgement below, on their own theorems.
  core::Task<Verification> Check(Snippet snippet, core::Cancellation& cancellation);

  /// Whether `candidate` proves what `statement`, a text with `sorry`s, leaves open.
  core::Task<Judgement> Judge(std::string statement, std::string candidate, core::Duration limit,
                              core::Cancellation& cancellation);

  /// Ends everything that runs.
  void Close();

  size_t accepted() const { return accepted_; }
  const VerifierOptions& options() const { return options_; }
  const lean::Pool& pool() const { return shared_; }
  /// For others that check with the same workers.
  lean::Pool& shared_pool() { return shared_; }
  const lean::Pool& own_process_pool() const { return own_process_; }
  uint64_t checks(Outcome outcome) const { return checks_[static_cast<size_t>(outcome)]; }
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
                                   core::Duration limit, core::Cancellation& cancellation);
  std::unique_ptr<engine::Acceptance> TakePrepared(const std::string& statement);
  void Count(Outcome outcome, double seconds);

  const core::Executor executor_;
  const VerifierOptions options_;
  lean::Pool shared_;
  lean::Pool own_process_;        // whose workers serve one check each
  Gate judging_;                  // each judgement runs up to two more Leans
  std::list<Prepared> prepared_;  // statements with their .olean, last used first
  size_t accepted_ = 0;

  std::array<uint64_t, kOutcomes> checks_{};
  Histogram check_seconds_;
};

}  // namespace zermelo::serve
