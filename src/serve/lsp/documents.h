// The texts that an editor has open, as it reports them (LSP 3.17, "Text Document
// Synchronization").
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/text.h"

namespace zermelo::serve::lsp {

/// The unit in which columns are counted.
enum class Encoding : uint8_t { kUtf8, kUtf16 };

/// {"line", "character"} of a byte offset.
nlohmann::json PositionJson(const core::LineIndex& lines, size_t offset, Encoding encoding);
nlohmann::json RangeJson(const core::LineIndex& lines, size_t begin, size_t end, Encoding encoding);
/// The byte offset of a {"line", "character"}, clamped to the text. Throws BadRequest.
size_t OffsetIn(const core::LineIndex& lines, const nlohmann::json& position, Encoding encoding);

struct Document {
  std::string text;
  int64_t version = 0;
  /// A change could not be understood, so the text is not what the editor shows; the next change of
  /// the whole text restores it.
  bool lost = false;
};

class Documents {
 public:
  void Use(Encoding encoding) { encoding_ = encoding; }
  Encoding encoding() const { return encoding_; }

  /// The parameters of textDocument/didOpen, didChange and didClose. They throw BadRequest if a
  /// field is missing or wrong; the document is then lost.
  void Open(const nlohmann::json& params);
  void Change(const nlohmann::json& params);
  void Close(const nlohmann::json& params);
  /// To be called if a message could not be read: it may have been a change of any document.
  void LoseAll();

  /// Null: it is not open, or it is lost.
  const Document* Find(const std::string& uri) const;
  bool IsLost(const std::string& uri) const;

 private:
  void Apply(Document& document, const nlohmann::json& change) const;

  std::map<std::string, Document> documents_;  // by URI
  Encoding encoding_ = Encoding::kUtf16;
};

/// The URI of {"textDocument": {"uri"}}. Throws BadRequest.
std::string UriOf(const nlohmann::json& params);
/// A required object in an object. Throws BadRequest.
const nlohmann::json& ObjectField(const nlohmann::json& object, const char* name);
/// The path of a file: URI, decoded; empty for other URIs.
std::string PathOf(const std::string& uri);

}  // namespace zermelo::serve::lsp
