#include <fmt/format.h>

#include "eval/datasets/loaders.h"

namespace zermelo::eval {

using core::ErrorCode;
using core::Fail;

namespace {

class CsvReader {
 public:
  CsvReader(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  bool AtEnd() const { return at_ >= text_.size(); }
  size_t line() const { return line_; }

  core::Result<std::vector<std::string>> Row() {
    std::vector<std::string> values;
    while (true) {
      auto value = Value();
      if (!value) return Fail(value.error());
      values.push_back(std::move(*value));
      if (AtEnd()) return values;
      const char c = text_[at_++];
      if (c == ',') continue;
      if (c == '\r' && !AtEnd() && text_[at_] == '\n') ++at_;
      ++line_;
      return values;
    }
  }

 private:
  core::Result<std::string> Value() {
    if (AtEnd() || text_[at_] != '"') {
      const size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      std::string value(text_.substr(at_, end - at_));
      at_ = end;
      return value;
    }
    const size_t first_line = line_;
    std::string value;
    for (++at_; !AtEnd(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        if (AtEnd() || text_[at_] != '"') return AfterQuote(std::move(value));
      }
      if (text_[at_] == '\n') ++line_;
      value += text_[at_];
    }
    return Fail(ErrorCode::kInput, fmt::format("{}:{}: a quote is not closed", file_, first_line));
  }

  core::Result<std::string> AfterQuote(std::string value) const {
    if (AtEnd() || std::string_view(",\r\n").find(text_[at_]) != std::string_view::npos) {
      return value;
    }
    return Fail(ErrorCode::kInput,
                fmt::format("{}:{}: there is text after a closing quote", file_, line_));
  }

  const std::string& file_;
  const std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
};

}  // namespace

core::Result<std::vector<CsvRow>> ParseCsv(const std::string& file, std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // Excel's mark
  CsvReader reader(file, text);
  std::vector<CsvRow> rows;
  if (reader.AtEnd()) return rows;
  const auto names = reader.Row();
  if (!names) return Fail(names.error());
  while (!reader.AtEnd()) {
    CsvRow row;
    row.line = reader.line();
    const auto values = reader.Row();
    if (!values) return Fail(values.error());
    if (values->size() == 1 && values->front().empty()) continue;  // an empty line
    if (values->size() > names->size()) {
      return Fail(ErrorCode::kInput, fmt::format("{}:{}: {} values for {} columns", file, row.line,
                                                 values->size(), names->size()));
    }
    for (size_t i = 0; i < values->size(); ++i) row.values[(*names)[i]] = (*values)[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace zermelo::eval
