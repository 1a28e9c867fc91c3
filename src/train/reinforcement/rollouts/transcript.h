// The policy as the model of one agent, whose conversation becomes a row to learn from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decoder/local_model.h"
#include "decoder/tokenizer/chat.h"
#include "llm/model.h"
#include "train/rows.h"

namespace zermelo::train {

/// Writes an answer after these tokens, as decoder::LocalModel::Write.
using Writer = std::function<core::Task<core::Result<decoder::LocalModel::Written>>(
    std::vector<decoder::Token> prompt, llm::Request request, llm::CallContext context)>;

/// Answers chats with plain-text tools, one after the other. Each request is expected to extend the
/// last one and its answer, whose tokens stay as they were sampled. One that does not (an answer
/// with thinking, which the agent leaves out) is answered, but not learnt, nor is what follows.
class Transcript final : public llm::Model {
 public:
  /// `sampling`: of each answer; its max_tokens unless a request wants fewer; call i has
  /// `seed_of(i)`. `tokenizer` must outlive the transcript.
  Transcript(Writer write, const decoder::Tokenizer& tokenizer, llm::Sampling sampling,
             std::function<uint64_t(size_t)> seed_of);

  /// kUsage: native tools. Otherwise as decoder::LocalModel.
  core::Task<core::Result<llm::Reply>> Generate(llm::Request request,
                                                llm::CallContext context) override;
  const std::string& name() const override { return name_; }

  /// All requests and answers; of their tokens only the sampled ones are learnt.
  const Row& row() const { return row_; }
  /// The conversation as the policy has read and written it, from before a request that does not
  /// extend it.
  std::string Text() const;
  size_t tool_calls() const { return tool_calls_; }  // of verify_lean, invalid ones included

 private:
  bool IsExtendedBy(const std::vector<decoder::ChatPart>& parts) const;
  decoder::ChatPart NotYetRead(decoder::ChatPart part) const;
  std::vector<decoder::Token> Encoded(const decoder::ChatPart& part, const Row& after) const;

  const Writer write_;
  const decoder::Tokenizer& tokenizer_;
  const llm::Sampling sampling_;
  const std::function<uint64_t(size_t)> seed_of_;
  const std::string name_ = "policy";
  size_t answers_ = 0, tool_calls_ = 0;
  bool broken_off_ = false;
  std::vector<decoder::ChatPart> parts_;  // of the last request, and the answer
  Row row_;
};

}  // namespace zermelo::train
