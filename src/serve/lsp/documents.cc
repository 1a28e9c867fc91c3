#include "serve/lsp/documents.h"

#include <charconv>
#include <fmt/format.h>

#include "serve/http/json_fields.h"

namespace zermelo::serve::lsp {

using core::LineIndex;
using nlohmann::json;

namespace {

int64_t VersionOf(const json& document) {
  const auto version = document.find("version");
  if (version == document.end() || !version->is_number_integer()) {
    throw BadRequest(kInvalid, "textDocument.version: must be an integer");
  }
  return version->get<int64_t>();
}

/// A required non-negative integer.
size_t NumberField(const json& object, const char* name) {
  if (!object.contains(name)) throw BadRequest(kInvalid, fmt::format("{}: is missing", name));
  return CountField(object, name, 0);
}

}  // namespace

json PositionJson(const LineIndex& lines, size_t offset, Encoding encoding) {
  const core::Utf16Position at = lines.ToUtf16(offset);
  const size_t bytes = offset - lines.LineBegin(at.line);
  return {{"line", at.line}, {"character", encoding == Encoding::kUtf8 ? bytes : at.column}};
}

json RangeJson(const LineIndex& lines, size_t begin, size_t end, Encoding encoding) {
  return {{"start", PositionJson(lines, begin, encoding)},
          {"end", PositionJson(lines, end, encoding)}};
}

size_t OffsetIn(const LineIndex& lines, const json& position, Encoding encoding) {
  if (!position.is_object()) throw BadRequest(kInvalid, "position: must be an object");
  const size_t line = NumberField(position, "line");
  const size_t column = NumberField(position, "character");
  if (encoding == Encoding::kUtf16 || line >= lines.line_count()) {
    return lines.FromUtf16({.line = line, .column = column});
  }
  const size_t begin = lines.LineBegin(line);
  const size_t offset = begin + std::min(column, lines.LineEnd(line) - begin);
  return lines.FromUtf16(lines.ToUtf16(offset));  // not inside a character
}

const json& ObjectField(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_object()) {
    throw BadRequest(kInvalid, fmt::format("{}: must be an object", name));
  }
  return *found;
}

std::string UriOf(const json& params) {
  return StringField(ObjectField(params, "textDocument"), "uri", "textDocument");
}

std::string PathOf(const std::string& uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return "";
  const size_t slash = uri.find('/', kFile.size());  // after the host, which is usually empty
  if (slash == std::string::npos) return "";
  std::string path;
  for (size_t i = slash; i < uri.size(); ++i) {
    unsigned code = 0;
    const char* const digits = uri.data() + i + 1;
    const bool escaped = uri[i] == '%' && i + 2 < uri.size() &&
                         std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    path += escaped ? static_cast<char>(code) : uri[i];
    if (escaped) i += 2;
  }
  return path;
}

void Documents::Open(const json& params) {
  const std::string uri = UriOf(params);
  Document& document = documents_[uri];
  document.lost = true;
  const json& opened = params.at("textDocument");
  document.version = VersionOf(opened);
  document.text = StringField(opened, "text", "textDocument");
  document.lost = false;
}

void Documents::Change(const json& params) {
  const auto found = documents_.find(UriOf(params));
  if (found == documents_.end()) throw BadRequest(kInvalid, "the document is not open");
  Document& document = found->second;
  const bool was_lost = std::exchange(document.lost, true);
  document.version = VersionOf(params.at("textDocument"));
  const auto changes = params.find("contentChanges");
  if (changes == params.end() || !changes->is_array()) {
    throw BadRequest(kInvalid, "contentChanges: must be an array");
  }
  bool lost = was_lost;
  for (const json& change : *changes) {
    if (!change.is_object()) throw BadRequest(kInvalid, "contentChanges: must have objects");
    const bool whole = !change.contains("range");
    if (whole) document.text = StringField(change, "text", "contentChanges");
    if (whole) lost = false;
    if (!whole && !lost) Apply(document, change);
  }
  document.lost = lost;
}

void Documents::Apply(Document& document, const json& change) const {
  const std::string text = StringField(change, "text", "contentChanges");
  const json& range = ObjectField(change, "range");
  const LineIndex lines(document.text);
  const size_t begin = OffsetIn(lines, ObjectField(range, "start"), encoding_);
  const size_t end = OffsetIn(lines, ObjectField(range, "end"), encoding_);
  if (begin > end) throw BadRequest(kInvalid, "range: it ends before it starts");
  document.text.replace(begin, end - begin, text);
}

void Documents::Close(const json& params) { documents_.erase(UriOf(params)); }

void Documents::LoseAll() {
  for (auto& [uri, document] : documents_) document.lost = true;
}

const Document* Documents::Find(const std::string& uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() || found->second.lost ? nullptr : &found->second;
}

bool Documents::IsLost(const std::string& uri) const {
  const auto found = documents_.find(uri);
  return found != documents_.end() && found->second.lost;
}

}  // namespace zermelo::serve::lsp
