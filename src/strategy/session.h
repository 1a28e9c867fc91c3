// What a run of a strategy works with: models, Lean and its limits, and the account of what it has
// used and found. All strategies use it; Expander adds what tree searches need.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "core/gate.h"
#include "llm/prompt/prompt_template.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// Calls in a row whose prompt has no room in any model: after so many, a search that would repeat
/// the prompt gives up.
inline constexpr size_t kMostCallsWithoutRoom = 100;

/// A conversation with the model of a role.
struct Chat {
  std::string_view role;
  std::vector<llm::Message> messages;
  llm::Completion answer;  // the last one
  std::string reply;       // its text without thinking
};

/// One run of one strategy. A call returns an empty result after the run has ended, after an error,
/// or, to a model, after the models' budget is used up. All calls on one executor; they may
/// overlap. `limits`: those of the session or a part of them.
class Session {
 public:
  static constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();
  /// All must outlive the session. `prompts` may be null if no chats are begun; `calls`: maximum
  /// number of concurrent requests of chats and proofs.
  Session(const Services& services, Limits limits, core::Executor executor,
          const llm::PromptTemplates* prompts = nullptr, size_t calls = kUnlimited);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Services& services() const { return services_; }
  const core::Executor& executor() const { return executor_; }
  /// The limits of the run, which also end with End().
  const Limits& limits() const { return part_.limits(); }
  SearchResult& result() { return result_; }

  // ---- the end

  /// No more work is to be started: the wanted proof is found, there was an error, or the limits
  /// have ended.
  bool Done(const Limits& limits) const;
  bool Done() const { return Done(limits()); }
  /// Models may still be called: the run continues and their budget is not used up.
  bool MayAsk(const Limits& limits) const { return !spent_ && !Done(limits); }
  bool MayAsk() const { return MayAsk(limits()); }
  /// Cancels the work in progress.
  void End() { part_.End(); }
  /// Records an error of a call within the limits. After their end it is ignored: the call was
  /// cancelled. kCancelled and kTimeout mean that the models' budget is used up; any other error
  /// ends the run.
  void Failed(const core::Error& error, const Limits& limits);
  void Failed(const core::Error& error) { Failed(error, limits()); }
  /// As Failed, for a call whose prompt grows with the proof: one that is too long, or is refused
  /// after others were answered, ends nothing.
  void ProposalFailed(const core::Error& error, const Limits& limits);
  /// The models' budget is used up.
  void Spend() { spent_ = true; }
  bool spent() const { return spent_; }
  const std::optional<core::Error>& error() const { return error_; }
  /// The result, or the first error: model errors as in llm::Model, kEnvironment if Lean no longer
  /// runs. Without a proof, the reason is appended as an event with these other fields.
  core::Result<SearchResult> Finish(nlohmann::json fields = nlohmann::json::object());

  // ---- models

  /// The messages of the named prompt. One that cannot be filled ends the run.
  std::optional<std::vector<llm::Message>> Fill(std::string_view prompt,
                                                const llm::PromptTemplates::Values& values);
  /// Starts a chat with a prompt, or adds a turn to it.
  std::optional<Chat> Begin(std::string_view role, std::string_view prompt,
                            const llm::PromptTemplates::Values& values);
  bool Add(Chat& chat, std::string_view prompt, const llm::PromptTemplates::Values& values);
  /// Sends the chat. Returns true if it has an answer.
  core::Task<bool> Ask(Chat& chat, const Limits& limits);

  struct Answer {
    llm::Completion completion;
    llm::Usage usage;
  };
  /// Requests one completion; see Roles::chat for `sampling`. Returns the error of a failed call,
  /// which is not recorded: a server may reject `tools`.
  core::Task<core::Result<Answer>> Generate(llm::Model& model, std::vector<llm::Message> messages,
                                            std::vector<llm::Tool> tools, llm::Sampling sampling,
                                            const Limits& limits);
  /// Requests `n` proofs and counts them as samples. None if the call failed; MayAsk() then says
  /// whether only this call did: a prompt that is too long is counted with the unusable samples.
  core::Task<std::vector<policy::Sample>> ProposeProofs(policy::CompletionPolicy& policy,
                                                        policy::CompletionInput input, size_t n,
                                                        const Limits& limits);
  enum class Sorry { kMakesUseless, kIsAnError };
  /// Whether a sample contains a proof that can be checked; counts the samples that do not.
  bool IsUsable(const policy::Sample& sample, Sorry sorry);

  // ---- Lean

  /// Has Lean check `request`, to which the role whose proposal it tries (of roles.h) and the
  /// limits are added. An error that ends the run is recorded.
  core::Task<core::Result<lean::CheckResult>> Elaborate(lean::CheckRequest request,
                                                        std::string_view role,
                                                        const Limits& limits);
  struct CheckOptions {
    core::Duration limit;               // not counting the wait for a free worker
    bool goals_at_sorries = false;      // Lean returns the goals there
    bool stops_at_first_error = false;  // in the declaration
  };
  struct Checked {
    syntax::SiteDocument document;
    lean::CheckResult result;
    bool accepted = false;  // no error in the declaration or in its auxiliary commands
  };
  /// Elaborates a proof by `role` in its place with the kernel on. nullopt also if Lean takes
  /// longer.
  core::Task<std::optional<Checked>> Check(const syntax::ProofSite& site, syntax::Proof proof,
                                           std::string_view role, CheckOptions options,
                                           const Limits& limits);

  // ---- accept

  /// Reports a proof of the problem that Lean accepted; ends the run unless all proofs are wanted.
  /// Returns false if the proof was known already.
  bool Found(const syntax::Proof& proof);
  /// `moves`: as in SearchResult.
  bool Found(const std::string& tactics, std::vector<ProofMove> moves = {});

 protected:
  void EndWith(const core::Error& error) {
    if (!error_) error_ = error;
  }
  /// The limits that this run's limits are a part of.
  const Limits& Whole() const { return given_.whole != nullptr ? *given_.whole : given_; }
  llm::CallContext CallWithin(const Limits& limits);
  /// Counts what a model has used within the limits.
  void Charge(const llm::Spending& spending, const Limits& limits) { Charge(spending, limits.use); }

 private:
  void Charge(const llm::Spending& spending, Use* use) {
    result_.spending += spending;
    if (use != nullptr) use->spending += spending;
  }

  const Services services_;
  const Limits given_;
  Sublimits part_;
  const core::Executor executor_;
  const llm::PromptTemplates* const prompts_;
  const uint64_t checks_before_;

  core::Gate calls_;
  bool spent_ = false;  // the models' budget is used up
  std::optional<core::Error> error_;
  std::set<std::string> proof_keys_;  // of the proofs found
  SearchResult result_;
};

}  // namespace zermelo::strategy
