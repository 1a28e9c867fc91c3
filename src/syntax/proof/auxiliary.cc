#include "syntax/proof/auxiliary.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "syntax/commands.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"
#include "syntax/words.h"

namespace zermelo::syntax {

namespace {

constexpr WordSet kDefinitions({"abbrev", "class", "class abbrev", "class inductive", "def",
                                "inductive", "instance", "structure"});
constexpr WordSet kLemmas({"lemma", "theorem"});
constexpr WordSet kLeftOut({"example", "import", "prelude"});
// Options that only change how long Lean tries and how it reads binders.
constexpr WordSet kOptions({"autoImplicit", "maxHeartbeats", "maxRecDepth", "relaxedAutoImplicit",
                            "synthInstance.maxHeartbeats", "synthInstance.maxSize"});

/// The base of new names: the theorem's own, or its line.
std::string BaseName(const Theorem& theorem) {
  const std::string_view own = LastComponent(theorem.name);
  if (!own.empty() && own.find("\xC2\xAB") == std::string_view::npos) return AsNamePart(own);  // «
  const auto line = std::count(theorem.header.begin(), theorem.header.end(), '\n') + 1;
  return fmt::format("line_{}", line);
}

/// What the theorem's file declares before it, and the names that are free for more.
class FileNames {
 public:
  explicit FileNames(const Theorem& theorem)
      : taken_(theorem.taken.begin(), theorem.taken.end()),
        base_(BaseName(theorem)),
        theorem_(LastComponent(theorem.name)) {
    const File header(theorem.header);
    for (size_t i = 0; i < header.commands().size(); ++i) {
      commands_.insert(TokenKey(header.Slice(header.RangeOf(i))));
    }
    for (const Declaration& declaration : header.declarations()) {
      const std::string name(LastComponent(declaration.name));
      taken_.insert(name);
      signatures_.emplace(name, TokenKey(header.Slice(declaration.signature)));
    }
  }

  bool HasCommand(std::string_view text) const { return commands_.contains(TokenKey(text)); }

  /// Whether it has a definition of that name, or a theorem of that name with that statement.
  bool Declares(std::string_view name, std::string_view signature, bool is_lemma) const {
    const std::string last(LastComponent(name));
    if (last.empty()) return false;
    if (last == theorem_) return true;
    const auto [first, end] = signatures_.equal_range(last);
    if (first != end && !is_lemma) return true;
    const std::string key = TokenKey(signature);
    return std::any_of(first, end, [&](const auto& known) { return known.second == key; });
  }

  /// A simple name becomes BASE_NAME; in use already, with a prime, or with a number.
  std::string NewName(std::string_view name) {
    std::string wanted = AsNamePart(name);
    const std::string prefix = base_ + "_";
    if (!wanted.starts_with(prefix)) wanted.insert(0, prefix);
    for (size_t& tries = tries_[wanted];;) {
      const size_t number = tries++;
      std::string fresh = wanted;
      if (number == 1) fresh += '\'';
      if (number > 1) fresh += fmt::format("_{}", number);
      if (taken_.insert(fresh).second) return fresh;
    }
  }

 private:
  std::set<std::string, std::less<>> taken_;
  const std::string base_;
  const std::string theorem_;
  std::set<std::string> commands_;                      // their words
  std::multimap<std::string, std::string> signatures_;  // in words, by name
  std::map<std::string, size_t> tries_;                 // by the name without suffix
};

class ContextReader {
 public:
  ContextReader(const File& code, const Declaration& proved, const Theorem& theorem)
      : file_(code), theorem_(proved), tokens_(code.tokens()), names_(theorem) {}

  tl::expected<CommandsBefore, std::string> Run() {
    FindCommands();
    if (const std::string_view forbidden = Forbidden(); !forbidden.empty()) {
      return tl::unexpected(fmt::format("the reply must not contain `{}`", forbidden));
    }
    NameDeclarations();
    Sort();
    context_.auxiliary = Text(false);
    context_.auxiliary_in_context = Text(true);
    if (!IsBalanced(context_.auxiliary_in_context)) {
      return tl::unexpected(
          std::string("the code before the theorem has an unclosed bracket or comment"));
    }
    return std::move(context_);
  }

