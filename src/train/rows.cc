#include "train/rows.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <sstream>

#include "core/file.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

void Append(const std::vector<decoder::Token>& tokens, bool learnt, Row& row) {
  row.tokens.insert(row.tokens.end(), tokens.begin(), tokens.end());
  row.learnt.resize(row.tokens.size(), learnt);
}

/// The first text of a row is encoded as the decoder encodes a prompt. Throws json::exception.
void AppendText(const std::string& text, bool learnt, const decoder::Tokenizer& tokenizer,
                Row& row) {
  Append(row.tokens.empty() ? tokenizer.Encode(text) : tokenizer.EncodeContinuation(text), learnt,
         row);
}

Row RowOf(const json& object, const decoder::Tokenizer& tokenizer) {
  Row row;
  if (object.contains("segments")) {
    for (const json& segment : object.at("segments")) {
      AppendText(segment.at("text").get<std::string>(), segment.at("loss").get<bool>(), tokenizer,
                 row);
    }
  } else {
    AppendText(object.at("prompt").get<std::string>(), false, tokenizer, row);
    AppendText(object.at("completion").get<std::string>(), true, tokenizer, row);
  }
  return row;
}

/// Why a row cannot be used; empty if it can.
std::string WhyUnusable(const Row& row) {
  const bool learns = std::find(row.learnt.begin() + 1, row.learnt.end(), true) != row.learnt.end();
  return learns ? "" : "nothing in it is learnt";
}

/// The same on every machine, unlike std::shuffle.
void Shuffle(std::vector<size_t>& order, std::mt19937_64& random) {
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

at::Tensor Integers(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

}  // namespace

Result<RowFile> ReadRows(const std::filesystem::path& path, const decoder::Tokenizer& tokenizer,
                         const std::vector<int32_t>& ends, size_t context, bool drop_long) {
  std::ifstream file(path);
  if (!file) return Fail(ErrorCode::kInput, "cannot read " + path.string());
  RowFile out;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    const auto fail = [&](const std::string& why, const std::string& hint = "") {
      return Fail(ErrorCode::kInput, fmt::format("{}:{}: {}", path.string(), number, why), hint);
    };
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Row row;
    try {
      row = RowOf(json::parse(line), tokenizer);
    } catch (const json::exception& error) {
      return fail(error.what(), "a row has `prompt` and `completion`, or `segments`");
    }
    if (!row.tokens.empty() && !ends.empty()) Append({ends.front()}, row.learnt.back(), row);
    if (row.tokens.size() > context) {
      if (!drop_long) {
        return fail(fmt::format("the row has {} tokens, more than a context of {}",
                                row.tokens.size(), context),
                    "use --drop-long to leave such rows out, or another --context");
      }
      ++out.dropped;
      continue;
    }
    if (row.tokens.empty()) return fail("the row is empty");
    if (const std::string why = WhyUnusable(row); !why.empty()) return fail(why);
    out.rows.push_back(std::move(row));
  }
  if (file.bad()) return Fail(ErrorCode::kInput, "cannot read " + path.string());
  if (out.rows.empty()) return Fail(ErrorCode::kInput, path.string() + " has no rows to train on");
  return out;
}

Result<std::vector<std::string>> TextsOf(const std::filesystem::path& path) {
  constexpr size_t kMost = size_t{4} << 30U;
  auto text = core::ReadTextFile(path, kMost);
  if (!text) return Fail(text.error());
  if (path.extension() != ".jsonl") return std::vector{std::move(*text)};
  std::vector<std::string> texts;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      const json object = json::parse(line);
      std::string& whole = texts.emplace_back();
      if (object.contains("segments")) {
        for (const json& segment : object.at("segments"))
          whole += segment.at("text").get<std::string>();
      } else {
        whole = object.at("prompt").get<std::string>() + object.at("completion").get<std::string>();
      }
    } catch (const json::exception& error) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}:{}: {}", path.string(), texts.size(), error.what()));
    }
  }
  return texts;
}

std::vector<Pack> MakePacks(std::span<const Row> rows, size_t context, uint64_t seed,
                            uint64_t epoch) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::seed_seq both{seed, seed >> 32U, epoch};
  std::mt19937_64 random(both);
  Shuffle(order, random);
  std::vector<Pack> packs;
  size_t room = 0;
  for (const size_t index : order) {
    const size_t length = rows[index].tokens.size();
    if (packs.empty() || length > room) {
      packs.emplace_back();
      room = context;
    }
    packs.back().push_back(index);
    room -= length;
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
