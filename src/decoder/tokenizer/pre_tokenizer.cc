#include "decoder/tokenizer/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pcre2.h>

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

/// GPT-2's pattern, which ByteLevel uses unless use_regex is false.
constexpr std::string_view kByteLevel =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

std::string Quoted(const std::string& text) { return "\\Q" + text + "\\E"; }

}  // namespace

class PreTokenizer::Pattern {
 public:
  static Result<std::unique_ptr<Pattern>> Compile(std::string_view pattern) {
    int problem = 0;
    PCRE2_SIZE at = 0;
    auto* const code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                      PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &problem, &at, nullptr);
    if (code == nullptr) {
      return Fail(ErrorCode::kInput,
                  fmt::format("tokenizer.json: the pattern `{}` is wrong at byte {}", pattern, at));
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // without it, matching is slower
    return std::unique_ptr<Pattern>(new Pattern(code));
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    pcre2_match_data_free(match_);
    pcre2_code_free(code_);
  }

  /// Appends the matches in a piece and what lies between them.
  void Divide(std::string_view piece, std::vector<std::string_view>& out) const {
    size_t done = 0;
    for (size_t at = 0; at < piece.size();) {
      const int found = pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(piece.data()), piece.size(),
                                    at, 0, match_, nullptr);
      if (found <= 0) break;  // no match, or the limit of backtracking
      const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(match_);
      at = std::max(ends[1], at + 1);
      if (ends[0] >= ends[1]) continue;
      if (ends[0] > done) out.push_back(piece.substr(done, ends[0] - done));
      out.push_back(piece.substr(ends[0], ends[1] - ends[0]));
      done = ends[1];
    }
    if (done < piece.size()) out.push_back(piece.substr(done));
  }

 private:
  explicit Pattern(pcre2_code* code)
      : code_(code), match_(pcre2_match_data_create_from_pattern(code, nullptr)) {}

  pcre2_code* const code_;
  pcre2_match_data* const match_;
};

PreTokenizer::PreTokenizer() = default;
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;
PreTokenizer::~PreTokenizer() = default;

core::Status PreTokenizer::Add(const json& step) {
  const auto type = step.at("type").get<std::string>();
  std::string pattern;
  if (type == "Sequence") {
    for (const json& part : step.at("pretokenizers")) {
      if (auto added = Add(part); !added) return added;
    }
    return {};
  }
  if (type == "ByteLevel" && !step.value("add_prefix_space", false)) {
    if (!step.value("use_regex", true)) return {};
    pattern = kByteLevel;
  } else if (type == "Split" && step.value("behavior", "") == "Isolated" &&
             !step.value("invert", false)) {
    const json& given = step.at("pattern");
    pattern = given.contains("Regex") ? given.at("Regex").get<std::string>()
                                      : Quoted(given.at("String").get<std::string>());
  } else if (type == "Digits") {
    pattern = step.value("individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)";
  } else {
    return Fail(ErrorCode::kInput,
                fmt::format("tokenizer.json: the pre_tokenizer {} is not supported", type));
  }
  auto compiled = Pattern::Compile(pattern);
  if (!compiled) return Fail(compiled.error());
  patterns_.push_back(std::move(*compiled));
  return {};
}

Result<PreTokenizer> PreTokenizer::Create(const json& json) {
  PreTokenizer out;
  if (auto added = out.Add(json); !added) return Fail(added.error());
  return out;
}

std::vector<std::string_view> PreTokenizer::Divide(std::string_view text) const {
  std::vector<std::string_view> pieces;
  if (!text.empty()) pieces.push_back(text);
  for (const auto& pattern : patterns_) {
    std::vector<std::string_view> finer;
    for (const std::string_view piece : pieces) pattern->Divide(piece, finer);
    pieces = std::move(finer);
  }
  return pieces;
}

}  // namespace zermelo::decoder
