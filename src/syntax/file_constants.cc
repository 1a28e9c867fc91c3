#include "syntax/file_constants.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/text.h"
#include "syntax/section_context.h"
#include "syntax/signature.h"
#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

using ConstantKind = FileConstant::Kind;

constexpr WordSet kRelationWords({"=", "≠", "<", "≤", ">", "≥", "↔", "¬", "∣", "∈", "∉"});
constexpr WordSet kTheoremKeywords({"theorem", "lemma"});
constexpr WordSet kFunctionKeywords({"def", "abbrev"});
constexpr WordSet kOpaqueKeywords({"opaque", "axiom"});
constexpr WordSet kNoHelpers({"termination_by", "termination_by?", "decreasing_by", "deriving"});
constexpr WordSet kTypeKeywords({"inductive", "structure", "class", "class inductive"});
constexpr WordSet kNotationKeywords({"notation", "infix", "infixl", "infixr", "prefix", "postfix"});

// Names that `export` commands of Lean's library put into the root namespace.
constexpr std::string_view kExported =
    " and and_or_imp bind bind_assoc bind_map bind_pure_comp comp_map compare cond_eq_if "
    "cond_eq_ite decide default discard eq_of_beq failure false forIn forIn' forM get getElem hash "
    "id_map imp_and_neg_imp_iff imp_iff_right_iff insert insert_empty_eq isFalse isTrue map_const "
    "map_pure max min modifyGet monadLift monadMap none not not_imp not_imp_self ofExcept or pure "
    "pure_bind pure_seq read reprPrec seqLeft_eq seqRight_eq seq_assoc seq_pure set singleton "
    "sizeOf some throw toBool toString trans true tryCatch withReader xor ";

/// `opened`: namespaces are, one of which may have something of this name, too.
std::string ReferenceTo(const std::string& name, bool opened) {
  const bool ambiguous = (opened && !name.empty() && name.find('.') == std::string::npos) ||
                         kExported.find(fmt::format(" {} ", name)) != std::string_view::npos;
  return ambiguous ? "_root_." + name : name;
}

bool StartsUpper(std::string_view name) {
  return !name.empty() && std::isupper(static_cast<unsigned char>(name.front())) != 0;
}

bool HasWord(std::string_view code, const auto& words) {
  return std::ranges::any_of(WordsOf(code), [&](std::string_view word) { return words(word); });
}

/// Whether the value of a function has a pattern other than variables: `| n => if n < 10 then …`
/// has none.
bool HasPattern(std::string_view value) {
  const auto words = WordsOf(value);
  auto rest = words.begin();
  if (rest != words.end() && *rest == "|") {
    const auto end = std::find(rest, words.end(), "=>");
    const bool variables = std::all_of(rest + 1, end, [](std::string_view word) {
      const auto first = static_cast<unsigned char>(word.front());
      return word == "," || word == "_" || std::islower(first) != 0 ||
             (first >= 0x80 && word != "⟨" && word != "⟩");
    });
    if (!variables) return true;
    rest = end;
  }
  return std::any_of(rest, words.end(),
                     [](std::string_view word) { return word == "|" || word == "match"; });
}

/// The last word of a signature, or of a type: `Prop`, `Type`.
std::string_view LastWord(std::string_view code) {
  const auto words = WordsOf(code);
  return words.empty() ? std::string_view() : words.back();
}

class ConstantReader {
 public:
  explicit ConstantReader(const File& file) : file_(file), code_(file.text(), file.tokens()) {}

  std::vector<FileConstant> Read() {
    ReadNotations();
    for (size_t c = 0; c < file_.commands().size(); ++c) {
      for (size_t t = file_.commands()[c].begin; t <= file_.commands()[c].keyword; ++t) {
        opens_ = opens_ || file_.Word(t) == "open";  // also `open List in theorem …`
      }
    }
    for (size_t d = 0; d < file_.declarations().size(); ++d) {
      FollowSectionsTo(file_.declarations()[d].range.begin);
      ReadDeclaration(d);
    }
    std::ranges::stable_sort(constants_, {}, &FileConstant::declaration);
    return std::move(constants_);
  }

 private:
  void ReadNotations() {
    for (size_t c = 0; c < file_.commands().size(); ++c) {
      if (!kNotationKeywords.Contains(file_.KeywordOf(c))) continue;
      const TextRange range = file_.RangeOf(c);
      const std::string_view code = file_.Slice(range);
      FileConstant notation;
      notation.kind = ConstantKind::kNotation;
      for (const Token& token : LexCode(code)) {
        if (token.kind != TokenKind::kString) continue;
        std::string_view symbol = TextOf(code, token);
        if (symbol.size() > 2) symbol = core::Trim(symbol.substr(1, symbol.size() - 2));
        if (!symbol.empty()) notation.symbols.emplace_back(symbol);
      }
      const size_t arrow = code.rfind("=>");
      if (arrow == std::string_view::npos || notation.symbols.empty()) continue;
      notation.names = NamesIn(code.substr(arrow));
      const auto& all = file_.declarations();
      const auto next = std::ranges::find_if(
          all, [&](const Declaration& each) { return each.range.begin >= range.begin; });
      notation.declaration = static_cast<size_t>(next - all.begin());
      constants_.push_back(std::move(notation));
    }
  }

