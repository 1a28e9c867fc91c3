// Access of Hilbert's steps to models and Lean, and the accounting of a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/task_race.h"
#include "llm/prompt/prompt_template.h"
#include "strategy/hilbert/hilbert.h"

namespace zermelo::strategy {

/// A conversation that can be continued.
struct Chat {
  std::string_view role;
  std::vector<llm::Message> messages;
  std::string reply;  // the last reply, without thinking
};

/// A counting semaphore.
class Gate {
 public:
  Gate(const core::Executor& executor, size_t places) : places_(places), left_(executor) {}
  /// Waits for a place and takes it; a Pass releases it at the end of its scope. Returns false if
  /// the limits end first.
  core::Task<bool> Enter(const Limits& limits);

  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(gate) {}
    ~Pass() {
      --gate_.inside_;
      gate_.left_.Notify();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Gate& gate_;
  };

 private:
  const size_t places_;
  size_t inside_ = 0;
  core::Signal left_;
};

/// The desk of one run. All calls on one executor; they may overlap. A call returns an empty result
/// if the run has ended, the models' budget is used up, or the call failed; later calls then fail,
/// too.
class Desk {
 public:
  /// All must outlive the desk.
  Desk(const Services& services, const llm::PromptTemplates& prompts,
       const HilbertParameters& parameters, core::Executor executor);

  const HilbertParameters& parameters() const { return parameters_; }
  const core::Executor& executor() const { return executor_; }
  lean::Checker& checker() const { return services_.checker; }
  Roles& roles() const { return *services_.roles; }
  retrieve::Retriever* premises() const { return services_.premises; }
  /// No more work is to be started: there was an error or the limits ended.
  bool Done(const Limits& limits) const { return error_.has_value() || limits.Ended(); }
  bool MayAsk(const Limits& limits) const { return !spent_ && !Done(limits); }

  // ---- models

  using Values = llm::PromptTemplates::Values;
  /// Starts a chat with the named prompt. A prompt that cannot be filled ends the run.
  std::optional<Chat> Begin(std::string_view role, std::string_view prompt, const Values& values);
  /// Adds a turn to the chat, which keeps only its first prompt and the last reply before it.
  bool Add(Chat& chat, std::string_view prompt, const Values& values);
  /// Sends the chat. Returns true if chat.reply is set.
  core::Task<bool> Ask(Chat& chat, const Limits& limits);
  /// Sends the chat, with up to tag_retries reminders, until the reply has a code block; returns
  /// it.
  core::Task<std::optional<std::string>> AskForCode(Chat& chat, const Limits& limits);
  /// Like AskForCode for texts in <tag>…</tag>; returns all of them, in order.
  core::Task<std::vector<std::string>> AskForTags(Chat& chat, std::string tag,
                                                  const Limits& limits);
  /// Requests one sample with a proof from the prover. Returns nullopt also if there is no prover
  /// or its reply has no proof.
  core::Task<std::optional<policy::Sample>> AskProver(const syntax::Theorem& theorem,
                                                      const Limits& limits);

  // ---- Lean

  struct Checked {
    syntax::SiteDocument document;
    lean::CheckResult result;
    bool accepted = false;  // no error in the declaration or in its auxiliary commands
  };
  enum class Goals { kNotNeeded, kAtSorries };
  /// Elaborates a proof in its place with the kernel on. Returns nullopt also if Lean takes longer.
  core::Task<std::optional<Checked>> Check(const syntax::ProofSite& site,
                                           const syntax::Proof& proof, double seconds, Goals goals,
                                           const Limits& limits);

  /// As Asker::Failed, but ignores errors after the end of the limits.
  void Failed(const core::Error& error, const Limits& limits);
  const std::optional<core::Error>& error() const { return error_; }
  bool spent() const { return spent_; }
  Outcome& outcome() { return outcome_; }

 private:
  const Services& services_;
  const llm::PromptTemplates& prompts_;
  const HilbertParameters& parameters_;
  const core::Executor executor_;

  Gate calls_;
  bool spent_ = false;  // the models' budget is used up
  std::optional<core::Error> error_;
  Outcome outcome_;
};

/// Values from alternating names and values. (Avoids braced lists in coroutines, whose elements g++
/// 12 does not always destroy exactly once.)
llm::PromptTemplates::Values Named(const auto&... names_and_values) {
  const std::string texts[] = {names_and_values...};
  llm::PromptTemplates::Values values;
  for (size_t i = 0; i + 1 < std::size(texts); i += 2) values[texts[i]] = texts[i + 1];
  return values;
}

/// `outer` with the cancellation of a child of a group.
Limits Within(const Limits& outer, const core::ChildContext& child);

/// The texts between <tag> and </tag>, trimmed; empty ones are skipped.
std::vector<std::string> InTags(std::string_view text, std::string_view tag);

}  // namespace zermelo::strategy
