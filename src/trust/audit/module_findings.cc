#include "trust/audit/module_findings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "kernel/olean/term_reader.h"
#include "kernel/term/names.h"
#include "trust/axioms.h"
#include "trust/native_code.h"

namespace zermelo::trust {

namespace {

using kernel::ConstantObjects;
using kernel::Object;
using kernel::Value;

constexpr std::string_view kSorry = "sorryAx";
// Tags of Lean.Expr.
constexpr uint8_t kHeadConst = 4, kHeadApp = 5, kHeadLambda = 6, kHeadMData = 10;

/// A declaration of the source with all constants that Lean made of it.
struct Owner {
  std::string name = {};
  bool is_private = false;
  uint64_t line = 0;
  std::set<std::string> axioms = {};
  std::set<std::string> declared_axioms = {};
  bool has_sorry = false;
  std::set<std::pair<FindingKind, std::string>> marks = {};
};

class ModuleAudit {
 public:
  explicit ModuleAudit(const AuditedModule& module)
      : module_(module), terms_(module.reader.terms()), names_(module.image, terms_, {}) {
    for (const DeclarationRange& range : module.objects.ranges)
      lines_.emplace(range.name, range.first_line);
    for (const ConstantObjects& constant : module.objects.constants)
      declared_.insert(constant.name);
  }

  void AddTo(AuditReport* report) {
    const auto& constants = module_.objects.constants;
    for (size_t i = 0; i < constants.size(); ++i) AddConstant(constants[i], module_.axioms[i]);
    for (const CodeAttribute& attribute : module_.objects.code_attributes) AddAttribute(attribute);
    for (auto& [id, owner] : owners_) {
      AddDependencies(&owner);
      const std::string private_in = owner.is_private ? module_.name : "";
      for (const auto& [kind, detail] : owner.marks) {
        report->findings.push_back({owner.name, kind, detail, private_in, module_.name, owner.line,
                                    Statement(owner, kind, detail)});
      }
      if (IsMacroScoped(terms_, id)) continue;  // nobody can name it
      report->declarations.push_back(
          {owner.name, module_.name, owner.line, {owner.axioms.begin(), owner.axioms.end()}});
    }
  }

 private:
  /// The nearest declaration around a name that has a place in the source; else the name without
  /// what Lean appends.
  NameId OwnerOf(NameId name) const {
    for (NameId n = name; n != NameId::kAnonymous; n = terms_[n].prefix) {
      if (lines_.contains(n) && declared_.contains(n)) return n;
    }
    return WithoutGenerated(terms_, name);
  }

  Owner& OwnerAt(NameId name) {
    const NameId id = OwnerOf(name);
    const auto [at, fresh] = owners_.try_emplace(id);
    if (!fresh) return at->second;
    at->second.name = terms_.Print(id);
    at->second.is_private = PrivatePrefix(terms_, id) != NameId::kAnonymous;
    if (const auto line = lines_.find(id); line != lines_.end()) at->second.line = line->second;
    return at->second;
  }

  void AddConstant(const ConstantObjects& constant, const ConstantAxioms& found) {
    Owner& owner = OwnerAt(constant.name);
    for (const uint32_t axiom : module_.reader.sets()[found.axioms])
      owner.axioms.insert(AxiomName(terms_, NameId{axiom}));
    owner.has_sorry |= found.mentions_sorry;
    const bool is_written = OwnerOf(constant.name) == constant.name;
    const auto mark = [&](FindingKind kind) { owner.marks.emplace(kind, ""); };
    if (constant.kind == ConstantKind::kAxiom && !IsNativeAxiom(terms_.Print(constant.name))) {
      mark(FindingKind::kAxiom);
      owner.declared_axioms.insert(AxiomName(terms_, constant.name));
    }
    if (constant.safety == Safety::kUnsafe && is_written) mark(FindingKind::kUnsafe);
    if (constant.safety == Safety::kPartial && is_written) mark(FindingKind::kPartial);
    if (constant.kind != ConstantKind::kOpaque || !is_written) return;
    if (Declares(constant.name, "_unsafe_rec")) {
      mark(FindingKind::kPartial);
    } else if (IsArbitrary(*constant.value)) {
      mark(FindingKind::kOpaque);
    }
  }

