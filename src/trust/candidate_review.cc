#include "trust/candidate_review.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "kernel/term/names.h"
#include "syntax/lexer.h"
#include "trust/meta.h"
#include "trust/native_code.h"
#include "trust/reach.h"
#include "trust/read_module.h"

namespace zermelo::trust {

namespace {

using enum ReasonCode;

const char* Noun(const Constant& constant) {
  return constant.kind == ConstantKind::kTheorem ? "theorem" : Name(constant.kind);
}

bool Contains(const std::vector<CodeAttribute>& attributes, const CodeAttribute& attribute) {
  return std::ranges::find(attributes, attribute) != attributes.end();
}

bool IsVowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }

class Reviewer {
 public:
  Reviewer(const JudgeRequest& request, Library& library, Terms& terms,
           const IndexedModule& original, const IndexedModule& candidate)
      : request_(request),
        library_(library),
        terms_(terms),
        original_(original),
        candidate_(candidate),
        comparison_(terms_, original_, candidate_) {}

  core::Status Run() {
    CheckHeaders();
    if (auto read = ReadImports(); !read) {
      // Imports that the original does not have may have been made up.
      if (verdict_.reasons.empty()) return read;
      closure_.reset();
      FindTargets();
      return {};
    }
    verdict_.library_modules = closure_->modules.size();
    verdict_.library_fingerprint = closure_->sha256;
    if (verdict_.reasons.empty()) {  // else the file is refused anyway
      auto axioms = library_.Axioms(*closure_);
      if (!axioms) return core::Fail(axioms.error());
      imported_axioms_ = *axioms;
    }
    ImportedNames imported(library_, closure_->modules, terms_);
    Dependencies dependencies(terms_, candidate_, imported);
    if (!dependencies.Build()) {
      AddFileReason(kTooComplex,
                    "The compiled candidate is too large to be checked in reasonable time.");
      return {};
    }
    FindTargets();
    CompareAll();
    CheckAdditions(imported, dependencies);
    CheckNewSorrys(dependencies);
    for (size_t i = 0; i < targets_.size(); ++i) JudgeTarget(i, dependencies);
    return {};
  }

  CandidateReview Take() { return {std::move(verdict_), std::move(closure_)}; }

 private:
  core::Status ReadImports() {
    auto closure = library_.ClosureOf(NamesOfImports(candidate_.module, terms_));
    if (!closure) return core::Fail(closure.error());
    closure_ = *std::move(closure);
    return CheckHashedBefore();
  }

  // What a candidate had time to change may not be trusted.
  core::Status CheckHashedBefore() const {
    for (const uint32_t module : closure_->modules) {
      if (!request_.hashed_before || module < *request_.hashed_before) continue;
      return core::Fail(core::ErrorCode::kEnvironment,
                        "the imported module " + library_.Name(module) +
                            " was not hashed before the candidate was compiled",
                        "write each import of the candidate on a line of its own");
    }
    return {};
  }

  void AddFileReason(ReasonCode code, std::string message) {
    verdict_.reasons.push_back({code, std::move(message)});
  }

  std::string Quote(NameId name) const { return "`" + terms_.Print(name) + "`"; }

  void CheckHeaders() {
    const Module &o = original_.module, &c = candidate_.module;
    if (o.header.lean_version != c.header.lean_version || o.header.commit != c.header.commit ||
        o.header.wide != c.header.wide) {
      AddFileReason(kDifferentLean, "The original was compiled by Lean " + o.header.lean_version +
                                        ", the candidate by Lean " + c.header.lean_version + ".");
    }
    if (o.is_module != c.is_module) {
      AddFileReason(kHeaderChanged,
                    "The candidate's file begins differently: `module` was added or removed.");
    }
    using Key = std::tuple<NameId, bool, bool, bool>;
    const auto keys = [&](const Module& module) {
      std::set<Key> set;
      for (const Import& i : module.imports) {
        set.emplace(i.module, module.is_module && i.import_all, module.is_module && i.is_exported,
                    module.is_module && i.is_meta);
      }
      return set;
    };
    const auto before = keys(o), after = keys(c);
    for (const Key& import : before) {
      if (after.contains(import)) continue;
      AddFileReason(kImportsChanged, "The candidate does not import " + Quote(std::get<0>(import)) +
                                         " as the original does.");
    }
    for (const Key& import : after) {
      if (before.contains(import) || request_.allow_more_imports) continue;
      AddFileReason(kImportsChanged, "The candidate imports " + Quote(std::get<0>(import)) +
                                         ", but the original does not.");
    }
  }

