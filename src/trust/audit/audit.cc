#include "trust/audit/audit.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/names.h"
#include "kernel/olean/library.h"
#include "kernel/olean/term_reader.h"
#include "kernel/term/names.h"
#include "trust/audit/axiom_reader.h"
#include "trust/audit/module_findings.h"
#include "trust/audit/statement_hash.h"
#include "trust/axioms.h"
#include "trust/native_code.h"

namespace zermelo::trust {

namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using kernel::ModuleFile;

struct KindRow {
  FindingKind kind;
  const char* name;
  const char* meaning;
};
constexpr KindRow kKinds[] = {
    {FindingKind::kAxiom, "axiom", "is an axiom"},
    {FindingKind::kSorry, "sorry", "has a sorry"},
    {FindingKind::kUsesSorry, "uses_sorry", "depends on a declaration with a sorry"},
    {FindingKind::kUsesAxiom, "uses_axiom", "depends on the axiom"},
    {FindingKind::kNativeCode, "native_code", "trusts compiled code:"},
    {FindingKind::kUnsafe, "unsafe", "is unsafe"},
    {FindingKind::kPartial, "partial", "is partial"},
    {FindingKind::kOpaque, "opaque", "is an opaque constant without a body"},
    {FindingKind::kImplementedBy, "implemented_by", "is compiled as"},
    {FindingKind::kExtern, "extern", "is compiled as foreign code"},
    {FindingKind::kCSimp, "csimp", "rewrites compiled code (@[csimp])"},
};

/// Visits modules after those that they import.
class Auditor {
 public:
  explicit Auditor(const AuditRequest& request) : request_(request) {
    for (const ModuleFile& file : request.files) {
      if (!file.name.empty()) own_.emplace(core::ModulePath(file.name), &file);
    }
  }

  core::Result<AuditReport> Run() {
    for (const ModuleFile& file : request_.files) {
      if (auto read = ReadAll({file.name, file.file, true}); !read) return core::Fail(read.error());
    }
    for (const AuditedDeclaration& declaration : report_.declarations) {
      for (const std::string& axiom : declaration.axioms) ++report_.axioms[axiom];
    }
    std::ranges::sort(report_.findings);
    std::ranges::stable_sort(report_.declarations, [](const auto& a, const auto& b) {
      return std::tie(a.module, a.line) < std::tie(b.module, b.line);
    });
    return std::move(report_);
  }

 private:
  struct Visit {
    std::string name;  // may be empty
    fs::path file;
    bool is_own = false;
    std::vector<std::string> imports = {};
    bool is_open = false;
  };
  enum class State : uint8_t { kOpen, kDone };

  /// A module and what it imports, depth first.
  core::Status ReadAll(Visit first) {
    std::vector<Visit> stack = {std::move(first)};
    while (!stack.empty()) {
      if (!stack.back().is_open) {
        const std::string key = Key(stack.back());
        if (states_.contains(key)) {
          stack.pop_back();
          continue;
        }
        states_.emplace(key, State::kOpen);
        if (auto opened = Open(&stack.back()); !opened) return opened;
      }
      if (stack.back().imports.empty()) {
        if (auto read = ReadOne(stack.back()); !read) return read;
        states_[Key(stack.back())] = State::kDone;
        stack.pop_back();
        continue;
      }
      auto import = Find(stack.back());
      if (!import) return core::Fail(import.error());
      stack.back().imports.pop_back();
      if (*import) stack.push_back(**std::move(import));
    }
    return {};
  }

  /// The same whether the name is quoted or not.
  static std::string Key(const Visit& visit) {
    return visit.name.empty() ? visit.file.native() : core::ModulePath(visit.name);
  }

  core::Status Open(Visit* visit) {
    visit->is_open = true;
    if (auto opened = image_.Open(visit->file); !opened) return InFile(*visit, opened.error());
    const auto imports = ReadImports(image_, reader_.terms());
    if (!imports) return InFile(*visit, imports.error());
    for (const Import& import : *imports)
      visit->imports.push_back(reader_.terms().PrintFull(import.module));
    return {};
  }