  /// Follows the commands that begin before a byte of the file.
  void FollowSectionsTo(size_t offset) {
    const auto& commands = file_.commands();
    for (; next_ < commands.size() && code_.tokens[commands[next_].begin].begin < offset; ++next_) {
      const bool last = next_ + 1 == commands.size();
      const size_t end = last ? code_.tokens.size() : commands[next_ + 1].begin;
      section_.Follow(code_, commands[next_], end);
    }
  }

  void ReadDeclaration(size_t index) {
    const Declaration& declaration = file_.declarations()[index];
    const std::string& keyword = declaration.keyword;
    FileConstant constant;
    constant.name = declaration.full_name;
    constant.reference =
        ReferenceTo(constant.name, opens_ && kTheoremKeywords.Contains(declaration.keyword));
    constant.signature = core::Trim(file_.Slice(declaration.signature));
    constant.declaration = index;
    if (kTheoremKeywords.Contains(keyword) && section_.has_variables()) {
      const LexedCode own(constant.signature);
      constant.signature =
          section_.BindersFor(MentionedIn(own, 0, own.tokens.size())) + constant.signature;
    }
    constant.names = NamesIn(constant.signature);
    CountParameters(&constant);
    const std::string_view value = file_.Slice(declaration.value);
    if (kTheoremKeywords.Contains(keyword)) {
      constant.kind = ConstantKind::kTheorem;
      constant.proof_names = NamesIn(value);
    } else if (keyword == "instance") {
      constant.kind = ConstantKind::kInstance;
      constant.value = value;
      constant.names.Add(NamesIn(value));
      const auto symbols = SymbolsIn(value);
      constant.symbols.assign(symbols.begin(), symbols.end());
    } else if (kFunctionKeywords.Contains(keyword)) {
      constant.kind =
          NamesAType(constant.signature, value) ? ConstantKind::kType : ConstantKind::kFunction;
      constant.proposition = GivesProp(constant.signature);
      if (constant.kind == ConstantKind::kType && GivesProp(value)) {
        predicate_types_.emplace(LastComponent(constant.name));
      }
      ReadBody(value, &constant);
      if (constant.kind == ConstantKind::kFunction) ReadHelpers(constant, value);
    } else if (kOpaqueKeywords.Contains(keyword)) {
      constant.kind = ConstantKind::kOpaque;
    } else if (kTypeKeywords.Contains(keyword)) {
      ReadType(declaration, &constant);
    } else {
      return;
    }
    if (constant.name.empty() && constant.kind != ConstantKind::kInstance) return;
    constants_.push_back(std::move(constant));
  }

  static void CountParameters(FileConstant* constant) {
    for (const Binder& binder : ParseBinders(constant->signature)) {
      if (binder.kind == BracketKind::kRound) constant->parameters += binder.names.size();
    }
  }

  static void ReadBody(std::string_view value, FileConstant* function) {
    const NameSet names = NamesIn(value);
    function->recursive = MayMean(names, function->name);
    function->endless = Writes(names, function->name) && !HasPattern(value);
    function->names.Add(names);
    const auto symbols = SymbolsIn(value);
    function->symbols.assign(symbols.begin(), symbols.end());
  }

  /// The functions after `where` (`f.go`), each at the column of the first one.
  void ReadHelpers(const FileConstant& function, std::string_view value) {
    const auto tokens = LexCode(value);
    if (WordAt(value, tokens, 0) == "where") return;  // the fields of a structure
    const size_t first = FindOutside(value, tokens, "where", 0, tokens.size()) + 1;
    for (size_t i = first; i < tokens.size();) {
      size_t end = i + 1;
      bool last = false;  // what follows is how a function ends
      for (; end < tokens.size(); ++end) {
        if (!tokens[end].first_on_line || tokens[end].column > tokens[first].column) continue;
        last = kNoHelpers.Contains(WordAt(value, tokens, end));
        if (last || tokens[end].column == tokens[first].column) break;
      }
      ReadHelper(function, value, {tokens.data() + i, end - i});
      if (last) return;
      i = end;
    }
  }

