// Shortens what stands above a theorem, so that a prompt fits a model's context.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zermelo::data {

/// The imports and every command that gives the theorem its context (namespaces, sections, `open`,
/// `variable`, `universe`, `set_option`), and as many of the last other commands as fit in
/// `max_bytes` together with these; none if these alone are longer. Commands are kept or left out
/// as a whole, with the comments before them. Pure; any bytes are accepted.
std::string ShortHeader(std::string_view header, size_t max_bytes);

}  // namespace zermelo::data
