// Which `sorry`s of a file no proof can replace, according to Lean.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lean/worker.h"
#include "syntax/file.h"

namespace zermelo::engine {

/// A text whose check, with references, says which `sorry`s of instances are data, and which
/// statements of theorems name a definition that has a `sorry`, perhaps by way of others: any proof
/// of these depends on that `sorry`, too. Lean is asked only if the code gives a reason; what it
/// does not report counts as provable.
class UnprovableQuestion {
 public:
  explicit UnprovableQuestion(const syntax::File& file);

  bool empty() const { return suspects_.empty() && !defines_with_sorry_; }
  const std::string& text() const { return text_; }
  void Answer(const lean::CheckResult& result);

  /// `hole`: where it begins in the file.
  bool IsData(size_t hole) const;
  /// The definition with a `sorry` that the declaration's statement depends on; empty: none.
  std::string MissingFrom(size_t declaration) const;

 private:
  struct Suspect {
    size_t hole = 0;             // in the file
    syntax::TextRange in_place;  // of what takes its place in the text
    bool is_data = false;
  };
  /// `names`: of constants, by where the text names them.
  void FollowNames(const std::multimap<size_t, std::string>& names);

  std::string text_;
  std::vector<Suspect> suspects_;
  bool defines_with_sorry_ = false;
  std::map<size_t, std::string> missing_;  // by declaration
};

}  // namespace zermelo::engine
