#include "train/reinforcement/rollouts/transcript.h"

#include <algorithm>

#include "strategy/agent/tool_call.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using decoder::ChatPart;
using decoder::Token;

namespace {

size_t CallsIn(const llm::Completion& answer, size_t turn) {
  return strategy::agent::ReadCalls(answer, {strategy::agent::kVerify}, turn).size();
}

}  // namespace

Transcript::Transcript(Writer write, const decoder::Tokenizer& tokenizer, llm::Sampling sampling,
                       std::function<uint64_t(size_t)> seed_of)
    : write_(std::move(write)),
      tokenizer_(tokenizer),
      sampling_(std::move(sampling)),
      seed_of_(std::move(seed_of)) {}

bool Transcript::IsExtendedBy(const std::vector<ChatPart>& parts) const {
  return parts.size() == parts_.size() + 1 &&
         std::equal(parts_.begin(), parts_.end(), parts.begin());
}

/// The part after the last answer, without what its tokens have already: the end of the message,
/// and what a token has beyond that.
ChatPart Transcript::NotYetRead(ChatPart part) const {
  if (row_.tokens.empty()) return part;
  if (tokenizer_.Added(decoder::kMessageEnd) == row_.tokens.back()) return part;
  const auto is_read = std::find(row_.learnt.rbegin(), row_.learnt.rend(), false);
  const auto answer = std::distance(row_.learnt.rbegin(), is_read);
  const std::string written = tokenizer_.Decode({row_.tokens.end() - answer, row_.tokens.end()});
  const size_t before = part.text.size();
  const size_t end = written.find(decoder::kMessageEnd);
  if (end == std::string::npos) {
    part.text.insert(0, decoder::kMessageEnd);
  } else {
    const std::string beyond = written.substr(end + decoder::kMessageEnd.size());
    if (part.text.starts_with(beyond)) part.text.erase(0, beyond.size());
  }
  for (decoder::ByteRange& content : part.contents) {
    content.begin += part.text.size() - before;  // modulo 2^64
    content.end += part.text.size() - before;
  }
  return part;
}

std::vector<Token> Transcript::Encoded(const ChatPart& part, const Row& after) const {
  return after.tokens.empty() ? tokenizer_.Encode(part.text, part.contents)
                              : tokenizer_.EncodeContinuation(part.text, part.contents);
}

Task<Result<llm::Reply>> Transcript::Generate(llm::Request request, llm::CallContext context) {
  const auto* messages = std::get_if<std::vector<llm::Message>>(&request.prompt);
  if (messages == nullptr || !request.tools.empty()) {
    co_return Fail(ErrorCode::kUsage, "the policy chats, with tools in plain text");
  }
  auto parts = decoder::ChatParts(*messages, true);
  if (!parts) co_return Fail(parts.error());
  broken_off_ = broken_off_ || !IsExtendedBy(*parts);
  Row row;
  if (broken_off_) {
    for (const ChatPart& part : *parts) {
      row.Append(Encoded(part, row), false);
    }
  } else {
    row = row_;
    row.Append(Encoded(NotYetRead(parts->back()), row), false);
  }
  request.sampling.n = 1;
  request.sampling.temperature = sampling_.temperature;
  request.sampling.top_p = sampling_.top_p;
  const int most = sampling_.max_tokens.value_or(llm::kDefaultMaxTokens);
  request.sampling.max_tokens = std::min(most, request.sampling.max_tokens.value_or(most));
  request.sampling.seed = seed_of_(answers_++);
  request.sampling.stop.emplace_back(decoder::kMessageEnd);
  auto written = co_await write_(row.tokens, std::move(request), std::move(context));
  if (!written) co_return Fail(written.error());
  const llm::Completion& answer = written->reply.completions.at(0);
  tool_calls_ += CallsIn(answer, answers_);
  if (!broken_off_) {
    row.Append(written->tokens.at(0), true);
    row_ = std::move(row);
    parts_ = *std::move(parts);
    parts_.push_back({.text = answer.text + std::string(decoder::kMessageEnd),
                      .answer = true,
                      .contents = {{0, answer.text.size()}}});
  }
  co_return std::move(written->reply);
}

std::string Transcript::Text() const {
  std::string text;
  for (const ChatPart& part : parts_) text += part.text;
  return text;
}

}  // namespace zermelo::train
