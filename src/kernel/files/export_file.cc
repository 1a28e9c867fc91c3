#include "kernel/files/export_file.h"

#include "kernel/files/ndjson_writer.h"
#include "kernel/olean/declarations.h"
#include "kernel/olean/imports.h"

namespace zermelo::kernel {

namespace {

core::Result<ExportReport> ReportOf(const NdjsonSummary& summary, const Terms& terms) {
  if (summary.too_large) {
    return core::Fail(core::ErrorCode::kInput, terms.Print(*summary.too_large) +
                                                   " has a number of more than 100,000 digits, "
                                                   "which is not exported");
  }
  ExportReport report;
  report.declarations = summary.declarations;
  for (const NameId name : summary.missing) report.missing.push_back(terms.Print(name));
  return report;
}

}  // namespace

core::Result<ExportReport> ExportFile(const ExportRequest& request,
                                      const std::function<void(std::string_view)>& write) {
  Terms terms;
  Environment environment(terms);
  OleanImage image;
  if (auto opened = image.Open(request.file); !opened) return core::Fail(opened.error());
  const auto module = ReadModule(image, terms);
  if (!module) return core::Fail(module.error());
  std::vector<NameId> roots, imports;
  for (const Constant& constant : module->constants) {
    auto declaration = ToDeclaration(constant, terms);
    if (!declaration) return core::Fail(declaration.error());
    if (request.names.empty() && !declaration->IsUnsafe()) roots.push_back(constant.name);
    environment.Add(*std::move(declaration));
  }
  for (const std::string& text : request.names) {
    NameId root = terms.ParseName(text);
    if (environment.Find(root) == nullptr) {
      // As its author wrote it: without the prefix of private names.
      for (const Declaration& declaration : environment.declarations()) {
        if (terms.Print(declaration.name) == text) root = declaration.name;
      }
    }
    if (environment.Find(root) == nullptr) {
      return core::Fail(core::ErrorCode::kInput,
                        request.file.string() + " does not declare " + text);
    }
    roots.push_back(root);
  }
  const NdjsonSource source{module->header.lean_version, module->header.commit};
  const size_t own = environment.declarations().size();
  for (const Import& import : module->imports) imports.push_back(import.module);
  if (request.own) {
    write(ImportsLine(imports, terms));
    return ReportOf(WriteNdjson(environment, roots, source, write), terms);
  }
  ImportOptions options;
  options.mode = request.imports ? ImportOptions::Mode::kChecked : ImportOptions::Mode::kProofs;
  Library library(request.search_path);
  const auto imported = AddImports(imports, library, options, environment);
  if (!imported) return core::Fail(imported.error());
  if (imported->violation) {
    return core::Fail(core::ErrorCode::kInput,
                      terms.Print(imported->violation->name) + ": " + imported->violation->reason);
  }
  if (request.imports) {
    for (size_t i = own; i < environment.declarations().size(); ++i) {
      const Declaration& declaration = environment.declarations()[i];
      if (!declaration.IsUnsafe()) roots.push_back(declaration.name);
    }
  }
  return ReportOf(WriteNdjson(environment, roots, source, write), terms);
}

}  // namespace zermelo::kernel