  void AddTarget(std::string name, const Constant* constant) {
    verdict_.targets.push_back({});
    verdict_.targets.back().name = std::move(name);
    targets_.push_back(constant);
    if (constant != nullptr) target_names_.insert(constant->name);
  }

  void FindTargets() {
    FindNamedTargets();
    const bool every = request_.targets.empty();
    if (!every && !request_.all_open_theorems) return;
    std::map<std::string, const Constant*> found;  // in a stable order
    for (const Constant& constant : original_.module.constants) {
      if (target_names_.contains(constant.name) || !UsesSorryDirectly(constant)) continue;
      const bool theorem = constant.kind == ConstantKind::kTheorem &&
                           !IsGenerated(terms_, constant.name) &&
                           !IsMacroScoped(terms_, constant.name);
      if (every || theorem) found.emplace(terms_.Print(constant.name), &constant);
    }
    for (const auto& [name, constant] : found) AddTarget(name, constant);
  }

  void FindNamedTargets() {
    for (const std::string& name : request_.targets) {
      const Constant* constant = name.starts_with(':') ? ByLine(name) : ByName(name);
      AddTarget(name, constant);
      if (constant == nullptr) {
        std::string message =
            "The original has no declaration `" + name +
            "` to prove (an `example` has no name and leaves nothing to compare).";
        if (name.starts_with(':')) {
          message = "Line " + name.substr(1, name.find('.') - 1) +
                    " of the original has no declaration to prove, or several that have no name: "
                    "put them on separate lines.";
        }
        verdict_.targets.back().reasons.push_back({kTargetUnknown, std::move(message)});
      }
    }
  }

  // A private declaration is found by the name in its source, unless several share it.
  const Constant* ByName(const std::string& text) {
    const NameId name = terms_.ParseName(text);
    if (const Constant* constant = original_.Find(name)) return constant;
    if (private_names_.empty()) {
      for (const Constant& c : original_.module.constants) {
        if (PrivatePrefix(terms_, c.name) == NameId::kAnonymous) continue;
        const auto [at, fresh] = private_names_.emplace(terms_.Print(c.name), &c);
        if (!fresh) at->second = nullptr;
      }
    }
    const auto found = private_names_.find(terms_.Print(name));
    return found == private_names_.end() ? nullptr : found->second;
  }

  // The smallest declaration around the line, if it is one: of `:3.t`, those whose names end in t.
  const Constant* ByLine(const std::string& text) const {
    uint64_t line = 0;
    const char* const end = text.data() + text.size();
    const char* after = std::from_chars(text.data() + 1, end, line).ptr;
    if (after != end) ++after;
    const std::string_view last(after, static_cast<size_t>(end - after));
    const Constant* best = nullptr;
    bool several = false;
    uint64_t best_size = ~uint64_t{0};
    for (const DeclarationRange& range : original_.module.ranges) {
      const Constant* constant = original_.Find(range.name);
      const uint64_t size = range.last_line - range.first_line;
      if (constant == nullptr || line < range.first_line || line > range.last_line ||
          size > best_size || IsGenerated(terms_, range.name) ||
          (!last.empty() && syntax::LastComponent(terms_.Print(range.name)) != last))
        continue;
      several = size == best_size && constant != best;
      best = constant;
      best_size = size;
    }
    return several ? nullptr : best;
  }