  void ReadHelper(const FileConstant& function, std::string_view value,
                  std::span<const Token> tokens) {
    const size_t name =
        WordAt(value, tokens, 0) == "@[" ? AfterBracket(value, tokens, 0, tokens.size()) : 0;
    const std::string_view next = WordAt(value, tokens, name + 1);
    const bool begins =
        OpeningBracket(next) != BracketKind::kNone || next == ":" || next == ":=" || next == "|";
    if (!begins || tokens[name].kind != TokenKind::kWord) return;
    const size_t body = std::min(FindOutside(value, tokens, ":=", name + 1, tokens.size()),
                                 FindOutside(value, tokens, "|", name + 1, tokens.size()));
    const auto text = [&](size_t from, size_t to) {
      return from < to ? value.substr(tokens[from].begin, tokens[to - 1].end - tokens[from].begin)
                       : std::string_view();
    };
    FileConstant helper;
    helper.name = helper.reference =
        fmt::format("{}.{}", function.name, WordAt(value, tokens, name));
    helper.signature = text(name + 1, body);
    helper.declaration = function.declaration;
    helper.names = NamesIn(helper.signature);
    helper.proposition = GivesProp(helper.signature);
    CountParameters(&helper);
    ReadBody(text(body, tokens.size()), &helper);
    constants_.push_back(std::move(helper));
  }

  /// Whether the type after the last colon or arrow is `Prop`, or `Lang α` where the file has
  /// `abbrev Lang (α : Type) := List α → Prop`.
  bool GivesProp(std::string_view code) const {
    const auto tokens = LexCode(code);
    std::string_view first;  // word of that type
    int depth = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view word = WordAt(code, tokens, i);
      depth += Nesting(word);
      const bool begins = word == "→" || word == ":" || word == ":=";
      if (depth == 0 && begins && i + 1 < tokens.size()) first = WordAt(code, tokens, i + 1);
    }
    return first == "Prop" || predicate_types_.contains(LastComponent(first));
  }

  /// `abbrev Env := String → Nat`, `def Set (α : Type) : Type := …`
  static bool NamesAType(std::string_view signature, std::string_view value) {
    const auto parsed = ParseSignature(signature);
    if (parsed) return parsed->type.starts_with("Type") || parsed->type.starts_with("Sort");
    const auto words = WordsOf(value);
    if (words.size() < 2 || words[0] != ":=") return false;
    const bool begins = StartsUpper(words[1]) || words[1] == "(" || words[1] == "α";
    return begins && !HasWord(value, [](std::string_view word) {
             return kRelationWords.Contains(word) || word == "fun" || word == "⟨" || word == "by";
           });
  }

  void ReadType(const Declaration& declaration, FileConstant* constant) {
    const std::string_view value = file_.Slice(declaration.value);
    constant->kind =
        GivesProp(constant->signature) ? ConstantKind::kPredicate : ConstantKind::kType;
    constant->names.Add(NamesIn(value));
    if (declaration.keyword.ends_with("inductive")) {
      ReadConstructors(value, constant);
    } else {
      constant->constructors.push_back(constant->name + ".mk");
      ReadFields(value, declaration.keyword == "class", constant);
    }
  }

  static void ReadConstructors(std::string_view value, FileConstant* constant) {
    const auto tokens = LexCode(value);
    int depth = 0;
    std::vector<size_t> begins;  // of the constructors' names
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      const std::string_view word = WordAt(value, tokens, i);
      depth += Nesting(word);
      const bool named = tokens[i + 1].kind == TokenKind::kWord;
      if (depth == 0 && word == "|" && named) begins.push_back(i + 1);
    }
    const std::string_view own = LastComponent(constant->name);
    for (size_t c = 0; c < begins.size(); ++c) {
      const size_t end = c + 1 < begins.size() ? begins[c + 1] - 1 : tokens.size();
      const std::string name =
          fmt::format("{}.{}", constant->name, WordAt(value, tokens, begins[c]));
      size_t mentions = 0;
      bool takes = false;  // arguments
      for (size_t i = begins[c] + 1; i < end; ++i) {
        const std::string_view word = WordAt(value, tokens, i);
        if (word == "deriving") break;
        mentions += LastComponent(word) == own ? 1 : 0;
        takes |= word == "→" || Nesting(word) > 0;
      }
      const bool typed = FindOutside(value, tokens, ":", begins[c] + 1, end) < end;
      constant->recursive |= mentions > (typed ? 1U : 0U);  // one is its result
      constant->constructors.push_back(name);
      const size_t text = tokens[begins[c]].end;
      constant->rules.emplace_back(value.substr(text, tokens[end - 1].end - text));
      if (!takes) constant->plain.push_back(name);
    }
  }

  /// Fields are taken to begin at the column of the first one.
  void ReadFields(std::string_view value, bool of_class, FileConstant* constant) {
    const auto tokens = LexCode(value);
    size_t first = 1;  // after `where` or `:=`
    if (WordAt(value, tokens, 2) == "::") first = 3;
    bool has_relation = false;  // a field is a predicate
    for (size_t i = first; i < tokens.size();) {
      size_t end = i + 1;
      while (end < tokens.size() &&
             !(tokens[end].first_on_line && tokens[end].column <= tokens[first].column)) {
        ++end;
      }
      const size_t colon = FindOutside(value, tokens, ":", i, end);
      if (colon == i + 1 && colon + 1 < end && tokens[i].kind == TokenKind::kWord) {
        const std::string_view type =
            value.substr(tokens[colon + 1].begin, tokens[end - 1].end - tokens[colon + 1].begin);
        const bool relates =
            HasWord(type, [](std::string_view word) { return kRelationWords.Contains(word); });
        const bool universal = has_relation && WordAt(value, tokens, colon + 1) == "∀";
        if (relates || universal) {
          AddLaw(*constant, WordAt(value, tokens, i), type);
        } else if (of_class) {
          constant->fields.push_back(
              fmt::format("{}.{}", constant->name, WordAt(value, tokens, i)));
        }
        has_relation |= LastWord(type) == "Prop";
      }
      i = end;
    }
  }

  void AddLaw(const FileConstant& constant, std::string_view name, std::string_view type) {
    FileConstant law;
    law.kind = ConstantKind::kTheorem;
    law.name = law.reference = fmt::format("{}.{}", constant.name, name);
    law.signature = fmt::format(": {}", type);
    law.names = NamesIn(type);
    law.declaration = constant.declaration;
    constants_.push_back(std::move(law));
  }

  const File& file_;
  const LexedCode code_;
  SectionContext section_;
  size_t next_ = 0;     // command that it has not followed
  bool opens_ = false;  // it has an `open` command
  std::vector<FileConstant> constants_;
  std::set<std::string, std::less<>> predicate_types_;  // the last parts of their names
};

}  // namespace

