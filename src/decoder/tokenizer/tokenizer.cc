#include "decoder/tokenizer/tokenizer.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <queue>
#include <utf8proc.h>

#include "core/files/file.h"
#include "core/json.h"
#include "decoder/tokenizer/byte_characters.h"

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kMaxFile = 256U << 20U;
constexpr int64_t kMostTokens = 1 << 24;
constexpr size_t kBytes = 256;

uint64_t PairKey(Token left, Token right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32U | static_cast<uint32_t>(right);
}

tl::unexpected<core::Error> Malformed(const std::string& what) {
  return Fail(ErrorCode::kInput, "tokenizer.json: " + what);
}

/// Unicode's normal form C (NFC) of a text; empty if it is the text itself (ASCII) or cannot be
/// made (no UTF-8).
std::string Composed(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return "";
  }
  utf8proc_uint8_t* made = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  return size > 0 ? std::string(reinterpret_cast<const char*>(made), static_cast<size_t>(size))
                  : "";
}

}  // namespace

Result<Tokenizer> Tokenizer::Read(const std::filesystem::path& path) {
  const auto text = core::ReadTextFile(path, kMaxFile);
  if (!text) return Fail(text.error());
  const auto json = core::ParseJson(*text);
  if (!json) return Malformed("it " + json.error().what);
  return Create(*json);
}

Result<Tokenizer> Tokenizer::Create(const json& file) {
  try {
    const json& model = file.at("model");
    if (model.value("type", "BPE") != "BPE") return Malformed("the model is not BPE");
    auto pre_tokenizer = PreTokenizer::Create(file.at("pre_tokenizer"));
    if (!pre_tokenizer) return Fail(pre_tokenizer.error());
    Tokenizer out(std::move(*pre_tokenizer));
    if (auto read = out.ReadNormalizer(file.value("normalizer", json())); !read) {
      return Fail(read.error());
    }
    out.whole_pieces_ = model.value("ignore_merges", false);
    if (auto read = out.ReadVocabulary(model.at("vocab")); !read) return Fail(read.error());
    if (auto read = out.ReadMerges(model.at("merges")); !read) return Fail(read.error());
    out.ReadAdded(file.value("added_tokens", json::array()));
    const auto read = out.ReadPostProcessor(file.value("post_processor", json()));
    if (!read) return Fail(read.error());
    return out;
  } catch (const json::exception& error) {
    return Malformed(error.what());
  }
}

core::Status Tokenizer::ReadNormalizer(const json& normalizer) {
  if (normalizer.is_null()) return {};
  const auto type = normalizer.at("type").get<std::string>();
  if (type == "Sequence") {
    for (const json& part : normalizer.at("normalizers")) {
      if (auto read = ReadNormalizer(part); !read) return read;
    }
    return {};
  }
  if (type != "NFC") return Malformed(fmt::format("it normalises texts ({})", type));
  composes_ = true;
  return {};
}

core::Status Tokenizer::ReadVocabulary(const json& vocabulary) {
  for (const auto& [written, number] : vocabulary.items()) {
    const auto token = number.get<int64_t>();
    if (token < 0 || token >= kMostTokens) return Malformed("the token of " + written);
    const auto bytes = BytesOf(written);
    if (!bytes) continue;  // an added token, spelled as it is
    tokens_.emplace(*bytes, static_cast<Token>(token));
    if (bytes_.size() <= static_cast<size_t>(token)) bytes_.resize(static_cast<size_t>(token) + 1);
    bytes_[static_cast<size_t>(token)] = *bytes;
  }
  for (size_t byte = 0; byte < kBytes; ++byte) {
    if (!tokens_.contains(std::string(1, static_cast<char>(byte)))) {
      return Malformed(fmt::format("no token for the byte {}", byte));
    }
  }
  return {};
}

core::Status Tokenizer::ReadMerges(const json& merges) {
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    std::string left, right;
    if (merges[rank].is_string()) {  // "left right", before tokenizers 0.20
      const auto both = merges[rank].get<std::string>();
      const size_t blank = both.find(' ');
      if (blank == std::string::npos) return Malformed("the merge " + both);
      left = both.substr(0, blank);
      right = both.substr(blank + 1);
    } else {
      left = merges[rank].at(0).get<std::string>();
      right = merges[rank].at(1).get<std::string>();
    }
    const auto a = BytesOf(left);
    const auto b = BytesOf(right);
    if (!a || !b || !tokens_.contains(*a) || !tokens_.contains(*b) || !tokens_.contains(*a + *b)) {
      return Malformed(fmt::format("the merge of {} and {} has an unknown token", left, right));
    }
    merges_.try_emplace(PairKey(tokens_.at(*a), tokens_.at(*b)),
                        Merge{.rank = rank, .result = tokens_.at(*a + *b)});
  }
  return {};
}

void Tokenizer::ReadAdded(const json& added) {
  for (const json& entry : added) {
    const auto token = entry.at("id").get<int64_t>();
    const auto content = entry.at("content").get<std::string>();
    if (token < 0 || token >= kMostTokens || content.empty()) continue;
    added_[content] = static_cast<Token>(token);
    if (bytes_.size() <= static_cast<size_t>(token)) bytes_.resize(static_cast<size_t>(token) + 1);
    bytes_[static_cast<size_t>(token)] = entry.value("special", false) ? "" : content;
  }
}