  /// What a finding takes for granted. That of an axiom of the project is in the axiom's own
  /// finding, so that its users do not change with it.
  std::string Statement(const Owner& owner, FindingKind kind, const std::string& detail) const {
    std::string hashes;
    if (kind == FindingKind::kAxiom) {
      for (const std::string& axiom : owner.declared_axioms) {
        const auto found = module_.statements.find(axiom);
        if (found != module_.statements.end()) hashes += found->second.hash;
      }
    } else if (kind == FindingKind::kUsesAxiom) {
      const auto found = module_.statements.find(detail);
      if (found != module_.statements.end() && !found->second.is_own) hashes = found->second.hash;
    }
    return hashes;
  }

  bool Declares(NameId prefix, std::string_view last) const {
    NameId name = NameId::kAnonymous;
    return terms_.FindName(prefix, last, false, &name) && declared_.contains(name);
  }

  /// Whether a value is what Lean chooses where none was written: an element of an inhabited or
  /// nonempty type.
  bool IsArbitrary(Value value) {
    while (!value.boxed) {
      Object object;
      NameId name = NameId::kAnonymous;
      if (!module_.image.At(value.object, &object)) return false;
      switch (object.tag) {
        case kHeadConst:
          if (!module_.image.Field(object, 0, &value) || !names_.Name(value, &name)) return false;
          return IsChoice(terms_.Print(name));
        case kHeadApp:
          if (!module_.image.Field(object, 0, &value)) return false;
          break;
        case kHeadLambda:
          if (!module_.image.Field(object, 2, &value)) return false;
          break;
        case kHeadMData:
          if (!module_.image.Field(object, 1, &value)) return false;
          break;
        default:
          return false;
      }
    }
    return false;
  }

  static bool IsChoice(const std::string& name) {
    return name == "Inhabited.default" || name == "Classical.ofNonempty" ||
           name == "Classical.choice";
  }

  void AddAttribute(const CodeAttribute& attribute) {
    // The marked declaration is the first of the names; of @[csimp], a theorem about the others.
    const bool is_csimp = attribute.kind == CodeAttribute::Kind::kCSimp;
    const NameId name = is_csimp ? attribute.names.back() : attribute.names.front();
    // @[csimp] may be given to a theorem of an import.
    if (!is_csimp && !declared_.contains(name)) return;
    const std::string by =
        attribute.names.size() > 1 ? terms_.Print(attribute.names[1]) : std::string();
    auto& marks = OwnerAt(name).marks;
    switch (attribute.kind) {
      case CodeAttribute::Kind::kImplementedBy:
        marks.emplace(FindingKind::kImplementedBy, by);
        break;
      case CodeAttribute::Kind::kExtern:
        marks.emplace(FindingKind::kExtern, "");
        break;
      case CodeAttribute::Kind::kCSimp:
        marks.emplace(FindingKind::kCSimp, "");
        break;
      case CodeAttribute::Kind::kInit:  // what it runs is no proof
        break;
    }
  }

  /// Marks what the axioms of a declaration mean; of native code, only the axioms that say so stay
  /// among them.
  void AddDependencies(Owner* owner) const {
    auto& axioms = owner->axioms;
    const bool native = std::ranges::any_of(axioms, IsNativeAxiom);
    if (axioms.contains(std::string(kSorry)))
      owner->marks.emplace(owner->has_sorry ? FindingKind::kSorry : FindingKind::kUsesSorry, "");
    for (const std::string& axiom : axioms) {
      if (axiom == kSorry || std::ranges::count(module_.allowed_axioms, axiom) > 0) continue;
      if (IsNativeAxiom(axiom) || (!native && RunsCompiledCode(axiom))) {
        owner->marks.emplace(FindingKind::kNativeCode, NativeOwner(axiom));
      } else if (!RunsCompiledCode(axiom) && !owner->declared_axioms.contains(axiom)) {
        owner->marks.emplace(FindingKind::kUsesAxiom, axiom);
      }
    }
    std::erase_if(axioms, [](const std::string& axiom) { return RunsCompiledCode(axiom); });
  }

  const AuditedModule& module_;
  Terms& terms_;
  kernel::TermReader names_;
  std::unordered_map<NameId, uint64_t> lines_;
  std::unordered_set<NameId> declared_;
  std::map<NameId, Owner> owners_;
};

}  // namespace

void AddFindings(const AuditedModule& module, AuditReport* report) {
  ModuleAudit(module).AddTo(report);
}

}  // namespace zermelo::trust