  bool UsesSorryDirectly(const Constant& constant) {
    NameId sorry;
    if (!constant.value || !terms_.FindName(NameId::kAnonymous, "sorryAx", false, &sorry))
      return false;
    return AnyPart(terms_, {*constant.value}, [&](const ExprNode& node, const auto&) {
      return node.kind == ExprKind::kConst && NameId{node.a} == sorry;
    });
  }

  // Declarations that a person wrote have a range in the source. In a file without ranges, those
  // that Lean made are recognized by their names.
  bool IsRequired(const Constant& constant) const {
    if (written_.empty()) return !IsGenerated(terms_, constant.name);
    return written_.contains(constant.name) && !IsMacroScoped(terms_, constant.name);
  }

  void CompareAll() {
    for (const DeclarationRange& range : original_.module.ranges) written_.insert(range.name);
    for (const Constant& o : original_.module.constants) {
      const Constant* c = candidate_.Find(o.name);
      const bool compared = IsRequired(o) || target_names_.contains(o.name) ||
                            o.kind == ConstantKind::kAxiom || o.kind == ConstantKind::kOpaque;
      if (c != nullptr && compared) comparison_.Add(o, *c);
    }
    comparison_.Finish();
    for (const Constant& o : original_.module.constants) {
      if (!IsRequired(o) || target_names_.contains(o.name)) continue;
      Reason reason;
      if (Differs(o, &reason)) verdict_.reasons.push_back(std::move(reason));
    }
  }

  // The inductive type that the constructor or recursor of this name belongs to, or the name
  // itself.
  NameId TypeOf(NameId name) const {
    const Constant* constant = original_.Find(name);
    const bool belongs = constant != nullptr && (constant->kind == ConstantKind::kConstructor ||
                                                 constant->kind == ConstantKind::kRecursor);
    return belongs ? terms_[name].prefix : name;
  }

  bool Differs(const Constant& o, Reason* reason) const {
    const Constant* c = candidate_.Find(o.name);
    const std::string what = std::string(Noun(o)) + " " + Quote(o.name);
    if (c == nullptr) {
      *reason = {o.kind == ConstantKind::kTheorem ? kTheoremMissing : kDeclarationMissing,
                 "The " + what + " of the original is not in the candidate."};
      return true;
    }
    const auto difference = comparison_.Find(o, *c);
    reason->code = difference.code;
    switch (difference.code) {
      case kNone:
        return false;
      case kKindChanged:
        reason->message = "The " + what + " became " + (IsVowel(Noun(*c)[0]) ? "an " : "a ") +
                          Noun(*c) + " in the candidate.";
        break;
      case kUniversesChanged:
        reason->message = "The " + what + " has different universe parameters in the candidate.";
        break;
      case kTypeChanged:
        reason->message = o.kind == ConstantKind::kTheorem
                              ? "The " + what + " states something else in the candidate."
                              : "The " + what + " has a different type in the candidate.";
        break;
      case kSafetyChanged:
        reason->message = "The " + what + " is unsafe or partial in the candidate.";
        break;
      case kDependencyChanged:
        if (TypeOf(difference.name) == TypeOf(o.name)) {
          reason->message = "The " + what + " is defined differently in the candidate.";
        } else {
          reason->message = "The " + what + " depends on " + Quote(TypeOf(difference.name)) +
                            ", which the candidate changed.";
        }
        break;
      default:
        reason->message = "The " + what + " is defined differently in the candidate.";
        break;
    }
    return true;
  }

