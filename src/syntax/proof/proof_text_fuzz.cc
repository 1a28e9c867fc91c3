// libFuzzer target: every function on Lean text accepts any bytes and keeps what lies outside a
// hole.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/text.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckTokens(std::string_view text) {
  size_t end = 0;
  for (const auto& token : zermelo::syntax::Lex(text)) {
    Require(token.begin >= end && token.end > token.begin && token.end <= text.size());
    end = token.end;
  }
}

void CheckDeclarations(std::string_view text) {
  for (const auto& declaration : zermelo::syntax::FindDeclarations(text)) {
    zermelo::syntax::StatementOnly(text, declaration);
    for (const auto& hole : declaration.holes) {
      const auto splice = zermelo::syntax::SpliceProof(text, hole, "simp\nrfl -- done");
      Require(splice.text.ends_with(text.substr(hole.end)));
      Require(splice.begin < splice.end && splice.end <= splice.text.size());
    }
  }
}

void CheckBlock(std::string_view text) {
  size_t end = 0;
  for (const auto& segment : zermelo::syntax::SplitTactics(text)) {
    Require(segment.begin >= end && segment.code_begin >= segment.begin);
    Require(segment.end > segment.code_begin && segment.end <= text.size());
    const auto kept = zermelo::syntax::TruncateAtError(text, segment.code_begin);
    Require(kept.size() <= segment.end && text.starts_with(kept));
    end = segment.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const zermelo::core::LineIndex index(text);
  for (size_t i = 0; i <= size; ++i) Require(index.FromUtf16(index.ToUtf16(i)) <= i);
  CheckTokens(text);
  CheckDeclarations(text);
  CheckBlock(text);
  zermelo::syntax::IsSelfContained(text);
  Require(zermelo::syntax::HeaderEnd(text) <= size);
  zermelo::syntax::ImportedModules(text);
  return 0;
}