 private:
  struct Entry {
    std::string_view keyword;
    std::string_view text;
    const Declaration* declaration = nullptr;
    size_t scope = kNowhere;  // the index of the entry that opens the innermost scope
    bool kept = false;
    /// For a scope: a simple name declared in it is also simple at the theorem.
    bool is_simple = false;
  };

  void FindCommands() {
    std::map<size_t, const Declaration*> declared;  // by where they begin
    for (const Declaration& d : file_.declarations()) declared.emplace(d.range.begin, &d);
    std::vector<size_t> scopes;
    for (size_t i = 0; i < file_.commands().size(); ++i) {
      const TextRange range = file_.RangeOf(i);
      if (range.begin >= theorem_.range.begin) break;
      Entry entry;
      entry.keyword = file_.KeywordOf(i);
      entry.text = file_.Slice(range);
      const auto found = declared.find(range.begin);
      if (found != declared.end()) entry.declaration = found->second;
      if (entry.keyword == "end" && !scopes.empty()) {
        entry.scope = scopes.back();
        scopes.pop_back();
      } else if (!scopes.empty()) {
        entry.scope = scopes.back();
      }
      if (OpensScope(entry)) scopes.push_back(entries_.size());
      entries_.push_back(entry);
    }
    open_scopes_.insert(scopes.begin(), scopes.end());
    ReadChain();
  }

  /// `open … in` and `set_option … in` before the theorem itself.
  void ReadChain() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].begin < theorem_.range.begin) continue;
      const std::string_view word = file_.Word(i);
      if (tokens_[i].begin >= theorem_.signature.begin || word == theorem_.keyword) return;
      if (word != "open" && word != "set_option") continue;
      const size_t begin = tokens_[i].begin;
      while (i + 1 < tokens_.size() && file_.Word(i + 1) != "in") ++i;
      Entry entry;
      entry.keyword = word;
      entry.text = file_.Slice({begin, tokens_[i].end});
      chain_.push_back(entry);
    }
  }

  static bool OpensScope(const Entry& entry) {
    return entry.keyword == "namespace" || entry.keyword == "section" || entry.keyword == "mutual";
  }

  std::string_view Forbidden() const {
    static constexpr WordSet kAllowed({"", "end", "mutual", "namespace", "open", "section",
                                       "set_option", "universe", "variable"});
    for (size_t i = 0; i < entries_.size(); ++i) {
      const std::string_view word = entries_[i].keyword;
      const bool open_mutual = word == "mutual" && open_scopes_.contains(i);
      const bool known = kAllowed.Contains(word) || kLeftOut.Contains(word) || IsQuery(word) ||
                         kDefinitions.Contains(word) || kLemmas.Contains(word);
      if (open_mutual || !known) return word;
    }
    return {};
  }

  /// Simple names become BASE_NAME. Dotted names stay, since they belong to a namespace and may be
  /// used as `x.name`; so do names in a namespace of the reply.
  void NameDeclarations() {
    for (size_t i = 0; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      const bool outer = entry.scope == kNowhere || entries_[entry.scope].is_simple;
      const bool ended_namespace = entry.keyword == "namespace" && !open_scopes_.contains(i);
      entry.is_simple = outer && !ended_namespace;
      if (entry.declaration == nullptr || entry.keyword == "example") continue;
      const std::string& name = entry.declaration->name;
      entry.kept = !names_.Declares(name, file_.Slice(entry.declaration->signature),
                                    kLemmas.Contains(entry.declaration->keyword));
      if (!entry.kept || name.empty() || NameComponents(name).size() > 1) continue;
      if (!outer) continue;
      std::string renamed = names_.NewName(name);
      if (renamed == name) continue;
      context_.renaming.Add(name, entry.declaration->full_name, std::move(renamed));
    }
  }

  /// Decides which other commands are kept, and notes the context of the proof: what is set outside
  /// of all scopes that have ended.
  void Sort() {
    for (size_t i = 0; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      const bool in_force = entry.scope == kNowhere || open_scopes_.contains(entry.scope);
      if (entry.keyword == "variable" || entry.keyword == "universe") {
        entry.kept = !names_.HasCommand(entry.text);
      } else if (OpensScope(entry)) {
        entry.kept = !open_scopes_.contains(i);
      } else if (entry.keyword == "end") {
        entry.kept = entry.scope != kNowhere;
      } else if (entry.keyword == "open" || entry.keyword == "set_option") {
        entry.kept = IsPlain(entry);
        if (entry.kept && in_force) NoteContext(entry);
      }
    }
    for (const Entry& entry : chain_) {
      if (IsPlain(entry)) NoteContext(entry);
    }
  }

  void NoteContext(const Entry& entry) {
    auto& list = entry.keyword == "open" ? context_.opens : context_.options;
    list.push_back(TokenKey(entry.text));
  }

  /// Whether this is an `open` or an option that is allowed in a proof and missing in the file.
  bool IsPlain(const Entry& entry) const {
    if (names_.HasCommand(entry.text) || !IsBalanced(entry.text)) return false;
    const auto words = WordsOf(entry.text);
    if (entry.keyword == "open") return words.size() > 1 && words[1] != "private";
    return words.size() == 3 && kOptions.Contains(words[1]);
  }

  static bool IsContext(const Entry& entry) {
    return entry.keyword == "open" || entry.keyword == "set_option";
  }

  std::string Text(bool in_context) const {
    std::string text;
    bool needs_section = false, any = false;
    for (const Entry& entry : entries_) {
      if (!entry.kept || (IsContext(entry) && !in_context)) continue;
      any |= entry.declaration != nullptr;
      needs_section |= entry.declaration == nullptr;
      if (!text.empty()) text += entry.declaration != nullptr ? "\n" : "";
      text += context_.renaming.Apply(entry.text) + "\n";
    }
    if (!any) return "";
    return needs_section ? "section\n" + text + "end\n" : text;
  }

  const File& file_;
  const Declaration& theorem_;
  const std::vector<Token>& tokens_;
  FileNames names_;
  std::vector<Entry> entries_;    // the commands before the theorem
  std::vector<Entry> chain_;      // `open … in` and its like on the theorem itself
  std::set<size_t> open_scopes_;  // entries whose scope the theorem is in
  CommandsBefore context_;
};

}  // namespace