  void CheckAdditions(ImportedNames& imported, const Dependencies& dependencies) {
    const auto meta = dependencies.UsersThroughOthers(
        [&](NameId name) {
          return IsMetaName(terms_, name) ||
                 (IsEffectName(terms_, name) && candidate_.Find(name) == nullptr);
        },
        [&](const Constant& c) { return IsOfNotation(terms_, c); });
    for (const Constant& c : candidate_.module.constants) {
      if (c.kind == ConstantKind::kAxiom && !IsInOriginal(c)) {
        AddFileReason(kNewAxiom, "The candidate declares the axiom " + Quote(c.name) +
                                     ", which the original does not have.");
      }
      if (original_.Find(c.name) == nullptr && IsMetaProgram(terms_, c, meta)) {
        Reason reason{kMetaProgram, "The candidate defines " + Quote(c.name) +
                                        ", a program that could run inside Lean and put anything "
                                        "into the compiled file."};
        auto& reasons = request_.allow_programs ? verdict_.programs : verdict_.reasons;
        reasons.push_back(std::move(reason));
      }
      if (imported.Find(c.name) != nullptr && !IsGenerated(terms_, c.name)) {
        AddFileReason(kShadowsImport, "The candidate declares " + Quote(c.name) +
                                          ", which an imported module declares already.");
      }
    }
    for (const CodeAttribute& attribute : candidate_.module.code_attributes) {
      if (attribute.kind != CodeAttribute::Kind::kInit ||
          Contains(original_.module.code_attributes, attribute))
        continue;
      AddFileReason(kMetaProgram, "The candidate initializes " + Quote(attribute.names[0]) +
                                      ": the program for that runs in every file that imports "
                                      "this one.");
    }
  }

  // Neither what was proved in the original nor what the candidate adds may depend on a new
  // `sorry`, even if no target uses it.
  void CheckNewSorrys(const Dependencies& dependencies) {
    NameId sorry;
    if (!terms_.FindName(NameId::kAnonymous, "sorryAx", false, &sorry)) return;
    std::unordered_set<NameId> unproved = target_names_;  // in the original
    std::unordered_set<NameId> refused;
    for (const Constant* user : dependencies.UsersOf(sorry)) {
      const NameId name = WithoutGenerated(terms_, user->name);
      if (IsMacroScoped(terms_, name) || unproved.contains(name)) continue;
      if (original_.Find(name) == nullptr) {
        unproved.insert(name);
        refused.insert(name);
        AddFileReason(kUsesSorry, "The candidate adds " + Quote(name) + ", which has a `sorry`.");
        continue;
      }
      const bool had_one =
          std::any_of(original_.module.constants.begin(), original_.module.constants.end(),
                      [&](const Constant& o) {
                        return WithoutGenerated(terms_, o.name) == name && UsesSorryDirectly(o);
                      });
      unproved.insert(name);
      if (!had_one) {
        AddFileReason(kUsesSorry, "The candidate has a `sorry` in " + Quote(name) +
                                      ", where the original has none.");
      }
    }
    CheckAddedPrograms(sorry, refused, dependencies);
  }

  // What rests on a false statement that is still open may have no type that means anything, and
  // Lean may compute with it while it elaborates. What the original defines is its own business,
  // also where a proof in it is open.
  void CheckAddedPrograms(NameId sorry, const std::unordered_set<NameId>& refused,
                          const Dependencies& dependencies) {
    const auto is_program = [](const Constant& c) {
      return c.kind == ConstantKind::kDefinition || c.kind == ConstantKind::kOpaque;
    };
    const auto users = dependencies.UsersThroughOthers([&](NameId name) { return name == sorry; },
                                                       [&](const Constant& c) {
                                                         const Constant* o = original_.Find(c.name);
                                                         return o != nullptr && is_program(*o);
                                                       });
    std::unordered_set<NameId> written;
    for (const DeclarationRange& range : candidate_.module.ranges) written.insert(range.name);
    for (const Constant& c : candidate_.module.constants) {
      if (!is_program(c) || !users.contains(c.name) || refused.contains(c.name)) continue;
      const bool made_by_lean =
          !written.contains(c.name) && original_.Find(WithoutGenerated(terms_, c.name)) != nullptr;
      if (original_.Find(c.name) != nullptr || made_by_lean) continue;
      AddFileReason(kUsesSorry,
                    "The candidate adds " + Quote(c.name) + ", which rests on a `sorry`.");
    }
  }

