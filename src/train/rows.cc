#include "train/rows.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>

#include "core/files/file.h"
#include "decoder/tokenizer/chat.h"
#include "train/json_lines.h"
#include "train/shuffled_order.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr const char* kExpected = "a row has `prompt` and `completion`, `segments`, or `messages`";

struct Part {
  std::string text;
  bool learnt = false;
  std::vector<decoder::ByteRange> quoted = {};  // as in Tokenizer
};

/// The first text of a row is encoded as the decoder encodes a prompt.
void AppendPart(const Part& part, const decoder::Tokenizer& tokenizer, Row& row) {
  row.Append(row.tokens.empty() ? tokenizer.Encode(part.text, part.quoted)
                                : tokenizer.EncodeContinuation(part.text, part.quoted),
             part.learnt);
}

/// Adds the messages of a row to a chat. Throws json::exception.
core::Status AppendChat(const json& messages, std::vector<llm::Message>& chat) {
  for (const json& message : messages) {
    if (message.contains("tool_calls") || message.at("role") == "tool") {
      return Fail(ErrorCode::kInput, "the conversation has native tool calls",
                  "record conversations with the agent's protocol=text");
    }
    llm::Message& own = chat.emplace_back();
    own.role = message.at("role").get<std::string>();
    own.content = message.at("content").get<std::string>();
  }
  return {};
}

/// The parts of a chat, in which the answers within the first `asked` messages are not learnt.
Result<std::vector<Part>> PartsOf(const std::vector<llm::Message>& chat, size_t asked) {
  auto read = decoder::ChatParts(chat, false);
  if (!read) return Fail(read.error());
  auto given =
      std::count_if(chat.begin(), chat.begin() + static_cast<std::ptrdiff_t>(asked),
                    [](const llm::Message& message) { return message.role == "assistant"; });
  std::vector<Part> parts;
  for (decoder::ChatPart& part : *read) {
    const bool learnt = part.answer && given-- <= 0;
    parts.push_back({std::move(part.text), learnt, std::move(part.contents)});
  }
  return parts;
}

/// The parts of a row, in order. Throws json::exception.
Result<std::vector<Part>> PartsOf(const json& object) {
  std::vector<Part> parts;
  std::vector<llm::Message> chat;
  if (object.contains("messages")) {
    if (auto read = AppendChat(object.at("messages"), chat); !read) return Fail(read.error());
    return PartsOf(chat, 0);
  }
  if (object.contains("segments")) {
    for (const json& segment : object.at("segments")) {
      parts.push_back({segment.at("text").get<std::string>(), segment.at("loss").get<bool>()});
    }
    return parts;
  }
  const json& prompt = object.at("prompt");
  const json& completion = object.at("completion");
  if (prompt.is_array() && completion.is_array()) {
    if (auto read = AppendChat(prompt, chat); !read) return Fail(read.error());
    const size_t asked = chat.size();
    if (auto read = AppendChat(completion, chat); !read) return Fail(read.error());
    return PartsOf(chat, asked);
  }
  parts.push_back({prompt.get<std::string>(), false});
  parts.push_back({completion.get<std::string>(), true});
  return parts;
}

/// Whether a row was judged to be wrong. Throws json::exception.
bool IsRejected(const json& object) {
  return (object.contains("label") && !object.at("label").get<bool>()) ||
         (object.contains("reward") && object.at("reward").get<double>() < 0);
}

Result<Row> RowOf(const json& object, const decoder::Tokenizer& tokenizer) {
  const auto parts = PartsOf(object);
  if (!parts) return Fail(parts.error());
  Row row;
  for (const Part& part : *parts) AppendPart(part, tokenizer, row);
  return row;
}

/// The text of a row, of all of its parts. Throws json::exception.
Result<std::string> TextOf(const json& object) {
  const auto parts = PartsOf(object);
  if (!parts) return Fail(parts.error());
  std::string text;
  for (const Part& part : *parts) text += part.text;
  return text;
}

bool LearnsSomething(const Row& row) {
  return std::find(row.learnt.begin() + 1, row.learnt.end(), true) != row.learnt.end();
}

at::Tensor Integers(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

}  // namespace

void Row::Append(const std::vector<decoder::Token>& more, bool are_learnt) {
  tokens.insert(tokens.end(), more.begin(), more.end());
  learnt.resize(tokens.size(), are_learnt);
}

