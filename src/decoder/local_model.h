// A small model of the user's own as an llm::Model: no server, no GPU.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "decoder/decoder.h"
#include "decoder/tokenizer/tokenizer.h"
#include "llm/model.h"

namespace zermelo::decoder {

/// Completes text, and answers chats without native tools (decoder/tokenizer/chat.h; otherwise
/// kUsage). Each call runs on a thread of its own; the completions of a call are a batch that
/// shares the work on the prompt. With a seed, completion i uses seed + i and is the same on every
/// run.
class LocalModel final : public llm::Model {
 public:
  /// `at_once`: the largest number of calls that run at once.
  LocalModel(core::Executor executor, std::string name, Decoder decoder,
             std::shared_ptr<const Tokenizer> tokenizer, size_t at_once);
  /// With as many calls at once as there are cores. Reads config.json, model.safetensors and
  /// tokenizer.json in `folder`. kInput with the reason.
  static core::Result<std::unique_ptr<LocalModel>> Load(const core::Executor& executor,
                                                        std::string name,
                                                        const std::filesystem::path& folder);
  ~LocalModel() override;

  /// At the deadline, the reply has what was written so far, marked kBroken.
  core::Task<core::Result<llm::Reply>> Generate(llm::Request request,
                                                llm::CallContext context) override;
  const std::string& name() const override { return name_; }

  struct Written {
    llm::Reply reply;
    std::vector<std::vector<Token>> tokens;  // of each completion, as Generation::Line has them
  };
  /// As Generate, after these tokens instead of the request's prompt.
  core::Task<core::Result<Written>> Write(std::vector<Token> prompt, llm::Request request,
                                          llm::CallContext context);
  const Tokenizer& tokenizer() const { return *tokenizer_; }

 private:
  core::Result<std::vector<Token>> PromptOf(const llm::Request& request) const;
  /// Waits for a free place; false if the deadline passes or on cancellation.
  core::Task<bool> Enter(const llm::CallContext& context);

  const core::Executor executor_;
  const std::string name_;
  const Decoder decoder_;
  const std::shared_ptr<const Tokenizer> tokenizer_;
  size_t free_places_;
  core::Signal changed_;
};

}  // namespace zermelo::decoder