void Renaming::Add(std::string_view name, std::string_view full_name, std::string new_name) {
  names_.emplace(full_name, new_name);
  names_.emplace(name, std::move(new_name));
}

std::string Renaming::Apply(std::string_view code) const {
  const auto tokens = LexCode(code);
  std::string out;
  size_t copied = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kWord) continue;
    const bool is_member =
        i > 0 && tokens[i - 1].end == tokens[i].begin && WordAt(code, tokens, i - 1) == ".";
    const std::string_view before = i == 0 ? "" : WordAt(code, tokens, i - 1);
    const bool is_argument =
        WordAt(code, tokens, i + 1) == ":=" && (before == "(" || before == "{" || before == ",");
    if (is_member || is_argument) continue;
    const std::string_view word = WithoutRoot(TextOf(code, tokens[i]));
    const size_t begin = tokens[i].end - word.size();
    // The longest known name that it begins with.
    for (size_t end = word.size(); end != std::string_view::npos && end > 0;
         end = word.rfind('.', end - 1)) {
      const auto found = names_.find(word.substr(0, end));
      if (found == names_.end()) continue;
      out.append(code.substr(copied, begin - copied)).append(found->second);
      copied = begin + end;
      break;
    }
  }
  return out.append(code.substr(copied));
}

AuxiliaryText AuxiliaryFor(const Theorem& theorem,
                           std::span<const AuxiliaryDeclaration> declarations) {
  AuxiliaryText auxiliary;
  FileNames names(theorem);
  std::vector<std::string_view> kept;
  for (const AuxiliaryDeclaration& declaration : declarations) {
    const auto [name, signature, text, is_lemma] = declaration;
    if (names.Declares(name, signature, is_lemma)) continue;
    kept.push_back(text);
    if (name.empty() || NameComponents(name).size() > 1) continue;
    std::string renamed = names.NewName(name);
    if (renamed != name) auxiliary.renaming.Add(name, name, std::move(renamed));
  }
  for (const std::string_view text : kept) {
    if (!auxiliary.text.empty()) auxiliary.text += "\n";
    auxiliary.text += auxiliary.renaming.Apply(text) + "\n";
  }
  return auxiliary;
}

tl::expected<CommandsBefore, std::string> ReadCommandsBefore(const File& code,
                                                             const Declaration& proved,
                                                             const Theorem& theorem) {
  return ContextReader(code, proved, theorem).Run();
}

}  // namespace zermelo::syntax