Result<RowFile> ReadRows(const std::filesystem::path& path, const decoder::Tokenizer& tokenizer,
                         const std::vector<int32_t>& ends, size_t context, bool drop_long) {
  RowFile out;
  const auto add = [&](const json& object) -> core::Status {
    if (IsRejected(object)) {
      ++out.rejected;
      return {};
    }
    auto read = RowOf(object, tokenizer);
    if (!read) return Fail(read.error());
    Row& row = *read;
    if (row.tokens.empty()) return Fail(ErrorCode::kInput, "the row is empty");
    if (!ends.empty()) row.Append({ends.front()}, row.learnt.back());
    if (row.tokens.size() > context && !drop_long) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the row has {} tokens, more than a context of {}", row.tokens.size(),
                              context),
                  "leave such rows out with --set drop_long=true, or set another context");
    }
    if (row.tokens.size() > context) {
      ++out.dropped;
      return {};
    }
    if (!LearnsSomething(row)) return Fail(ErrorCode::kInput, "no token of it carries loss");
    out.rows.push_back(std::move(row));
    return {};
  };
  auto read = ReadJsonLines(path, kExpected, add);
  if (!read) return Fail(read.error());
  if (!out.rows.empty()) return out;
  std::string what = path.string() + " has no rows to train on";
  if (out.dropped + out.rejected > 0) {
    what += fmt::format(" ({} too long, {} judged to be wrong)", out.dropped, out.rejected);
  }
  return Fail(ErrorCode::kInput, std::move(what));
}

Result<std::vector<std::string>> TextsOf(const std::filesystem::path& path) {
  std::vector<std::string> texts;
  if (path.extension() != ".jsonl") {
    constexpr size_t kMost = size_t{4} << 30U;
    auto text = core::ReadTextFile(path, kMost);
    if (!text) return Fail(text.error());
    texts.push_back(std::move(*text));
    return texts;
  }
  auto read = ReadJsonLines(path, kExpected, [&](const json& object) -> core::Status {
    auto text = TextOf(object);
    if (!text) return Fail(text.error());
    texts.push_back(*std::move(text));
    return {};
  });
  if (!read) return Fail(read.error());
  return texts;
}

std::vector<Pack> MakePacks(std::span<const Row> rows, size_t context, uint64_t seed,
                            uint64_t epoch) {
  std::seed_seq both{seed, seed >> 32U, epoch};
  std::mt19937_64 random(both);
  constexpr size_t kOpen = 32;  // packs that are still filled up, by the first row that fits
  std::vector<Pack> packs;
  std::vector<size_t> room;  // by pack
  for (const size_t index : ShuffledOrder(rows.size(), random)) {
    const size_t length = rows[index].tokens.size();
    size_t at = packs.size() - std::min(packs.size(), kOpen);
    while (at < packs.size() && length > room[at]) ++at;
    if (at == packs.size()) {
      packs.emplace_back();
      room.push_back(context);
    }
    packs[at].push_back(index);
    room[at] -= length;
  }
  return packs;
}

PackedRows Collate(std::span<const Row> rows, std::span<const Pack> packs) {
  size_t length = 0;
  bool single = true;
  for (const Pack& pack : packs) {
    size_t sum = 0;
    for (const size_t index : pack) sum += rows[index].tokens.size();
    length = std::max(length, sum);
    single = single && pack.size() == 1;
  }
  const size_t cells = packs.size() * length;
  std::vector<int64_t> tokens(cells, 0), positions(cells, 0), segments(cells, -1);
  std::vector<int64_t> places, targets, owners;
  int64_t row_number = 0;
  for (size_t p = 0; p < packs.size(); ++p) {
    size_t at = p * length;
    for (const size_t index : packs[p]) {
      const Row& row = rows[index];
      for (size_t i = 0; i < row.tokens.size(); ++i, ++at) {
        tokens[at] = row.tokens[i];
        positions[at] = static_cast<int64_t>(i);
        segments[at] = row_number;
        if (i == 0 || !row.learnt[i]) continue;
        places.push_back(static_cast<int64_t>(at) - 1);
        targets.push_back(row.tokens[i]);
        owners.push_back(row_number);
      }
      ++row_number;
    }
  }
  const auto grid = [&](const std::vector<int64_t>& values) {
    return Integers(values).view(
        {static_cast<int64_t>(packs.size()), static_cast<int64_t>(length)});
  };
  PackedRows out{.tokens = grid(tokens),
                 .positions = grid(positions),
                 .mask = {},
                 .places = Integers(places),
                 .targets = Integers(targets),
                 .owners = Integers(owners)};
  if (!single) {  // padding behind a single row is behind all that is learnt, so causal is enough
    const at::Tensor segment = grid(segments);
    const at::Tensor same = segment.unsqueeze(2) == segment.unsqueeze(1);
    const at::Tensor hidden = at::logical_not(same.tril());
    out.mask = at::zeros(hidden.sizes()).masked_fill_(hidden, -INFINITY).unsqueeze(1);
  }
  return out;
}

}  // namespace zermelo::train
