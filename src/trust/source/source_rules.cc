#include "trust/source/source_rules.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>

#include "syntax/lexer.h"
#include "trust/macro_shape.h"

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

struct Hit {
  Reason reason;
  std::string key;   // of a sorry or import: identifies the same thing in the original
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

// Words that are judged with the tokens after them.
constexpr std::string_view kReadTogether[] = {
    "attribute", "import",     "name",   "namespace",
    "open",      "set_option", "scoped", "with_weak_namespace"};

class Scanner {
 public:
  explicit Scanner(std::span<const SourceToken> tokens) : tokens_(tokens) {}

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
    } else if (quoted == "open" && Text(at_ + 1) == "private") {
      Add(kForbiddenCommand, "`open private`", "it gives access to Lean's internals");
    } else if (quoted == "tactic" && IsAesopRule()) {
      Add(kForbiddenTactic, "A rule of `aesop` that is a `tactic`", kRunsCode);
      IsProgram("aesop (add … tactic …)");
    } else if (quoted == "native" && at_ > 0 && Text(at_ - 1).ends_with('+')) {
      Add(kForbiddenTactic, "`+native`", "it trusts compiled code, which nothing checks");
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
    }
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
  size_t at_ = 0;
  int depth_ = 0;                  // of brackets, inside an attribute list
  bool began_ = false;             // the next word is an attribute's name
  bool begins_attribute_ = false;  // this one is
  std::vector<Hit> hits_;
};

}  // namespace

std::vector<SourceFinding> CheckSource(std::span<const SourceToken> original,
                                       std::span<const SourceToken> candidate) {
  // A `sorry` or import of the original may be anywhere; a command must have the same words, an
  // attribute must be before the same statement.
  const auto key = [](const Hit& hit, std::span<const SourceToken> tokens) {
    if (hit.reason.code == kSorryAdded) return std::string("sorry");
    if (hit.reason.code == kImportAdded) return hit.key;
    if (hit.reason.code == kForbiddenCommand) return RestOfCommand(tokens, hit.token, "");
    if (hit.reason.code == kForbiddenAttribute) return RestOfCommand(tokens, hit.token, ":=");
    return RestOfCommand(tokens.first(std::min(hit.token + 2, tokens.size())), hit.token, "");
  };
  std::unordered_map<std::string, size_t> known;
  for (const Hit& hit : Scanner(original).Run()) ++known[key(hit, original)];
  std::vector<SourceFinding> findings;
  for (Hit& hit : Scanner(candidate).Run()) {
    const auto found = known.find(key(hit, candidate));
    if (found != known.end() && found->second > 0) {
      --found->second;
      continue;
    }
    findings.push_back({std::move(hit.reason), hit.line + 1, std::move(hit.hint), hit.is_program});
  }
  return findings;
}

}  // namespace zermelo::trust
