#include "eval/library/library_splits.h"

#include "core/text.h"
#include "eval/corelib-test.txt.h"
#include "eval/corelib-train.txt.h"
#include "eval/corelib-valid.txt.h"

namespace zermelo::eval {

void LibrarySplits::Add(const std::string& split, std::string_view text) {
  std::string module;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string word(core::Trim(line));
    if (word.empty() || line.starts_with('#')) continue;
    if (line.starts_with("  ")) {
      by_theorem_[module + ' ' + word] = split;
    } else {
      module = word;
      modules_[split].insert(module);
    }
  }
}

const std::string& LibrarySplits::SplitOf(const std::string& module,
                                          const std::string& theorem) const {
  static const std::string none;
  const auto found = by_theorem_.find(module + ' ' + theorem);
  return found == by_theorem_.end() ? none : found->second;
}

bool LibrarySplits::Has(const std::string& split, const std::string& module) const {
  const auto found = modules_.find(split);
  return found != modules_.end() && found->second.contains(module);
}

const LibrarySplits& CorelibSplits() {
  static const LibrarySplits splits = [] {
    LibrarySplits read;
    read.Add("train", kCorelibTrain);
    read.Add("valid", kCorelibValid);
    read.Add("test", kCorelibTest);
    return read;
  }();
  return splits;
}

}  // namespace zermelo::eval
