#include "trust/source/source_rules.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "syntax/lexer.h"
#include "trust/macro_shape.h"
#include "trust/source/effect_names.h"
#include "trust/source/programs_of_original.h"
#include "trust/source/source_tokens.h"

namespace zermelo::trust {

namespace {

using enum ReasonCode;

struct Rule {
  std::string_view word;
  ReasonCode code;
  std::string_view why;
  bool is_program = false;  // as in SourceFinding
};

constexpr std::string_view kRunsCode = "it runs code while Lean checks the file";
constexpr bool kProgram = true;

// Keywords of Lean, which have this meaning wherever they occur.
constexpr Rule kWords[] = {
    {"axiom", kForbiddenCommand, "it assumes what should be proved"},
    {"initialize", kForbiddenCommand, kRunsCode},
    {"builtin_initialize", kForbiddenCommand, kRunsCode},
    {"register_option", kForbiddenCommand, kRunsCode},
    {"register_builtin_option", kForbiddenCommand, kRunsCode},
    {"run_cmd", kForbiddenCommand, kRunsCode, kProgram},
    {"run_elab", kForbiddenCommand, kRunsCode, kProgram},
    {"run_meta", kForbiddenCommand, kRunsCode, kProgram},
    {"run_tac", kForbiddenCommand, kRunsCode, kProgram},
    {"by_elab", kForbiddenCommand, kRunsCode, kProgram},
    {"#eval", kForbiddenCommand, kRunsCode, kProgram},
    {"#eval!", kForbiddenCommand, kRunsCode, kProgram},
    {"#exit", kForbiddenCommand, "Lean ignores everything after it"},
    {"#html", kForbiddenCommand, kRunsCode, kProgram},
    {"#widget", kForbiddenCommand, kRunsCode, kProgram},
    {"show_panel_widgets", kForbiddenCommand, kRunsCode, kProgram},
    {"with_panel_widgets", kForbiddenCommand, kRunsCode, kProgram},
    {"set_library_suggestions", kForbiddenCommand, kRunsCode, kProgram},
    {"set_premise_selector", kForbiddenCommand, kRunsCode, kProgram},
    {"unsafe", kForbiddenCommand, "unsafe code must not be part of a proof"},
    {"elab", kForbiddenCommand, kRunsCode, kProgram},
    {"elab_rules", kForbiddenCommand, kRunsCode, kProgram},
    {"simproc", kForbiddenCommand, kRunsCode, kProgram},
    {"dsimproc", kForbiddenCommand, kRunsCode, kProgram},
    {"simproc_decl", kForbiddenCommand, kRunsCode, kProgram},
    {"dsimproc_decl", kForbiddenCommand, kRunsCode, kProgram},
    {"builtin_simproc", kForbiddenCommand, kRunsCode},
    {"builtin_dsimproc", kForbiddenCommand, kRunsCode},
    {"grind_propagator", kForbiddenCommand, kRunsCode, kProgram},
    {"builtin_grind_propagator", kForbiddenCommand, kRunsCode},
    {"init_quot", kForbiddenCommand, "it changes the kernel's built-in types"},
    {"prelude", kForbiddenCommand, "the file would no longer use Lean's own library"},
    {"native_decide", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
    {"bv_decide", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
    {"bv_decide?", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
    {"bv_check", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
    {"sorry", kSorryAdded, "it leaves something unproved"},
    {"admit", kSorryAdded, "it leaves something unproved"},
};

// Names of Lean's own that bypass the kernel or the type checker, matched by last component.
constexpr Rule kNames[] = {
    {"sorryAx", kSorryAdded, "it leaves something unproved"},
    {"addDecl", kForbiddenCommand, "it adds declarations directly to the environment", kProgram},
    {"addDeclCore", kForbiddenCommand, "it adds declarations directly to the environment",
     kProgram},
    {"addDeclWithoutChecking", kForbiddenCommand,
     "it adds declarations that the kernel does not check", kProgram},
    {"addAndCompile", kForbiddenCommand, "it adds declarations directly to the environment",
     kProgram},
    {"skipKernelTC", kForbiddenOption, "it keeps the kernel from checking proofs"},
    {"unsafeCast", kForbiddenCommand, "it bypasses type checking"},
    {"unsafeIO", kForbiddenCommand, kRunsCode},
    {"unsafeBaseIO", kForbiddenCommand, kRunsCode},
    {"unsafeEIO", kForbiddenCommand, kRunsCode},
    {"lcProof", kForbiddenCommand, "in compiled code it proves anything"},
    {"lcUnreachable", kForbiddenCommand, "in compiled code it proves anything"},
    {"ofReduceBool", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
    {"ofReduceNat", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
    {"reduceBool", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
    {"reduceNat", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
    {"trustCompiler", kForbiddenTactic, "it trusts compiled code, which nothing checks"},
};

constexpr std::string_view kChangesCode = "compiled code would differ from what is proved about it";
constexpr std::string_view kChangesLean = "it changes how Lean reads or elaborates text";

constexpr std::string_view kUnknownAttribute =
    "it is unknown here, and could make a tactic run the declaration";

constexpr std::string_view kTakesLeansPlace = "declarations there could replace Lean's own syntax";

constexpr Rule kAttributes[] = {
    {"implemented_by", kForbiddenAttribute, kChangesCode},
    {"extern", kForbiddenAttribute, kChangesCode},
    {"export", kForbiddenAttribute, kChangesCode},
    {"csimp", kForbiddenAttribute, kChangesCode},
    {"init", kForbiddenAttribute, kRunsCode},
    {"builtin_init", kForbiddenAttribute, kRunsCode},
    {"macro", kForbiddenAttribute, kChangesLean, kProgram},
    {"tactic", kForbiddenAttribute, kChangesLean, kProgram},
    {"command_elab", kForbiddenAttribute, kChangesLean, kProgram},
    {"term_elab", kForbiddenAttribute, kChangesLean, kProgram},
    {"incremental", kForbiddenAttribute, kChangesLean, kProgram},
    {"norm_num", kForbiddenAttribute, kRunsCode, kProgram},
    {"positivity", kForbiddenAttribute, kRunsCode, kProgram},
    {"run_builtin_parser_attribute_hooks", kForbiddenAttribute, kChangesLean},
};
// What these do is known, and is not to run the declaration: of Lean, Batteries, Aesop and Mathlib.
constexpr std::string_view kKnownAttributes[] = {"aesop",
                                                 "always_inline",
                                                 "bound",
                                                 "bv_normalize",
                                                 "cases_eliminator",
                                                 "class",
                                                 "coe",
                                                 "congr",
                                                 "continuity",
                                                 "default_instance",
                                                 "defeq",
                                                 "deprecated",
                                                 "elab_as_elim",
                                                 "elab_without_expected_type",
                                                 "elementwise",
                                                 "eqns",
                                                 "expose",
                                                 "ext",
                                                 "field_simps",
                                                 "fun_prop",
                                                 "functor_norm",
                                                 "gcongr",
                                                 "grind",
                                                 "higher_order",
                                                 "implicit_reducible",
                                                 "induction_eliminator",
                                                 "inherit_doc",
                                                 "inline",
                                                 "inline_if_reduce",
                                                 "instance",
                                                 "int_toBitVec",
                                                 "irreducible",
                                                 "macro_inline",
                                                 "match_pattern",
                                                 "measurability",
                                                 "mk_iff",
                                                 "monad_norm",
                                                 "mono",
                                                 "never_extract",
                                                 "no_expose",
                                                 "noinline",
                                                 "nolint",
                                                 "nontriviality",
                                                 "norm_cast",
                                                 "nospecialize",
                                                 "parity_simps",
                                                 "partial_fixpoint_monotone",
                                                 "pp_nodot",
                                                 "pp_using_anonymous_constructor",
                                                 "pp_with_univ",
                                                 "push",
                                                 "push_cast",
                                                 "reassoc",
                                                 "recursor",
                                                 "reducible",
                                                 "refl",
                                                 "ring_nf",
                                                 "semireducible",
                                                 "simp",
                                                 "simps",
                                                 "specialize",
                                                 "spec",
                                                 "stacks",
                                                 "subst",
                                                 "symm",
                                                 "to_additive",
                                                 "to_dual",
                                                 "trans",
                                                 "unification_hint",
                                                 "univ_out_params",
                                                 "use",
                                                 "wf_preprocess"};

constexpr std::string_view kAttributeEndings[] = {
    "_parser", "_elab", "_elaborator", "_handler",   "_proc",         "simproc",    "sevalproc",
    "cpass",   "delab", "formatter",   "propagator", "parenthesizer", "_suggestion"};

// `doc.verso` makes Lean run code in doc comments; the profiler's output is written to a file.
constexpr std::string_view kOptionPrefixes[] = {
    "debug.", "interpreter.", "compiler.", "bootstrap.", "doc.verso", "trace.profiler.output"};

// Commands whose right sides are programs that Lean runs to produce syntax. `elab` and similar
// commands are rejected altogether.
constexpr std::string_view kMacroCommands[] = {"macro", "macro_rules", "binder_predicate"};
constexpr std::string_view kMacroRunsCode =
    "its right side must be a quotation `(…)` in which every $x is a variable of its left side, "
    "since other code could produce any command";

// Fields of structures of options whose values are programs: of `solve_by_elim` and its kin, and
// of `linarith`.
constexpr std::string_view kProgramFields[] = {"discharge", "oracle", "preprocessors", "proc",
                                               "suspend"};

// Arguments that are structures of options, which Lean evaluates.
constexpr std::string_view kOptions[] = {"config", "options", "simp_config", "simp_options"};

// What a value of options needs to be a program, or to run one; `>>=` is a `do`.
constexpr std::string_view kOfPrograms[] = {"fun", "λ",  "do",  "←",  "⟨",
                                            ">>=", "if", "let", "by", "match"};

// What makes `(x := …)` an assignment instead of an argument.
constexpr std::string_view kBinds[] = {"abbrev", "def",  "generalize", "have", "haveI",  "lemma",
                                       "let",    "letI", "mut",        "set",  "theorem"};

struct Hit {
  Reason reason;
  std::string key;   // if not empty, identifies the same thing in the original
  std::string own;   // if not empty: no hit if the original gives this word a meaning of its own
  std::string hint;  // as in SourceFinding
  bool is_program = false;
  size_t token = 0;
  size_t line = 0;
};

template <size_t n>
bool Contains(const std::string_view (&words)[n], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

template <size_t n>
const Rule* FindRule(const Rule (&rules)[n], std::string_view word) {
  const auto found = std::find_if(std::begin(rules), std::end(rules),
                                  [&](const Rule& rule) { return rule.word == word; });
  return found == std::end(rules) ? nullptr : found;
}

// Whether a name is, or could be, in the namespace Lean.
bool IsInLean(std::string_view quoted) {
  std::string name = syntax::Unquoted(quoted);
  constexpr std::string_view kRoot = "_root_.";
  while (name.starts_with(kRoot)) name.erase(0, kRoot.size());
  return name == "Lean" || name.starts_with("Lean.");
}

// The rule for a forbidden keyword. Lean reads `#evalx` as `#eval x`: a token that contains a
// symbol ends where it is complete.
const Rule* FindWord(std::string_view word) {
  const auto found = std::find_if(std::begin(kWords), std::end(kWords), [&](const Rule& rule) {
    return rule.word == word || (rule.word.starts_with('#') && word.starts_with(rule.word));
  });
  return found == std::end(kWords) ? nullptr : found;
}

// The text from a token to `end`, or to the next line that begins with a command.
std::string RestOfCommand(std::span<const SourceToken> tokens, size_t at, std::string_view end) {
  std::string text;
  for (size_t i = at; i < tokens.size(); ++i) {
    if (i > at && tokens[i].line > tokens[i - 1].line && BeginsCommand(tokens[i])) break;
    if (tokens[i].text == end) break;
    text.append(tokens[i].text).append(" ");
  }
  return text;
}

std::string TextOf(std::span<const SourceToken> tokens) {
  std::string text;
  for (const SourceToken& token : tokens) text.append(token.text).append(" ");
  return text;
}

// Words that are judged with the tokens after them.
constexpr std::string_view kReadTogether[] = {
    "attribute", "import",     "name",   "namespace",
    "open",      "set_option", "scoped", "with_weak_namespace"};

class Scanner {
 public:
  /// `names_programs`: the names of Lean's programs may be shorter here (OpensPrograms).
  Scanner(std::span<const SourceToken> tokens, bool names_programs)
      : tokens_(tokens), names_programs_(names_programs) {}

  std::vector<Hit> Run() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      TrackAttributes();
      if (tokens_[at_].kind == SourceToken::Kind::kWord) CheckWord();
    }
    return std::move(hits_);
  }

 private:
  std::string_view Text(size_t at) const {
    return at < tokens_.size() ? tokens_[at].text : std::string_view();
  }

  // Whether the current token follows `(attr|`: a macro can stand for an attribute.
  bool IsAttributeQuoted() const {
    return at_ > 1 && Text(at_ - 1) == "|" &&
           syntax::LastComponent(Text(at_ - 2)).starts_with("attr");
  }

  // `@[…]` and `attribute […]`: words at bracket depth 1 that begin an attribute. Counts more than
  // syntax::Nesting does: any token that ends in `[` opens, whatever notation it is.
  void TrackAttributes() {
    const std::string_view text = tokens_[at_].text;
    if (tokens_[at_].kind != SourceToken::Kind::kSymbol) {
      begins_attribute_ = began_ || IsAttributeQuoted();
      began_ = began_ && (text == "local" || text == "scoped");
      return;
    }
    const bool begins = began_ || IsAttributeQuoted();
    const bool opens = text == "[" || text.ends_with('[');
    if (depth_ > 0) {
      if (opens || text == "(" || text == "{") ++depth_;
      if (text == "]" || text == ")" || text == "}") --depth_;
      began_ =
          depth_ == 1 &&
          (text == "," || (began_ && (text == "↓" || text == "↑" || text == "←" || text == "-")));
    } else if (text == "@[" ||
               (text == "[" && at_ > 0 && (Text(at_ - 1) == "attribute" || Text(at_ - 1) == "@"))) {
      depth_ = 1;
      began_ = true;
    }
    begins_attribute_ = false;
    if (text == "$" && begins) {
      Add(kForbiddenAttribute, "An attribute `$…` in a macro", "the macro could set any attribute");
    }
    // @[to_additive (attr := simp)]
    if (depth_ > 0 && text == ":=" && Text(at_ - 1) == "attr") began_ = true;
  }

  void CheckWord() {
    const std::string word = syntax::Unquoted(tokens_[at_].text);
    const std::string_view quoted = tokens_[at_].text;
    if (begins_attribute_) {
      CheckAttribute(word);
      return;
    }
    if (word == "set_option") {
      CheckOption();
    } else if (word.starts_with("debug.") && (at_ == 0 || Text(at_ - 1) != "set_option")) {
      Add(kForbiddenOption, "The option `" + word + "`", "it weakens Lean's checks");
      MayBeHint(word);
    } else if (Contains(kMacroCommands, quoted)) {
      CheckMacro(quoted);
    } else if (quoted == "import") {
      CheckImport();
    } else if (Contains(kReadTogether, quoted) && Text(at_ + 1) == "%" && Text(at_ + 2) == "$") {
      Add(kForbiddenCommand, "`" + word + "%$…`", "it hides what the word is followed by");
    } else if (quoted == "namespace" || quoted == "with_weak_namespace") {
      CheckNamespace();
    } else if (quoted == "scoped" && Text(at_ + 1) == "[" && IsInLean(Text(at_ + 2))) {
      Add(kForbiddenCommand, "`scoped[" + std::string(Text(at_ + 2)) + "]`", kTakesLeansPlace);
    } else if (quoted == "name" && Text(at_ - 1) == "(" && Text(at_ + 1) == ":=" &&
               (IsInLean(Text(at_ + 2)) || Text(at_ + 2) == "$")) {
      Add(kForbiddenCommand, "The name `" + std::string(Text(at_ + 2)) + "`", kTakesLeansPlace);
    } else if (syntax::HasComponent(word, {"ParserDescr", "TrailingParserDescr"})) {
      Add(kForbiddenCommand, "`" + word + "`", kChangesLean);
    } else if ((quoted == "open" || quoted == "export") && Text(at_ + 1) == "private") {
      Add(kForbiddenCommand, "`" + word + " private`", "it gives access to Lean's internals");
    } else if (quoted == "open" || quoted == "export") {
      CheckOpen(word);
    } else if (quoted == "tactic" && IsAesopRule()) {
      Add(kForbiddenTactic, "A rule of `aesop` that is a `tactic`", kRunsCode);
      IsProgram("aesop (add … tactic …)");
    } else if (quoted == "native" && at_ > 0 && Text(at_ - 1).ends_with('+')) {
      Add(kForbiddenTactic, "`+native`", "it trusts compiled code, which nothing checks");
    } else if (quoted == "native" && IsGiven() && Text(at_ + 2) != "false") {
      Add(kForbiddenTactic, "`native := …`", "it trusts compiled code, which nothing checks");
    } else if (quoted == "unsafe" && IsNumber(Text(at_ + 1))) {
      return;  // aesop (add unsafe 50% apply f)
    } else if (const Rule* rule = FindWord(quoted)) {
      AddRule(*rule, quoted);
    } else if ((quoted.starts_with("declare_") && quoted.ends_with("_elab")) ||
               quoted.ends_with("simproc") || quoted.ends_with("simproc_decl") ||
               quoted == "#guard" || quoted == "#guard_expr") {
      Add(kForbiddenCommand, "`" + word + "`", kRunsCode);
      IsProgram(word);
    } else if (const Rule* name = FindRule(kNames, syntax::LastComponent(word))) {
      AddRule(*name, word);
      if (name->code == kForbiddenOption) MayBeHint(word);
    } else if (word.ends_with("Environment.replay")) {  // Lean.Kernel.… since 4.34 (#14391)
      Add(kForbiddenCommand, "`" + word + "`", "it adds declarations directly to the environment");
      IsProgram(word);
    } else if (MayNameAnEffect(word) && !IsJudgedBefore()) {
      AddEffect(word);
    } else if (IsGiven()) {
      CheckGiven(word);
    }
  }

  // `namespace Lean.Meta`, `import all Lean.Meta`.
  bool IsJudgedBefore() const {
    const std::string_view before = at_ > 0 ? Text(at_ - 1) : std::string_view();
    return before == "namespace" || before == "import" ||
           (before == "all" && at_ > 1 && Text(at_ - 2) == "import");
  }

  void AddEffect(const std::string& what) {
    Add(kForbiddenCommand, "`" + what + "`", "Lean could run it while it checks the file");
    IsProgram(what);
    hits_.back().key = what;
  }

  // `open Lean Meta in`, `export IO (println)`.
  void CheckOpen(const std::string& command) {
    for (size_t at = at_ + 1; at < tokens_.size(); ++at) {
      if (tokens_[at].kind != SourceToken::Kind::kWord || Text(at) == "in") return;
      if (tokens_[at].line > tokens_[at - 1].line && BeginsCommand(tokens_[at])) return;
      if (HasEffects(syntax::Unquoted(Text(at))))
        AddEffect(command + " " + syntax::Unquoted(Text(at)));
    }
  }

  // Whether the word is followed by `:=`, and is no variable or declaration.
  bool IsGiven() const {
    return Text(at_ + 1) == ":=" && (at_ == 0 || !Contains(kBinds, Text(at_ - 1)));
  }

  // The token after the value that begins at `at`.
  size_t ValueEnd(size_t at) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      if (Opens(Text(at))) ++depth;
      if (depth == 0 && (Closes(Text(at)) || Text(at) == "," || BeginsLine(at))) break;
      if (Closes(Text(at))) --depth;
    }
    return at;
  }

  bool BeginsLine(size_t at) const {
    return tokens_[at].line > tokens_[at - 1].line && BeginsCommand(tokens_[at]);
  }

  // `word := …` in options of a tactic, which Lean evaluates.
  void CheckGiven(const std::string& word) {
    const std::string_view last = syntax::LastComponent(word);
    const bool argument = at_ > 0 && Text(at_ - 1) == "(";
    if (Contains(kProgramFields, last)) {
      AddGiven(word, ValueEnd(at_ + 2));
    } else if (argument && Contains(kOptions, last)) {
      Seek(options_until_, word, [](std::string_view text) { return Contains(kOfPrograms, text); });
    } else if (last == "discharger" || last == "disch") {
      // For most tactics it is a tactic, for `linarith` a program.
      size_t first = at_ + 2;
      while (Text(first) == "(" || Text(first) == "{") ++first;
      if (Text(first) == "fun" || Text(first) == "λ") {
        AddGiven(word, ValueEnd(at_ + 2));
      } else {
        Seek(discharger_until_, word,
             [](std::string_view text) { return text == "do" || text == ">>="; });
      }
    }
    if (names_programs_ && argument) {
      Seek(argument_until_, word,
           [](std::string_view text) { return text == "do" || text == ">>=" || text == "match"; });
    }
  }

  // A hit if `holds` is true of a token of the value. `until`: the end of the last value in which
  // this was asked; values in it are parts of it.
  template <class Holds>
  void Seek(size_t& until, const std::string& word, Holds holds) {
    if (at_ < until) return;
    until = ValueEnd(at_ + 2);
    for (size_t at = at_ + 2; at < until; ++at) {
      if (!holds(Text(at))) continue;
      AddGiven(word, until);
      return;
    }
  }

  void AddGiven(const std::string& word, size_t end) {
    if (at_ < given_until_) return;  // in a value that is a hit
    given_until_ = end;
    Add(kForbiddenTactic, "This value of `" + word + "`", kRunsCode);
    IsProgram(word + " := …");
    hits_.back().own = syntax::LastComponent(word);
    hits_.back().key = TextOf(tokens_.subspan(at_, end - at_));
  }

  static bool IsNumber(std::string_view text) {
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
  }

  // `aesop (add safe tactic f)`, `@[aesop unsafe 50% tactic]`, `norm 1 tactic`.
  bool IsAesopRule() const {
    const auto is_phase = [](std::string_view text) {
      return IsNumber(text) || text == "safe" || text == "unsafe" || text == "norm";
    };
    const std::string_view before = at_ > 0 ? Text(at_ - 1) : std::string_view();
    const bool opens = at_ > 1 && before == "[" && is_phase(Text(at_ - 2));
    return is_phase(before) || before == "%" || before == "aesop" || before == "add" || opens ||
           is_phase(Text(at_ + 1));
  }

  // Lean dispatches on the names of syntax: syntax with the name of a built-in one is run like it.
  void CheckNamespace() {
    if (IsInLean(Text(at_ + 1)) || Text(at_ + 1) == "$") {
      Add(kForbiddenCommand, "`namespace " + std::string(Text(at_ + 1)) + "`", kTakesLeansPlace);
    } else if (HasEffects(syntax::Unquoted(Text(at_ + 1)))) {
      AddEffect("namespace " + syntax::Unquoted(Text(at_ + 1)));
    }
  }

  void CheckMacro(std::string_view command) {
    if (IsQuotation(tokens_, at_)) return;
    Add(kForbiddenCommand, "This `" + std::string(command) + "`", kMacroRunsCode);
    IsProgram(std::string(command));
  }

  void CheckAttribute(const std::string& word) {
    const Rule* rule = FindRule(kAttributes, word);
    const bool ending = std::any_of(std::begin(kAttributeEndings), std::end(kAttributeEndings),
                                    [&](std::string_view end) { return word.ends_with(end); });
    const bool builtin = word.starts_with("builtin_");
    if (rule == nullptr && !ending && !builtin) {
      // A set of simp lemmas runs nothing, whatever its name before that.
      const bool is_kind = word == "local" || word == "scoped";
      if (is_kind || Contains(kKnownAttributes, word) || word.ends_with("_simps")) return;
      Add(kForbiddenAttribute, "The attribute `" + word + "`", kUnknownAttribute);
      IsProgram("@[" + word + "]");
      return;
    }
    Add(kForbiddenAttribute, "The attribute `" + word + "`",
        rule != nullptr ? rule->why : kChangesLean);
    // `builtin_…` registers it as `initialize` does.
    if (rule != nullptr ? rule->is_program : !builtin) IsProgram("@[" + word + "]");
  }

  void CheckOption() {
    if (Text(at_ + 1) == "$") {
      Add(kForbiddenOption, "`set_option $…` in a macro", "the macro could set any option");
    }
    const std::string option = syntax::Unquoted(Text(at_ + 1));
    const bool bad =
        std::any_of(std::begin(kOptionPrefixes), std::end(kOptionPrefixes),
                    [&](std::string_view prefix) { return option.starts_with(prefix); });
    if (bad) Add(kForbiddenOption, "The option `" + option + "`", "it weakens Lean's checks");
    if (option.starts_with("debug.")) MayBeHint(option);
  }

  // `import A`, `public import all A`, `meta import A`.
  void CheckImport() {
    const size_t name = at_ + (Text(at_ + 1) == "all" ? 2 : 1);
    const std::string module(Text(name));
    Push(kImportAdded, "The import of `" + module + "` is not in the original.");
    hits_.back().key = "import " + module;
  }

  void AddRule(const Rule& rule, std::string_view word) {
    Add(rule.code, "`" + std::string(word) + "`", rule.why);
    if (rule.is_program) IsProgram(std::string(word));
  }

  void Add(ReasonCode code, const std::string& what, std::string_view why) {
    std::string message =
        what + (code == kSorryAdded ? " was added: " : " is not allowed in a proof: ");
    message += std::string(why) + ".";
    Push(code, std::move(message));
  }

  // The last hit: an option that switches Lean's kernel off or leaves a `sorry`, which the compiled
  // file shows.
  void MayBeHint(const std::string& option) {
    hits_.back().hint = "The option `" + option +
                        "` can weaken the checks of Lean's own kernel; the compiled file was "
                        "accepted by a kernel that options do not reach.";
  }

  // The last hit.
  void IsProgram(const std::string& what) {
    hits_.back().is_program = true;
    hits_.back().hint = "`" + what +
                        "` runs code inside Lean: Zermelo's kernel has accepted what was "
                        "compiled here, but in another build that code may do something else.";
  }

  void Push(ReasonCode code, std::string message) {
    Hit& hit = hits_.emplace_back();
    hit.reason.code = code;
    hit.reason.message = std::move(message);
    hit.token = at_;
    hit.line = tokens_[at_].line;
  }

  std::span<const SourceToken> tokens_;
  const bool names_programs_;
  size_t at_ = 0;
  // The ends of values that have been judged.
  size_t options_until_ = 0, discharger_until_ = 0, argument_until_ = 0, given_until_ = 0;
  int depth_ = 0;                  // of brackets, inside an attribute list
  bool began_ = false;             // the next word is an attribute's name
  bool begins_attribute_ = false;  // this one is
  std::vector<Hit> hits_;
};

// Whether names of Lean's programs may be shorter in this text, since it opens their namespaces.
bool OpensPrograms(std::span<const SourceToken> tokens) {
  bool opening = false;
  for (const SourceToken& token : tokens) {
    const std::string word = syntax::Unquoted(token.text);
    const bool opens = word == "open" || word == "export" || word == "namespace";
    opening = opens || (opening && token.kind == SourceToken::Kind::kWord && word != "in");
    if (opening && (HasEffects(word) || MayNameAnEffect(word))) return true;
  }
  return false;
}

// The words of options that mean something else, too, in this text: `oracle`, a variable.
std::unordered_set<std::string_view> OwnWords(std::span<const SourceToken> tokens) {
  std::unordered_set<std::string_view> own;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool given = i + 1 < tokens.size() && tokens[i + 1].text == ":=";
    if (tokens[i].kind == SourceToken::Kind::kWord && !given)
      own.insert(syntax::LastComponent(tokens[i].text));
  }
  return own;
}

// Whether Lean runs this code of the original while it elaborates the file, so that what stands
// before it matters. An unknown attribute of a theorem runs nothing of the file.
bool RunsInFile(const Hit& hit, std::span<const SourceToken> tokens) {
  if (!hit.is_program || !hit.key.empty()) return false;
  if (hit.reason.code != kForbiddenAttribute) return true;
  const auto text = [&](size_t at) {
    return at < tokens.size() ? tokens[at].text : std::string_view();
  };
  size_t at = hit.token;
  for (int depth = 0; at < tokens.size() && (depth > 0 || text(at) != "]"); ++at) {
    if (Opens(text(at))) ++depth;
    if (Closes(text(at))) --depth;
  }
  do {
    ++at;
  } while (text(at) == "private" || text(at) == "protected");
  return text(at) != "theorem" && text(at) != "lemma";
}

// `command`: the token where it begins.
void AddChange(const SourceToken& command, std::vector<SourceFinding>& findings) {
  const std::string what = "The command that begins with `" + std::string(command.text) + "`";
  SourceFinding found;
  found.reason = {kForbiddenCommand,
                  what +
                      " is not allowed in a proof: a program of the original comes after it, "
                      "and could do something else now."};
  found.line = command.line + 1;
  found.hint = what +
               " comes before a program of the original, which could do something else now: "
               "Zermelo's kernel has accepted what was compiled here, but in another build that "
               "code may do something else.";
  found.is_program = true;
  const auto at = std::ranges::upper_bound(findings, found.line, {}, &SourceFinding::line);
  findings.insert(at, std::move(found));
}

}  // namespace

std::vector<SourceFinding> CheckSource(std::span<const SourceToken> original,
                                       std::span<const SourceToken> candidate) {
  // A `sorry` or import of the original may be anywhere; a command must have the same words, an
  // attribute must be before the same statement.
  const auto key = [](const Hit& hit, std::span<const SourceToken> tokens) {
    if (hit.reason.code == kSorryAdded) return std::string("sorry");
    if (!hit.key.empty()) return hit.key;
    if (hit.reason.code == kForbiddenCommand) return RestOfCommand(tokens, hit.token, "");
    if (hit.reason.code == kForbiddenAttribute) return RestOfCommand(tokens, hit.token, ":=");
    return RestOfCommand(tokens.first(std::min(hit.token + 2, tokens.size())), hit.token, "");
  };
  std::unordered_map<std::string, size_t> known;
  for (const Hit& hit : Scanner(original, false).Run()) ++known[key(hit, original)];
  const std::unordered_set<std::string_view> own = OwnWords(original);
  std::vector<SourceFinding> findings;
  size_t last_program = 0;  // of the original's, in the candidate: the token after it
  for (Hit& hit : Scanner(candidate, OpensPrograms(original)).Run()) {
    if (!hit.own.empty() && own.contains(hit.own)) continue;
    const auto found = known.find(key(hit, candidate));
    if (found != known.end() && found->second > 0) {
      --found->second;
      if (RunsInFile(hit, candidate)) last_program = hit.token + 1;
      continue;
    }
    findings.push_back({std::move(hit.reason), hit.line + 1, std::move(hit.hint), hit.is_program});
  }
  if (last_program > 0) {
    const auto change = FirstChangeBefore(original, candidate, last_program - 1);
    if (change) AddChange(candidate[*change], findings);
  }
  return findings;
}

}  // namespace zermelo::trust