  /// The last import of a module; nullopt if it has been read.
  core::Result<std::optional<Visit>> Find(const Visit& visit) const {
    const std::string& name = visit.imports.back();
    const std::string path = core::ModulePath(name);
    if (const auto known = states_.find(path); known != states_.end()) {
      if (known->second == State::kDone) return std::nullopt;
      return core::Fail(ErrorCode::kInput, "the module " + name + " imports itself");
    }
    if (const auto own = own_.find(path); own != own_.end())
      return Visit{name, own->second->file, true};
    const std::string relative = path + ".olean";
    for (const fs::path& folder : request_.search_path) {
      std::error_code ignored;
      if (fs::exists(folder / relative, ignored)) return Visit{name, folder / relative};
    }
    return core::Fail(ErrorCode::kEnvironment, "the imported module " + name + " was not found",
                      "build it, or name its folder with --path");
  }

  core::Status ReadOne(const Visit& visit) {
    if (auto opened = image_.Open(visit.file); !opened) return InFile(visit, opened.error());
    const auto module = ReadObjects(image_, reader_.terms());
    if (!module) return InFile(visit, module.error());
    const bool incomplete = module->is_module && !image_.has_private();
    if (visit.is_own && incomplete) {
      return InFile(visit, {ErrorCode::kInput, "it has no .olean.private part, so it has no proofs",
                            "keep the .olean, .olean.server and .olean.private files together"});
    }
    const auto axioms = reader_.Read(image_, *module);
    if (!axioms) return InFile(visit, axioms.error());
    if (auto read = ReadStatements(visit, *module); !read) return read;
    ++(visit.is_own ? report_.modules : report_.imported_modules);
    if (incomplete) ++report_.imported_without_proofs;
    if (!visit.is_own) return {};
    report_.lean_version = module->header.lean_version;
    report_.lean_commit = module->header.commit;
    AddFindings(
        {visit.name, request_.allowed_axioms, statements_, reader_, image_, *module, *axioms},
        &report_);
    return {};
  }

  /// Notes what the axioms of an opened module state.
  core::Status ReadStatements(const Visit& visit, const kernel::ModuleObjects& module) {
    const auto states = [](const kernel::ConstantObjects& constant) {
      return constant.kind == ConstantKind::kAxiom && !constant.stripped;
    };
    if (std::ranges::none_of(module.constants, states)) return {};
    Terms& terms = reader_.terms();
    kernel::TermReader types(image_, terms, {});
    for (const kernel::ConstantObjects& constant : module.constants) {
      if (!states(constant)) continue;
      ExprId type{};
      if (!types.Expr(constant.type, &type)) return InFile(visit, image_.error());
      // Two modules that do not import each other may declare the same name: both statements count.
      AxiomStatement& known = statements_[AxiomName(terms, constant.name)];
      const std::string hash = StatementHash(terms, type);
      if (known.hash.find(hash) == std::string::npos) {
        known.hash += known.hash.empty() ? hash : "+" + hash;
      }
      known.is_own |= visit.is_own;
    }
    return {};
  }

  static core::Status InFile(const Visit& visit, core::Error error) {
    error.message = visit.file.string() + ": " + error.message;
    return core::Fail(std::move(error));
  }

  const AuditRequest& request_;
  std::unordered_map<std::string, const ModuleFile*> own_;
  std::unordered_map<std::string, State> states_;
  OleanImage image_;
  AxiomReader reader_;
  AxiomStatements statements_;
  AuditReport report_;
};

}  // namespace

const char* Name(FindingKind kind) { return kKinds[static_cast<size_t>(kind)].name; }
const char* Meaning(FindingKind kind) { return kKinds[static_cast<size_t>(kind)].meaning; }

bool ParseFindingKind(const std::string& name, FindingKind* kind) {
  const auto row = std::ranges::find(kKinds, name, [](const KindRow& r) { return r.name; });
  if (row == std::end(kKinds)) return false;
  *kind = row->kind;
  return true;
}

std::strong_ordering AuditFinding::operator<=>(const AuditFinding& other) const {
  return std::tie(declaration, kind, detail, private_in, statement) <=>
         std::tie(other.declaration, other.kind, other.detail, other.private_in, other.statement);
}

bool AuditFinding::IsAboutTheSame(const AuditFinding& other) const {
  return std::tie(declaration, kind, detail, private_in) ==
         std::tie(other.declaration, other.kind, other.detail, other.private_in);
}

core::Result<AuditReport> Audit(const AuditRequest& request) { return Auditor(request).Run(); }

}  // namespace zermelo::trust
