// Whom the steps of Hilbert ask, models and Lean, and what a run has used up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ruled_group.h"
#include "llm/prompt_template.h"
#include "strategy/hilbert/hilbert.h"

namespace zermelo::strategy {

/// A conversation that can be gone on with.
struct Chat {
  std::string_view role;
  std::vector<llm::Message> messages;
  std::string reply;  // the last one, without its thinking
};

/// Lets so many in at a time.
class Gate {
 public:
  Gate(const core::Executor& executor, size_t places) : places_(places), left_(executor) {}
  /// Waits for a place, which a Pass then keeps; false: the limits end first.
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

/// One run's; everything on one executor, calls may overlap. Nothing as an answer: the run ends,
/// the models' budget is used up, or who was asked failed; then there is nobody to ask again.
class Desk {
 public:
  /// All must outlive the desk.
  Desk(const Environment& environment, const llm::PromptTemplates& prompts,
       const HilbertParameters& parameters, core::Executor executor);

  const HilbertParameters& parameters() const { return parameters_; }
  const core::Executor& executor() const { return executor_; }
  lean::Checker& checker() const { return environment_.checker; }
  Roles& roles() const { return *environment_.roles; }
  retrieve::Retriever* premises() const { return environment_.premises; }
  /// Nothing more is to be begun: an error, the time, nobody wants it.
  bool Done(const Limits& limits) const { return error_.has_value() || limits.Ended(); }
  bool MayAsk(const Limits& limits) const { return !spent_ && !Done(limits); }

  // ---- models

  using Values = llm::PromptTemplates::Values;
  /// Begins a chat with the prompt of that name. A prompt that does not fit ends the run.
  std::optional<Chat> Begin(std::string_view role, std::string_view prompt, const Values& values);
  /// Adds a turn.
  bool Add(Chat& chat, std::string_view prompt, const Values& values);
  /// Sends the chat; true when chat.reply is there.
  core::Task<bool> Ask(Chat& chat, const Limits& limits);
  /// Until the reply has a code block, which is the answer; asked for at most tag_retries times.
  core::Task<std::optional<std::string>> AskForCode(Chat& chat, const Limits& limits);
  /// Likewise a text in <tag>…</tag>; all of them, in order. Without one, nothing.
  core::Task<std::vector<std::string>> AskForTags(Chat& chat, std::string tag,
                                                  const Limits& limits);
  /// One sample of the prover, with a proof; nothing also when there is no prover, or no proof in
  /// its reply.
  core::Task<std::optional<policy::Sample>> AskProver(llm::PromptInput input, const Limits& limits);

  // ---- Lean

  struct Checked {
    lean::SiteDocument document;
    lean::CheckResult result;
    bool accepted = false;  // no error in the declaration or before it
  };
  enum class Goals { kNotNeeded, kAtSorries };
  /// Elaborates a proof in its place, the kernel on. Nothing also when Lean takes longer.
  core::Task<std::optional<Checked>> Check(const lean::ProofSite& site, const lean::Proof& proof,
                                           double seconds, Goals goals, const Limits& limits);

  void Failed(const core::Error& error, const Limits& limits);
  const std::optional<core::Error>& error() const { return error_; }
  bool spent() const { return spent_; }
  Outcome& outcome() { return outcome_; }

 private:
  const Environment& environment_;
  const llm::PromptTemplates& prompts_;
  const HilbertParameters& parameters_;
  const core::Executor executor_;

  Gate calls_;
  bool spent_ = false;  // the budget of the models
  std::optional<core::Error> error_;
  Outcome outcome_;
};

/// Names and values by turns. (g++ 12 does not always destroy the elements of braces in coroutines
/// once.)
llm::PromptTemplates::Values Named(const auto&... names_and_values) {
  const std::string texts[] = {names_and_values...};
  llm::PromptTemplates::Values values;
  for (size_t i = 0; i + 1 < std::size(texts); i += 2) values[texts[i]] = texts[i + 1];
  return values;
}

/// The limits of a child of a group.
Limits Within(const Limits& outer, const core::ChildContext& child);

/// What stands between <tag> and </tag>, without blanks around it.
std::vector<std::string> InTags(std::string_view text, std::string_view tag);

}  // namespace zermelo::strategy
