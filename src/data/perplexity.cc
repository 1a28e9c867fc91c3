#include "data/perplexity.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <memory>

#include "core/json.h"
#include "data/rows/row_parts.h"
#include "decoder/model_folder.h"
#include "decoder/scoring.h"

namespace zermelo::data {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using decoder::Token;
using nlohmann::json;

namespace {

struct Piece {
  std::string text;
  bool loss = false;
};

/// Empty for a chat.
std::vector<Piece> PiecesOf(const json& row) {
  std::vector<Piece> pieces;
  if (const auto segments = row.find("segments"); segments != row.end()) {
    for (const json& segment : *segments) {
      pieces.push_back({.text = segment.at("text"), .loss = segment.at("loss")});
    }
    return pieces;
  }
  const auto prompt = row.find("prompt");
  if (prompt == row.end() || !prompt->is_string()) return pieces;
  const auto completion = row.find("completion");
  pieces.push_back({.text = *prompt, .loss = completion == row.end()});
  if (completion != row.end()) pieces.push_back({.text = *completion, .loss = true});
  return pieces;
}

class ModelPerplexity {
 public:
  explicit ModelPerplexity(decoder::DecoderAndTokenizer model) : model_(std::move(model)) {}

  Result<std::optional<double>> Of(const Row& row) const {
    const auto pieces = PiecesOf(row.json);
    if (pieces.empty()) {
      return Fail(
          ErrorCode::kUsage,
          fmt::format("a row of kind {} is a chat, which --perplexity cannot score", row.kind),
          "choose a completion format, or name a file with the perplexity of each row");
    }
    std::vector<Token> tokens;
    std::vector<bool> learnt;
    for (const Piece& piece : pieces) Append(piece, tokens, learnt);
    const auto& config = model_.decoder.config();
    if (!row.json.contains("theorem") && !config.ends.empty()) {  // as the trainer does
      tokens.push_back(config.ends.front());
      learnt.push_back(true);
    }
    if (tokens.empty() || tokens.size() > config.context) return std::nullopt;
    const auto logprobs = decoder::LogProbabilities(model_.decoder, tokens);
    double sum = 0;
    size_t count = 0;
    for (size_t i = 1; i < tokens.size(); ++i) {
      if (!learnt[i]) continue;
      sum += logprobs[i - 1];
      ++count;
    }
    if (count == 0) return std::nullopt;
    return std::exp(-sum / static_cast<double>(count));
  }

 private:
  /// The first text is encoded as the decoder encodes a prompt.
  void Append(const Piece& piece, std::vector<Token>& tokens, std::vector<bool>& learnt) const {
    const auto more = tokens.empty() ? model_.tokenizer.Encode(piece.text)
                                     : model_.tokenizer.EncodeContinuation(piece.text);
    tokens.insert(tokens.end(), more.begin(), more.end());
    learnt.resize(tokens.size(), piece.loss);
  }

  const decoder::DecoderAndTokenizer model_;
};

/// Of what a model scores: pass rates and labels may be other ones in another export.
std::string ScoredKey(const json& row) {
  json scored = json::object();
  for (const char* field : {"prompt", "completion", "segments", "messages"}) {
    if (const auto found = row.find(field); found != row.end()) scored[field] = *found;
  }
  return ContentKey(scored);
}

using Numbers = std::map<std::string, double>;  // by ScoredKey

Result<Numbers> ReadNumbers(const fs::path& path) {
  std::ifstream file(path);
  Numbers numbers;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const json row = core::JsonOrDiscarded(line);
    const auto value = row.is_object() ? row.find("perplexity") : row.end();
    if (!row.is_object() || value == row.end() || !value->is_number()) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("{}:{}: this is not a row with a `perplexity`", path.string(), number),
          "give the folder of a model, or rows of `zermelo export` with a number each");
    }
    numbers[ScoredKey(row)] = value->get<double>();
  }
  if (!file.eof() || file.bad()) return Fail(ErrorCode::kInput, "cannot read " + path.string());
  return numbers;
}

/// Machines differ in the last digits.
double Rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

}  // namespace

Result<Perplexity> PerplexityFrom(const fs::path& source) {
  std::error_code ignored;
  if (fs::is_directory(source, ignored)) {
    auto loaded = decoder::LoadModelFolder(source);
    if (!loaded) return Fail(loaded.error());
    const auto model = std::make_shared<const ModelPerplexity>(std::move(*loaded));
    return [model](const Row& row) { return model->Of(row); };
  }
  auto read = ReadNumbers(source);
  if (!read) return Fail(read.error());
  return [numbers = *std::move(read)](const Row& row) -> Result<std::optional<double>> {
    const auto found = numbers.find(ScoredKey(row.json));
    if (found == numbers.end()) return std::nullopt;
    return found->second;
  };
}

core::Status DropTails(const Perplexity& perplexity, const Tails& tails, Filtered& filtered) {
  std::map<std::string, std::vector<std::pair<double, size_t>>> by_kind;  // with the row's index
  for (size_t i = 0; i < filtered.rows.size(); ++i) {
    Row& row = filtered.rows[i];
    const auto value = perplexity(row);
    if (!value) return Fail(value.error());
    if (!*value || !std::isfinite(**value)) continue;
    row.json["perplexity"] = Rounded(**value);
    by_kind[row.kind].emplace_back(**value, i);
  }
  std::vector<bool> kept(filtered.rows.size(), false);
  for (auto& [kind, values] : by_kind) {
    std::ranges::sort(values);
    const auto share = [&](double part) {
      return static_cast<size_t>(part * static_cast<double>(values.size()));
    };
    for (size_t i = share(tails.lower); i < values.size() - share(tails.upper); ++i) {
      kept[values[i].second] = true;
    }
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) rows.push_back(std::move(filtered.rows[i]));
  }
  filtered.removed["perplexity"] = kept.size() - rows.size();
  filtered.rows = std::move(rows);
  return {};
}

}  // namespace zermelo::data
