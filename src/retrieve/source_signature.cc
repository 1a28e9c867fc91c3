#include "retrieve/source_signature.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/file.h"
#include "retrieve/signature.h"

namespace zermelo::retrieve {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxSource = 16U << 20U;
constexpr std::string_view kDeclaring[] = {"theorem", "lemma", "def", "abbrev", "axiom", "opaque"};

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Returns the text without comments (doc comments included). Each run of whitespace becomes one
/// space, or one line break if an alternative (`| 0 => …`) begins the next line.
std::string WithoutComments(std::string_view text) {
  std::string plain;
  const auto blank = [&] {
    if (!plain.empty() && plain.back() != ' ') plain += ' ';
  };
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("--")) {
      i = std::min(text.find('\n', i), text.size());
      blank();
    } else if (text.substr(i).starts_with("/-")) {
      int depth = 0;
      do {
        const std::string_view rest = text.substr(i);
        const bool opens = rest.starts_with("/-");
        const bool closes = rest.starts_with("-/");
        depth += opens ? 1 : closes ? -1 : 0;
        i += opens || closes ? 2 : 1;
      } while (depth > 0 && i < text.size());
      blank();
    } else if (IsBlank(text[i])) {
      const size_t next = std::min(text.find_first_not_of(" \n\r\t", i), text.size());
      const bool breaks = text.substr(i, next - i).find('\n') != std::string_view::npos;
      if (breaks && text.substr(next).starts_with("| ")) {
        plain += '\n';
      } else {
        blank();
      }
      i = next;
    } else {
      plain += text[i++];
    }
  }
  return plain;
}

std::string_view NextWord(std::string_view* text) {
  const size_t begin = std::min(text->find_first_not_of(" \n"), text->size());
  const size_t end = std::min(text->find_first_of(" \n({[:", begin), text->size());
  const std::string_view word = text->substr(begin, end - begin);
  text->remove_prefix(end);
  return word;
}

/// The text up to the value, which begins outside all brackets.
std::string_view UpToValue(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    if (rest.starts_with("(") || rest.starts_with("{") || rest.starts_with("[")) ++depth;
    if (rest.starts_with(")") || rest.starts_with("}") || rest.starts_with("]")) --depth;
    if (depth < 0) return {};
    const bool value =
        rest.starts_with(":=") || rest.starts_with("where ") || rest.starts_with("\n| ");
    if (depth == 0 && value) return text.substr(0, i);
  }
  return depth == 0 && !quoted ? text : std::string_view();
}

/// Names of the binders in round brackets.
std::set<std::string> ExplicitNames(std::string_view signature) {
  std::set<std::string> names;
  int depth = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (depth == 0 && c == ':') break;
    if (depth == 0 && c == '(') {
      std::string name;
      for (size_t j = i + 1; j < signature.size() && signature[j] != ':' && signature[j] != ')';
           ++j) {
        if (signature[j] != ' ') {
          name += signature[j];
        } else if (!name.empty()) {
          names.insert(std::move(name));
          name.clear();
        }
      }
      if (!name.empty()) names.insert(std::move(name));
    }
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
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
  const std::string plain = WithoutComments(declaration);
  std::string_view rest = plain;
  // Skip the attributes and modifiers before the keyword.
  for (int words = 0;; ++words) {
    constexpr int kMostWords = 60;
    const std::string_view word = NextWord(&rest);
    if (std::find(std::begin(kDeclaring), std::end(kDeclaring), word) != std::end(kDeclaring))
      break;
    if (rest.empty() || words > kMostWords) return "";
    if (word.empty()) rest.remove_prefix(1);
  }
  std::string_view written = NextWord(&rest);
  written = written.substr(0, written.find(".{"));
  const bool same = name == written || (name.ends_with(written) && !written.empty() &&
                                        name[name.size() - written.size() - 1] == '.');
  if (!same) return "";
  std::string_view signature = UpToValue(rest);
  while (signature.starts_with(' ')) signature.remove_prefix(1);
  while (signature.ends_with(' ')) signature.remove_suffix(1);
  if (signature.empty() || signature.size() > kMaxSignature) return "";
  const auto mine = ExplicitNames(signature);
  const auto all = ExplicitNames(printed);
  if (!std::includes(mine.begin(), mine.end(), all.begin(), all.end())) return "";
  return std::string(signature);
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
