#include "train/model/bpe.h"

#include <map>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>
#include <unordered_map>

#include "decoder/tokenizer/byte_characters.h"
#include "decoder/tokenizer/pre_tokenizer.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr const char* kEnd = "<|end|>";
constexpr size_t kBytes = 256;

const json kPreTokenizer = {{"type", "ByteLevel"},
                            {"add_prefix_space", false},
                            {"trim_offsets", true},
                            {"use_regex", true}};

using Pair = std::pair<size_t, size_t>;  // of tokens

/// A piece of text that occurs `count` times.
struct Word {
  std::vector<size_t> tokens;
  int64_t count = 0;
};

class Learner {
 public:
  explicit Learner(const std::map<std::string, int64_t, std::less<>>& pieces) {
    for (size_t byte = 0; byte < kBytes; ++byte) tokens_.push_back(decoder::CharacterOfByte(byte));
    for (const auto& [piece, count] : pieces) {
      Word word{.tokens = {}, .count = count};
      for (const char c : piece) word.tokens.push_back(static_cast<unsigned char>(c));
      words_.push_back(std::move(word));
      Count(words_.size() - 1, 1);
    }
    for (const auto& [pair, count] : counts_) queue_.emplace(count, pair);
  }

  /// Merges the most frequent pair; false if none occurs twice.
  bool Merge() {
    while (!queue_.empty()) {
      const auto [count, pair] = queue_.top();
      queue_.pop();
      if (count < 2) return false;
      if (counts_[pair] == count) {
        Apply(pair);
        return true;
      }
    }
    return false;
  }

  const std::vector<std::string>& tokens() const { return tokens_; }
  const json& merges() const { return merges_; }

 private:
  struct Less {  // the greatest is merged first: frequent, then of small tokens
    bool operator()(const std::pair<int64_t, Pair>& a, const std::pair<int64_t, Pair>& b) const {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    }
  };

  /// Adds (1) or removes (-1) a word's pairs.
  void Count(size_t index, int64_t sign) {
    const Word& word = words_[index];
    for (size_t i = 0; i + 1 < word.tokens.size(); ++i) {
      const Pair pair{word.tokens[i], word.tokens[i + 1]};
      counts_[pair] += sign * word.count;
      changed_.insert(pair);
      if (sign > 0) places_[pair].insert(index);
    }
  }

  void Apply(const Pair& pair) {
    const size_t merged = tokens_.size();
    tokens_.push_back(tokens_[pair.first] + tokens_[pair.second]);
    merges_.push_back({tokens_[pair.first], tokens_[pair.second]});
    changed_.clear();
    const std::set<size_t> places = std::move(places_[pair]);
    places_.erase(pair);
    for (const size_t index : places) {
      Count(index, -1);
      std::vector<size_t>& old = words_[index].tokens;
      std::vector<size_t> tokens;
      for (size_t i = 0; i < old.size(); ++i) {
        const bool here = i + 1 < old.size() && old[i] == pair.first && old[i + 1] == pair.second;
        tokens.push_back(here ? merged : old[i]);
        if (here) ++i;
      }
      old = std::move(tokens);
      Count(index, 1);
    }
    for (const Pair& other : changed_) {
      if (counts_[other] > 0) queue_.emplace(counts_[other], other);
    }
  }

  std::vector<std::string> tokens_;  // as tokenizer.json writes them, by number
  json merges_ = json::array();
  std::vector<Word> words_;
  std::map<Pair, int64_t> counts_;
  std::map<Pair, std::set<size_t>> places_;  // words that have or had the pair
  std::set<Pair> changed_;                   // pairs whose counts one merge has changed
  // Counts may be out of date: then the right one is in the queue as well.
  std::priority_queue<std::pair<int64_t, Pair>, std::vector<std::pair<int64_t, Pair>>, Less> queue_;
};

}  // namespace

Result<json> LearnTokenizer(const std::vector<std::string>& texts, size_t size) {
  if (size <= kBytes) return Fail(ErrorCode::kUsage, "a tokenizer has at least 257 tokens");
  const auto pre_tokenizer = decoder::PreTokenizer::Create(kPreTokenizer);
  if (!pre_tokenizer) return Fail(pre_tokenizer.error());
  std::map<std::string, int64_t, std::less<>> pieces;
  for (const std::string& text : texts) {
    for (const std::string_view piece : pre_tokenizer->Divide(text)) ++pieces[std::string(piece)];
  }
  Learner learner(pieces);
  while (learner.tokens().size() + 1 < size && learner.Merge()) {
  }
  json vocabulary{{kEnd, 0}};
  for (size_t i = 0; i < learner.tokens().size(); ++i) vocabulary[learner.tokens()[i]] = i + 1;
  json end{{"id", 0},         {"content", kEnd},     {"single_word", false}, {"lstrip", false},
           {"rstrip", false}, {"normalized", false}, {"special", true}};
  json model{{"type", "BPE"},
             {"dropout", nullptr},
             {"unk_token", nullptr},
             {"continuing_subword_prefix", nullptr},
             {"end_of_word_suffix", nullptr},
             {"fuse_unk", false},
             {"byte_fallback", false},
             {"ignore_merges", false},
             {"vocab", std::move(vocabulary)},
             {"merges", learner.merges()}};
  return json{{"version", "1.0"},          {"truncation", nullptr},
              {"padding", nullptr},        {"added_tokens", json::array({std::move(end)})},
              {"normalizer", nullptr},     {"pre_tokenizer", kPreTokenizer},
              {"post_processor", nullptr}, {"decoder", kPreTokenizer},
              {"model", std::move(model)}};
}

}  // namespace zermelo::train