void NameSet::Add(const NameSet& more) {
  written.insert(more.written.begin(), more.written.end());
  fields.insert(more.fields.begin(), more.fields.end());
}

NameSet NamesIn(std::string_view code) {
  NameSet names;
  const auto tokens = LexCode(code);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kWord) continue;
    const std::string_view word = WithoutRoot(TextOf(code, tokens[i]));
    const auto parts = NameComponents(word);
    const bool after_dot =
        i > 0 && TextOf(code, tokens[i - 1]) == "." && tokens[i - 1].end == tokens[i].begin;
    if (after_dot || (parts.size() > 1 && BeginsWithVariable(word))) {
      for (size_t p = after_dot ? 0 : 1; p < parts.size(); ++p) names.fields.emplace(parts[p]);
      if (after_dot) continue;
    }
    for (size_t end = 0; end != std::string_view::npos;) {
      end = word.find('.', end + 1);
      names.written.emplace(word.substr(0, end));
    }
  }
  return names;
}

std::set<std::string> SymbolsIn(std::string_view code) {
  std::set<std::string> symbols;
  for (const Token& token : LexCode(code)) {
    if (token.kind == TokenKind::kSymbol) symbols.emplace(TextOf(code, token));
  }
  return symbols;
}

bool BeginsWithVariable(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('.'));
  return !first.empty() && first != "_root_" &&
         (!StartsUpper(first) || std::ranges::none_of(first.substr(1), [](char c) {
           return std::isalpha(static_cast<unsigned char>(c)) != 0;
         }));
}

bool Writes(const NameSet& names, std::string_view full_name) {
  for (const std::string_view part : NameComponents(full_name)) {
    const auto from = static_cast<size_t>(part.data() - full_name.data());
    if (names.written.contains(full_name.substr(from))) return true;
  }
  return false;
}

bool MayMean(const NameSet& names, std::string_view full_name) {
  if (full_name.empty()) return false;
  return names.fields.contains(LastComponent(full_name)) || Writes(names, full_name);
}

std::vector<FileConstant> ConstantsOf(const File& file) { return ConstantReader(file).Read(); }

std::vector<std::string> OpenTheoremsIn(std::string_view code,
                                        const std::vector<FileConstant>& constants,
                                        const Goal* goal) {
  NameSet names = NamesIn(code);
  if (goal != nullptr) {
    for (const Hypothesis& hypothesis : goal->hypotheses) {
      for (const std::string& name : hypothesis.names) {
        if (code.find("_root_." + name) == std::string_view::npos) names.written.erase(name);
      }
    }
  }
  std::vector<std::string> open;
  for (const FileConstant& constant : constants) {
    const bool theorem = constant.kind == ConstantKind::kTheorem;
    if (theorem && constant.open && Writes(names, constant.name)) open.push_back(constant.name);
  }
  return open;
}

}  // namespace zermelo::syntax
