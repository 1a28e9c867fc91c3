// A small model of the user's own as an llm::Model: no server, no GPU.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "decoder/decoder.h"
#include "decoder/tokenizer.h"
#include "llm/model.h"

namespace zermelo::decoder {

/// Completes text; a chat is kUsage. Each call runs on a thread of its own, as many at once as
/// there are cores; the completions of a call are a batch that shares the work on the prompt. With
/// a seed, completion i uses seed + i and is the same on every run.
class LocalModel final : public llm::Model {
 public:
  /// Reads config.json, model.safetensors and tokenizer.json in `folder`. kInput with the reason.
  static core::Result<std::unique_ptr<LocalModel>> Load(const core::Executor& executor,
                                                        std::string name,
                                                        const std::filesystem::path& folder);
  ~LocalModel() override;

  /// At the deadline, the reply has what was written so far, marked kBroken.
  core::Task<core::Result<llm::Reply>> Generate(llm::Request request,
                                                llm::CallContext context) override;
  const std::string& name() const override { return name_; }

 private:
  LocalModel(core::Executor executor, std::string name, Decoder decoder, Tokenizer tokenizer);
  /// Waits for a free place; false if the deadline passes or on cancellation.
  core::Task<bool> Enter(const llm::CallContext& context);

  const core::Executor executor_;
  const std::string name_;
  const Decoder decoder_;
  const Tokenizer tokenizer_;
  size_t free_places_;
  core::Signal changed_;
};

}  // namespace zermelo::decoder
