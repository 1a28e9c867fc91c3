#include "kernel/term/names.h"

#include <algorithm>
#include <string_view>

namespace zermelo::kernel {

namespace {

// `stem` followed by digits only.
bool IsNumbered(std::string_view text, std::string_view stem) {
  if (!text.starts_with(stem) || text.size() == stem.size()) return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(stem.size()), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

NameId PrivatePrefix(const Terms& terms, NameId name) {
  NameId prefix = NameId::kAnonymous;
  for (NameId n = name; n != NameId::kAnonymous; n = terms[n].prefix) {
    if (terms[n].numeric) prefix = n;
    if (terms[n].prefix != NameId::kAnonymous) continue;
    const bool is_private = !terms[n].numeric && terms.Text(terms[n].part) == "_private";
    return is_private && prefix != name ? prefix : NameId::kAnonymous;
  }
  return NameId::kAnonymous;
}

bool IsAuxiliary(const Terms& terms, NameId name) {
  const NameId prefix = PrivatePrefix(terms, name);
  for (; name != NameId::kAnonymous && name != prefix; name = terms[name].prefix) {
    if (terms[name].numeric) return true;
    const std::string_view part = terms.Text(terms[name].part);
    if (part.starts_with('_') || IsNumbered(part, "match_") || IsNumbered(part, "proof_"))
      return true;
  }
  return false;
}

bool IsMacroScoped(const Terms& terms, NameId name) {
  for (; name != NameId::kAnonymous; name = terms[name].prefix) {
    if (!terms[name].numeric && terms.Text(terms[name].part) == "_hyg") return true;
  }
  return false;
}

bool IsGenerated(const Terms& terms, NameId name) {
  if (IsAuxiliary(terms, name)) return true;
  if (name == NameId::kAnonymous || terms[name].prefix == NameId::kAnonymous) return false;
  constexpr std::string_view kLast[] = {
      "eq_def",        "eq_unfold",          "congr_simp", "splitter",
      "induct",        "induct_unfolding",   "fun_cases",  "fun_cases_unfolding",
      "mutual_induct", "partial_correctness"};
  const std::string_view last = terms.Text(terms[name].part);
  return std::find(std::begin(kLast), std::end(kLast), last) != std::end(kLast) ||
         IsNumbered(last, "eq_") || IsNumbered(last, "congr_eq_") || IsNumbered(last, "hcongr_");
}

NameId WithoutGenerated(const Terms& terms, NameId name) {
  const NameId none = PrivatePrefix(terms, name);
  NameId owner = name;
  while (owner != NameId::kAnonymous && owner != none && IsGenerated(terms, owner)) {
    owner = terms[owner].prefix;
  }
  return owner == NameId::kAnonymous || owner == none ? name : owner;
}

}  // namespace zermelo::kernel
