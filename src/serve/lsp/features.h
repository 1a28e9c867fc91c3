// The answers about a text: code lenses, code actions and hovers on its `sorry`s.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "serve/lsp/attempts.h"
#include "serve/lsp/documents.h"
#include "serve/lsp/sorries.h"

namespace zermelo::serve::lsp {

/// The commands of workspace/executeCommand. Their argument is an object with "uri"; except for
/// `kProveAll` also "position" and, optionally, "theorem" (SorryPlace::name); "model" is optional.
namespace command {
inline constexpr const char* kProve = "zermelo.prove";
inline constexpr const char* kDisprove = "zermelo.disprove";
inline constexpr const char* kProveAll = "zermelo.proveAll";
inline constexpr const char* kCancel = "zermelo.cancel";
}  // namespace command

/// One version of a text.
struct TextView {
  TextView(std::string uri_, const Document& document, Encoding encoding_)
      : uri(std::move(uri_)),
        text(document.text),
        lines(text),
        encoding(encoding_),
        sorries(FindSorries(text)) {}

  nlohmann::json RangeOf(const SorryPlace& place) const {
    return RangeJson(lines, place.hole.begin, place.hole.end, encoding);
  }

  const std::string uri;
  const std::string& text;
  const core::LineIndex lines;
  const Encoding encoding;
  const std::vector<SorryPlace> sorries;
};

/// `models`: their names in the configuration.
nlohmann::json CodeLenses(const TextView& view, const std::vector<std::string>& models,
                          const Attempts& attempts);
/// The actions on the `sorry`s at bytes [begin, end], or in the declarations there if there is
/// none. `literals`: the editor takes code actions, not only commands.
nlohmann::json CodeActions(const TextView& view, size_t begin, size_t end,
                           const std::vector<std::string>& models, const Attempts& attempts,
                           bool literals);
/// Null if nothing is known about a `sorry` at `offset`.
nlohmann::json Hover(const TextView& view, size_t offset, const Attempts& attempts, bool markdown);

}  // namespace zermelo::serve::lsp
