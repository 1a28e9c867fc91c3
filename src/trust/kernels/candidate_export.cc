#include "trust/kernels/candidate_export.h"

#include <utility>

#include "kernel/files/ndjson_writer.h"
#include "kernel/olean/imports.h"

namespace zermelo::trust {

std::optional<kernel::Violation> AddConstants(const Module& module, Terms& terms,
                                              kernel::Environment& environment) {
  for (const Constant& constant : module.constants) {
    auto declaration = kernel::ToDeclaration(constant, terms);
    if (!declaration) return kernel::Violation{constant.name, declaration.error().message};
    if (!environment.Add(*std::move(declaration)))
      return kernel::Violation{constant.name, "it has no name, or one that was declared before"};
  }
  return std::nullopt;
}

std::vector<NameId> ImportedModules(const Module& module) {
  std::vector<NameId> imports;
  imports.reserve(module.imports.size());
  for (const Import& import : module.imports) imports.push_back(import.module);
  return imports;
}

core::Status CandidateExport::Read(kernel::Library& library) {
  std::optional<kernel::Violation> violation = AddConstants(module_, terms_, environment_);
  if (!violation) {
    kernel::ImportOptions options;
    options.mode = kernel::ImportOptions::Mode::kProofs;
    auto added = kernel::AddImports(ImportedModules(module_), library, options, environment_);
    if (!added) return core::Fail(added.error());
    stripped_.insert(added->stripped.begin(), added->stripped.end());
    violation = std::move(added->violation);
  }
  if (!violation) return {};
  return core::Fail(core::ErrorCode::kInput,
                    "`" + terms_.Print(violation->name) + "`: " + violation->reason);
}

std::vector<std::string> CandidateExport::Write(
    const std::function<void(std::string_view)>& write) {
  if (environment_.declarations().empty()) {  // without Read
    if (AddConstants(module_, terms_, environment_)) return {};
    write(kernel::ImportsLine(ImportedModules(module_), terms_));
  }
  std::vector<NameId> roots;
  for (const Constant& constant : module_.constants) {
    const kernel::Declaration* declaration = environment_.Find(constant.name);
    if (declaration != nullptr && !declaration->IsUnsafe()) roots.push_back(constant.name);
  }
  safe_constants_ = roots.size();
  const kernel::NdjsonSummary summary = kernel::WriteNdjson(
      environment_, roots, {module_.header.lean_version, module_.header.commit}, write);
  std::vector<std::string> hidden;
  for (const NameId name : summary.missing) hidden.push_back(terms_.Print(name));
  if (summary.too_large) hidden.push_back(terms_.Print(*summary.too_large));
  for (const NameId name : summary.axioms) {
    if (stripped_.contains(name)) hidden.push_back(terms_.Print(name));
  }
  return hidden;
}

}  // namespace zermelo::trust