  // For axioms and opaque constants, all of which are compared.
  bool IsInOriginal(const Constant& c) const {
    const Constant* o = original_.Find(c.name);
    return o != nullptr && o->kind == c.kind && comparison_.Find(*o, c).code == kNone;
  }

  void JudgeTarget(size_t index, Dependencies& dependencies) {
    TargetVerdict& target = verdict_.targets[index];
    const Constant* original = targets_[index];
    if (original == nullptr) return;
    Reason reason;
    if (Differs(*original, &reason)) target.reasons.push_back(std::move(reason));
    const Constant* constant = candidate_.Find(original->name);
    if (constant == nullptr) return;
    const Reached reached = dependencies.From(*constant);
    CheckConstants(reached, dependencies, &target);
    CheckAxioms(reached, *original, &target);
    CheckAttributes(reached, &target);
    const auto& reasons = target.reasons;
    if (reasons.size() == 1 && reasons[0].code == kUsesSorry)
      FindOpenTheorems(*constant, dependencies, &target);
  }

  void FindOpenTheorems(const Constant& proof, Dependencies& dependencies, TargetVerdict* target) {
    const Reached reached = dependencies.From(proof, [&](const Constant& c) {
      const Constant* o = original_.Find(c.name);
      const bool is_open = &c != &proof && o != nullptr && o->kind == ConstantKind::kTheorem &&
                           UsesSorryDirectly(*o) && UsesSorryDirectly(c) &&
                           (IsRequired(*o) || target_names_.contains(o->name)) &&
                           comparison_.Find(*o, c).code == kNone;
      if (is_open) target->from.push_back(terms_.Print(c.name));
      return is_open;
    });
    target->otherwise_complete = true;
    for (const IndexedConstant* c : reached.imported) {
      const std::string name = library_.terms().Print(c->name);
      if (name == "sorryAx") target->otherwise_complete = false;
      if (std::ranges::count(AxiomsOf(*c), "sorryAx", &ImportedAxiom::full) > 0)
        target->from.push_back(OwnerOf(*c));
    }
    std::ranges::sort(target->from);
    const auto repeated = std::ranges::unique(target->from);
    target->from.erase(repeated.begin(), repeated.end());
  }

  void CheckConstants(const Reached& reached, const Dependencies& dependencies,
                      TargetVerdict* target) {
    const auto add = [&](ReasonCode code, const std::string& before, NameId name,
                         const std::string& after) {
      target->reasons.push_back({code, before + Quote(name) + after});
    };
    for (const NameId name : reached.unknown) {
      add(kUnknownConstant, "The proof uses ", name,
          ", which neither the candidate nor its imports declare.");
    }
    for (const NameId name : reached.circular) {
      add(kCircularProof, "The proof uses ", name, ", which uses itself.");
    }
    for (const Constant* c : reached.local) {
      if (c->safety == Safety::kUnsafe)
        add(kUnsafeConstant, "The proof uses ", c->name, ", which is unsafe.");
      if (c->safety == Safety::kPartial || IsNewPartial(*c))
        add(kPartialConstant, "The proof uses ", c->name, ", which is partial.");
      if (dependencies.IsMalformed(*c)) {
        add(kMalformedConstant, "The proof uses ", c->name,
            ", whose term has free variables: Lean's kernel cannot have checked it.");
      }
    }
    for (const IndexedConstant* c : reached.imported) {
      if (!c->is_unsafe) continue;
      target->reasons.push_back({kUnsafeConstant, "The proof uses the imported constant `" +
                                                      library_.terms().Print(c->name) +
                                                      "`, which is unsafe."});
    }
  }

