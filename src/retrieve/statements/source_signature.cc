#include "retrieve/statements/source_signature.h"

#include <algorithm>
#include <set>

#include "core/files/file.h"
#include "retrieve/statements/signature.h"
#include "syntax/declarations.h"
#include "syntax/proof/proof_text.h"
#include "syntax/signature.h"

namespace zermelo::retrieve {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxSource = 16U << 20U;
constexpr size_t kMaxDeclaration = 16'000;  // bytes; the signature is in them
// Those with a signature of their own: no structures, and no instances, whose names may be missing.
constexpr std::string_view kDeclaring[] = {"theorem", "lemma", "def", "abbrev", "axiom", "opaque"};

std::set<std::string> ExplicitNames(std::string_view signature) {
  std::set<std::string> names;
  for (const syntax::Binder& binder : syntax::ParseBinders(signature)) {
    if (binder.kind != syntax::BracketKind::kRound) continue;
    names.insert(binder.names.begin(), binder.names.end());
  }
  return names;
}

}  // namespace

fs::path FindSource(const fs::path& olean, const std::string& module) {
  fs::path relative;
  size_t levels = 1;
  for (size_t at = 0; at <= module.size();) {
    const size_t dot = std::min(module.find('.', at), module.size());
    relative /= module.substr(at, dot - at);
    if (dot < module.size()) ++levels;
    at = dot + 1;
  }
  relative += ".lean";
  fs::path library = olean;
  for (size_t i = 0; i < levels; ++i) library = library.parent_path();
  std::error_code ignored;
  for (const char* source : {"../../../..", "../../..", "../../src/lean"}) {
    // `.lake/build/lib/lean`, `.lake/build/lib` (before Lake 5), a toolchain's `lib/lean`.
    fs::path file = (library / source / relative).lexically_normal();
    if (fs::is_regular_file(file, ignored)) return file;
  }
  return {};
}

std::string SourceSignature(std::string_view declaration, std::string_view name,
                            std::string_view printed) {
  const auto declarations = syntax::FindDeclarations(declaration.substr(0, kMaxDeclaration));
  if (declarations.empty()) return "";
  const syntax::Declaration& found = declarations.front();
  if (std::ranges::find(kDeclaring, found.keyword) == std::end(kDeclaring)) return "";
  const bool same = name == found.name || name.ends_with("." + found.name);
  if (found.name.empty() || !same) return "";
  std::string_view written =
      declaration.substr(found.signature.begin, found.signature.end - found.signature.begin);
  if (written.starts_with(".{"))
    written.remove_prefix(std::min(written.find('}'), written.size() - 1) + 1);
  if (!syntax::IsBalanced(written)) return "";
  std::string signature = syntax::OnOneLine(written);
  if (signature.empty() || signature.size() > kMaxSignature) return "";
  const auto mine = ExplicitNames(signature);
  const auto all = ExplicitNames(printed);
  if (!std::includes(mine.begin(), mine.end(), all.begin(), all.end())) return "";
  return signature;
}

SourceLines::SourceLines(const fs::path& file) {
  if (file.empty()) return;
  auto text = core::ReadTextFile(file, kMaxSource);
  if (!text) return;
  text_ = std::move(*text);
  begins_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') begins_.push_back(i + 1);
  }
}

std::string_view SourceLines::Between(uint64_t first, uint64_t last) const {
  if (first == 0 || last < first || last > begins_.size()) return {};
  const size_t begin = begins_[first - 1];
  const size_t end = last < begins_.size() ? begins_[last] : text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace zermelo::retrieve