std::optional<Token> Tokenizer::Added(std::string_view text) const {
  const auto found = added_.find(text);
  return found == added_.end() ? std::nullopt : std::optional(found->second);
}

core::Status Tokenizer::ReadPostProcessor(const json& processor) {
  if (processor.is_null() || processor.at("type") == "ByteLevel") return {};
  if (processor.at("type") == "Sequence") {
    for (const json& part : processor.at("processors")) {
      if (auto read = ReadPostProcessor(part); !read) return read;
    }
    return {};
  }
  if (processor.at("type") != "TemplateProcessing") {
    return Malformed("the post_processor is not supported");
  }
  bool text_seen = false;
  for (const json& part : processor.at("single")) {
    if (part.contains("Sequence")) {
      text_seen = true;
      continue;
    }
    const auto name = part.at("SpecialToken").at("id").get<std::string>();
    for (const json& id : processor.at("special_tokens").at(name).at("ids")) {
      (text_seen ? after_ : before_).push_back(id.get<Token>());
    }
  }
  return {};
}

std::vector<Token> Tokenizer::Encode(std::string_view text,
                                     std::span<const ByteRange> quoted) const {
  std::vector<Token> out = before_;
  std::ranges::copy(EncodeContinuation(text, quoted), std::back_inserter(out));
  out.insert(out.end(), after_.begin(), after_.end());
  return out;
}

std::vector<Token> Tokenizer::EncodeContinuation(std::string_view text,
                                                 std::span<const ByteRange> quoted) const {
  std::vector<Token> out;
  size_t done = 0;
  for (size_t at = 0; at < text.size() && !added_.empty();) {
    const std::string_view rest = text.substr(at);
    const bool is_quoted = std::ranges::any_of(
        quoted, [&](ByteRange range) { return range.begin <= at && at < range.end; });
    // In alphabetical order, a longer token follows those that it begins with.
    std::optional<std::pair<size_t, Token>> longest;
    for (const auto& [content, token] : added_) {
      if (!rest.starts_with(content) || (is_quoted && Bytes(token).empty())) continue;
      longest = std::pair(content.size(), token);
    }
    if (!longest) {
      ++at;
      continue;
    }
    EncodePlain(text.substr(done, at - done), out);
    out.push_back(longest->second);
    done = at += longest->first;
  }
  EncodePlain(text.substr(done), out);
  return out;
}

void Tokenizer::EncodePlain(std::string_view text, std::vector<Token>& out) const {
  const std::string composed = composes_ ? Composed(text) : "";
  if (!composed.empty()) text = composed;
  for (const std::string_view piece : pre_tokenizer_.Divide(text)) EncodePiece(piece, out);
}

void Tokenizer::EncodePiece(std::string_view piece, std::vector<Token>& out) const {
  if (whole_pieces_) {
    if (const auto whole = tokens_.find(std::string(piece)); whole != tokens_.end()) {
      out.push_back(whole->second);
      return;
    }
  }
  constexpr size_t kNone = static_cast<size_t>(-1);
  struct Symbol {
    Token token;
    size_t previous, next;  // of the symbols that are left
    bool left = true;
  };
  struct Candidate {
    size_t rank, at;  // merges the symbol at `at` with the next one
    Token first, second, result;
    bool operator<(const Candidate& other) const {  // the greatest is merged first
      return std::pair(rank, at) > std::pair(other.rank, other.at);
    }
  };
  std::vector<Symbol> symbols;
  symbols.reserve(piece.size());
  for (size_t i = 0; i < piece.size(); ++i) {
    symbols.push_back({.token = tokens_.at(std::string(1, piece[i])),
                       .previous = i == 0 ? kNone : i - 1,
                       .next = i + 1 < piece.size() ? i + 1 : kNone});
  }
  std::priority_queue<Candidate> queue;
  const auto consider = [&](size_t at) {
    if (at == kNone || symbols[at].next == kNone) return;
    const Token first = symbols[at].token;
    const Token second = symbols[symbols[at].next].token;
    const auto merge = merges_.find(PairKey(first, second));
    if (merge == merges_.end()) return;
    queue.push({.rank = merge->second.rank,
                .at = at,
                .first = first,
                .second = second,
                .result = merge->second.result});
  };
  for (size_t i = 0; i < symbols.size(); ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& symbol = symbols[best.at];
    if (!symbol.left || symbol.token != best.first || symbol.next == kNone ||
        symbols[symbol.next].token != best.second) {
      continue;  // one of the two has been merged meanwhile
    }
    Symbol& merged = symbols[symbol.next];
    merged.left = false;
    symbol.token = best.result;
    symbol.next = merged.next;
    if (symbol.next != kNone) symbols[symbol.next].previous = best.at;
    consider(symbol.previous);
    consider(best.at);
  }
  for (const Symbol& symbol : symbols) {
    if (symbol.left) out.push_back(symbol.token);
  }
}

std::string_view Tokenizer::Bytes(Token token) const {
  if (token < 0 || static_cast<size_t>(token) >= bytes_.size()) return {};
  return bytes_[static_cast<size_t>(token)];
}

std::string Tokenizer::Decode(const std::vector<Token>& tokens) const {
  std::string out;
  for (const Token token : tokens) out += Bytes(token);
  return out;
}

}  // namespace zermelo::decoder