  // `partial def f` becomes an opaque `f`, which is sound, and an unsafe `f._unsafe_rec` for the
  // compiler. The original may use its own.
  bool IsNewPartial(const Constant& c) const {
    NameId code;
    return c.kind == ConstantKind::kOpaque &&
           terms_.FindName(c.name, "_unsafe_rec", false, &code) &&
           candidate_.Find(code) != nullptr && !IsInOriginal(c);
  }

  // An axiom that the statement itself mentions is part of the question.
  void CheckAxioms(const Reached& reached, const Constant& original, TargetVerdict* target) {
    const OfStatement of_statement = WhatStatementUses(original);
    for (const Constant* c : reached.local) {
      if (c->kind != ConstantKind::kAxiom) continue;
      const std::string name = AxiomName(terms_, c->name);
      const bool given =
          IsInOriginal(*c) && (request_.allow_axioms_of_original || IsAllowed(name) ||
                               of_statement.mentioned.contains(terms_.PrintFull(c->name)));
      AddAxiom(name, given, target);
    }
    for (const IndexedConstant* c : reached.imported) {
      const std::string name = AxiomName(library_.terms(), c->name);
      if (c->kind == ConstantKind::kAxiom && !c->stripped) {
        const std::string full = library_.terms().PrintFull(c->name);
        AddAxiom(name, IsAllowed(name) || of_statement.mentioned.contains(full), target);
      } else if (RunsCompiledCode(name)) {
        target->reasons.push_back(
            {kNativeCode,
             "The proof uses `" + name + "`: it trusts compiled code, which nothing checks."});
      }
    }
    AddAxiomsOfImports(reached, of_statement, target);
    std::sort(target->axioms.begin(), target->axioms.end());
  }

  const std::vector<ImportedAxiom>& AxiomsOf(const IndexedConstant& imported) const {
    return imported_axioms_->Of(library_.terms().PrintFull(imported.name));
  }

  // The declaration that a person wrote.
  std::string OwnerOf(const IndexedConstant& imported) const {
    const Terms& terms = library_.terms();
    const bool belongs =
        imported.kind == ConstantKind::kConstructor || imported.kind == ConstantKind::kRecursor;
    return terms.Print(belongs ? terms[imported.name].prefix
                               : WithoutGenerated(terms, imported.name));
  }

  struct OfStatement {
    std::set<std::string> mentioned;  // full names, of more than axioms
    std::set<std::string> below;      // axioms that imported constants among them rest on
  };
  OfStatement WhatStatementUses(const Constant& original) const {
    OfStatement found;
    for (const NameId name : UsedByStatement(terms_, original_, original)) {
      const std::string full = terms_.PrintFull(name);
      for (const ImportedAxiom& axiom : imported_axioms_->Of(full)) found.below.insert(axiom.full);
      found.mentioned.insert(full);
    }
    return found;
  }

  bool IsAllowed(const std::string& axiom) const {
    return std::ranges::count(request_.allowed_axioms, axiom) > 0;
  }

  // Those that `native_decide` made for one declaration count as one in imports.
  bool IsAllowedInImports(const std::string& axiom) const {
    const std::string one_of = axiom + ".";
    return IsAllowed(axiom) ||
           (IsNativeAxiom(one_of) &&
            std::ranges::any_of(request_.allowed_axioms,
                                [&](const auto& allowed) { return allowed.starts_with(one_of); }));
  }

  void AddAxiomsOfImports(const Reached& reached, const OfStatement& of_statement,
                          TargetVerdict* target) {
    std::set<std::string> done;  // what the proof mentions itself
    for (const IndexedConstant* c : reached.imported) {
      if (c->kind == ConstantKind::kAxiom) done.insert(library_.terms().PrintFull(c->name));
    }
    for (const IndexedConstant* c : reached.imported) {
      const auto& axioms = AxiomsOf(*c);
      // In Lean's library these rest on the others that trust compiled code.
      const bool computes = std::ranges::any_of(axioms, [](const ImportedAxiom& axiom) {
        return axiom.full == "Lean.ofReduceBool" || axiom.full == "Lean.ofReduceNat";
      });
      for (const auto& [full, shown] : axioms) {
        if (computes && (full == "Lean.trustCompiler" || RunsCompiledCode(full))) continue;
        if (!done.insert(full).second) continue;
        const bool given =
            of_statement.mentioned.contains(full) || of_statement.below.contains(full);
        AddAxiom(shown, given || IsAllowedInImports(shown), target,
                 " (the imported `" + OwnerOf(*c) + "` rests on it)");
      }
    }
  }

  // `where`: how the proof came to use it.
  void AddAxiom(const std::string& name, bool allowed, TargetVerdict* target,
                const std::string& where = "") {
    target->axioms.push_back(name);
    if (allowed && name != "sorryAx") return;
    if (name == "sorryAx") {
      target->reasons.push_back(
          {kUsesSorry,
           "The proof is not complete: it, or something it uses, contains `sorry`" + where + "."});
    } else if (IsNativeAxiom(name) || RunsCompiledCode(name)) {
      target->reasons.push_back(
          {kNativeCode, "The proof uses `native_decide` or a similar tactic (axiom `" + name + "`" +
                            where + "): it trusts compiled code, which nothing checks."});
    } else {
      target->reasons.push_back({kAxiomNotAllowed, "The proof uses the axiom `" + name + "`" +
                                                       where + ", which is not allowed."});
    }
  }

  void CheckAttributes(const Reached& reached, TargetVerdict* target) {
    if (candidate_.module.code_attributes.empty()) return;
    const std::unordered_set<NameId> names(reached.names.begin(), reached.names.end());
    const auto& before = original_.module.code_attributes;
    for (const CodeAttribute& attribute : candidate_.module.code_attributes) {
      if (attribute.kind == CodeAttribute::Kind::kInit || Contains(before, attribute)) continue;
      const auto used = std::find_if(attribute.names.begin(), attribute.names.end(),
                                     [&](NameId name) { return names.contains(name); });
      if (used == attribute.names.end()) continue;
      constexpr struct {
        ReasonCode code;
        const char* text;
      } kKinds[] = {
          {kImplementedBy, "@[implemented_by]"}, {kExtern, "@[extern]"}, {kCSimp, "@[csimp]"}};
      const auto& kind = kKinds[static_cast<size_t>(attribute.kind)];
      target->reasons.push_back({kind.code, "The candidate marks " + Quote(attribute.names[0]) +
                                                " as " + kind.text +
                                                ", which the proof uses: compiled code may "
                                                "differ from what was proved about it."});
    }
  }

  const JudgeRequest& request_;
  Library& library_;
  Terms& terms_;
  const IndexedModule& original_;
  const IndexedModule& candidate_;
  Comparison comparison_;
  std::shared_ptr<const kernel::Closure> closure_;
  const ImportedAxioms none_;
  const ImportedAxioms* imported_axioms_ = &none_;  // of closure_
  Verdict verdict_;
  std::vector<const Constant*> targets_;  // parallel to verdict_.targets
  std::unordered_set<NameId> target_names_;
  std::unordered_set<NameId> written_;
  std::unordered_map<std::string, const Constant*> private_names_;
};

}  // namespace

core::Result<CandidateReview> ReviewCandidate(const JudgeRequest& request, Library& library,
                                              Terms& terms, const IndexedModule& original,
                                              const IndexedModule& candidate) {
  Reviewer reviewer(request, library, terms, original, candidate);
  if (auto compared = reviewer.Run(); !compared) return core::Fail(compared.error());
  return reviewer.Take();
}

}  // namespace zermelo::trust
