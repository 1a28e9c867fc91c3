#include "kernel/files/check_file.h"

#include <algorithm>
#include <fstream>
#include <unordered_set>

#include "core/deadline.h"
#include "kernel/files/hidden.h"
#include "kernel/files/ndjson.h"
#include "kernel/olean/declarations.h"
#include "kernel/olean/imports.h"

namespace zermelo::kernel {

namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;

class FileChecker {
 public:
  explicit FileChecker(const FileCheckRequest& request)
      : request_(request), library_(request.search_path) {}

  Result<FileReport> Run() {
    if (request_.files.size() == 1 && !IsCompiledModule(request_.files[0].file))
      return CheckNdjson(request_.files[0].file);
    if (auto read = ReadModules(); !read) return core::Fail(read.error());
    if (report_.verdict.outcome != Decision::kAccepted) return std::move(report_);
    const bool checks_imports = request_.check_imports || request_.imports_only;
    auto report = CheckWith(checks_imports ? ImportOptions::Mode::kChecked
                                           : ImportOptions::Mode::kStatements);
    const bool refused = report && report->verdict.outcome != Decision::kAccepted;
    if (refused && report->imported > 0 && !checks_imports)
      report = CheckWith(ImportOptions::Mode::kProofs);
    if (report && report->verdict.outcome == Decision::kAccepted && !incomplete_.empty()) {
      Refuse(&*report, {Decision::kDeclined, NameId::kAnonymous,
                        "the proofs of " + incomplete_ + " are in " + incomplete_ +
                            ".private, which is missing"});
    }
    return report;
  }

 private:
  FileVerdict Printed(const CheckReport& verdict) const {
    return {.outcome = verdict.outcome,
            .declaration =
                verdict.declaration == NameId::kAnonymous ? "" : terms_.Print(verdict.declaration),
            .reason = verdict.reason};
  }

  void Refuse(FileReport* report, const CheckReport& verdict) const {
    const FileVerdict printed = Printed(verdict);
    if (report->verdict.outcome == Decision::kAccepted) report->verdict = printed;
    report->refused.push_back(printed);
  }

  void Progress(const char* stage, size_t done, size_t count) const {
    if (request_.on_progress) request_.on_progress(stage, done, count);
  }

  Result<FileReport> CheckNdjson(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return core::Fail(ErrorCode::kInput, "cannot open " + file.string());
    Environment environment(terms_);
    NdjsonReader reader(environment);
    std::string line;
    while (std::getline(stream, line)) {
      const CheckReport verdict = reader.Line(line);
      if (verdict.outcome == Decision::kAccepted) continue;
      Refuse(&report_, verdict);
      break;
    }
    if (stream.bad()) return core::Fail(ErrorCode::kInput, "cannot read " + file.string());
    if (report_.verdict.outcome == Decision::kAccepted && environment.declarations().empty() &&
        reader.meta().format_version.empty()) {
      Refuse(&report_,
             {Decision::kDeclined, NameId::kAnonymous, "it is empty: nothing is checked"});
    }
    report_.lean_version = reader.meta().lean_version;
    if (report_.verdict.outcome == Decision::kAccepted)
      Judge(environment, Order::kAsAdded, &report_);
    return std::move(report_);
  }

  // Into declarations_ and imports_.
  core::Status ReadModules() {
    OleanImage image;
    std::unordered_set<NameId> own;
    for (const ModuleFile& file : request_.files) {
      if (!file.name.empty()) own.insert(terms_.ParseName(file.name));
    }
    for (size_t i = 0; i < request_.files.size(); ++i) {
      if (auto opened = image.Open(request_.files[i].file); !opened)
        return core::Fail(opened.error());
      report_.lean_version = image.header().lean_version;
      if (!ReadOne(image, own)) return {};
      if (public_only_ && incomplete_.empty())
        incomplete_ = request_.files[i].file.filename().string();
      Progress("read", i + 1, request_.files.size());
    }
    return {};
  }

  bool ReadOne(OleanImage& image, const std::unordered_set<NameId>& own) {
    const auto malformed = [&](const core::Error& error) {
      Refuse(&report_, {Decision::kRejected, NameId::kAnonymous, error.message});
      return false;
    };
    if (request_.imports_only) {
      const auto imports = ReadImports(image, terms_);
      if (!imports) return malformed(imports.error());
      KeepImports(*imports, own);
      return true;
    }
    const auto module = ReadModule(image, terms_);
    if (!module) return malformed(module.error());
    public_only_ = module->is_module && !module->has_private;
    const auto violation = FindFalsePart(image, terms_, *module);
    if (!violation) return malformed(violation.error());
    if (*violation) {
      Refuse(&report_, {Decision::kRejected, (*violation)->name, (*violation)->reason});
      return false;
    }
    for (const Constant& constant : module->constants) {
      auto declaration = ToDeclaration(constant, terms_);
      if (!declaration) return malformed(declaration.error());
      declarations_.push_back(*std::move(declaration));
    }
    KeepImports(module->imports, own);
    return true;
  }

  void KeepImports(const std::vector<Import>& imports, const std::unordered_set<NameId>& own) {
    for (const Import& import : imports) {
      if (!own.contains(import.module)) imports_.push_back(import.module);
    }
  }

  Result<FileReport> CheckWith(ImportOptions::Mode mode) {
    FileReport report = report_;
    Environment environment(terms_);
    for (const Declaration& declaration : declarations_) {
      if (environment.Add(declaration)) continue;
      const Declaration* other = environment.Find(declaration.name);
      if (other != nullptr && SameDeclaration(*other, declaration)) continue;
      Refuse(&report, {Decision::kRejected, declaration.name,
                       other == nullptr ? "it has no name" : "two modules declare it differently"});
      return report;
    }
    ImportOptions options;
    options.mode = mode;
    options.stop = request_.stop;
    options.on_progress = [&](size_t done, size_t count) { Progress("imports", done, count); };
    const auto imports = AddImports(imports_, library_, options, environment);
    if (!imports) return core::Fail(imports.error());
    report.modules = imports->modules;
    report.imported = imports->declarations;
    if (imports->modules > 0) report.imports_sha256 = imports->sha256;
    stripped_ = {imports->stripped.begin(), imports->stripped.end()};
    for (const NameId name : imports->stripped) report.stripped.push_back(terms_.PrintFull(name));
    std::sort(report.stripped.begin(), report.stripped.end());
    report.public_modules = imports->public_modules;
    if (imports->violation) {
      Refuse(&report, {Decision::kRejected, imports->violation->name, imports->violation->reason});
      report.rejected_for_good = report.verdict;
      return report;
    }
    Judge(environment, Order::kByDependence, &report);
    return report;
  }

  void Judge(const Environment& environment, Order order, FileReport* report) const {
    for (uint32_t i = 0; i < environment.declarations().size(); ++i) {
      const Declaration& declaration = environment.declarations()[i];
      if (environment.OriginOf(i) != Origin::kChecked) continue;
      ++report->declarations;
      if (declaration.IsUnsafe()) ++report->unsafe_declarations;
      if (declaration.As<Axiom>() != nullptr)
        report->axioms.push_back(terms_.PrintFull(declaration.name));
    }
    std::sort(report->axioms.begin(), report->axioms.end());
    const size_t count = report->declarations - report->unsafe_declarations;
    CheckOptions options;
    options.order = order;
    options.limits = request_.limits;
    options.threads = request_.threads;
    options.stop = request_.stop;
    options.keep_going = request_.keep_going;
    std::optional<std::vector<bool>> hidden;
    options.on_verdict = [&](const CheckReport& verdict) {
      Refuse(report, verdict);
      if (verdict.outcome != Decision::kRejected || verdict.declaration == NameId::kAnonymous)
        return;
      if (!hidden) hidden = RestOnHidden(environment, stripped_);
      const bool rests = (*hidden)[environment.IndexOf(verdict.declaration)];
      if (!rests && !report->rejected_for_good) report->rejected_for_good = Printed(verdict);
    };
    options.on_progress = [&](size_t done) { Progress("check", done, count); };
    const auto started = core::Clock::now();
    const CheckReport verdict = Check(environment, options);
    report->check_seconds = core::Seconds(core::Clock::now() - started);
    // The first rejected one, whatever was declined before it.
    if (verdict.outcome == Decision::kAccepted) return;
    if (report->refused.empty()) Refuse(report, verdict);
    report->verdict = Printed(verdict);
  }

  const FileCheckRequest& request_;
  Library library_;
  Terms terms_;
  std::vector<Declaration> declarations_;
  std::vector<NameId> imports_;
  std::unordered_set<NameId> stripped_;  // by the imports: see ImportReport
  bool public_only_ = false;             // the last module that was read has no private part
  std::string incomplete_;               // the first such file
  FileReport report_;
};

}  // namespace

bool IsCompiledModule(const fs::path& file) {
  if (file.extension() == ".olean") return true;
  constexpr std::string_view kMagic = "olean";
  std::string begin(kMagic.size(), ' ');
  std::ifstream stream(file, std::ios::binary);
  return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kMagic;
}

fs::path LakeBuildFolder(const fs::path& project) {
  std::error_code ignored;
  for (const char* folder : {".lake/build/lib/lean", ".lake/build/lib", "build/lib"}) {
    if (fs::exists(project / folder, ignored)) return project / folder;
  }
  return project / ".lake/build/lib";
}

ModuleFiles FindModuleFiles(const fs::path& folder) {
  ModuleFiles found;
  Terms names;
  std::error_code error;
  std::vector<fs::path> folders;
  if (fs::exists(folder, error) || error) folders.push_back(folder);
  while (!folders.empty()) {
    const fs::path current = std::move(folders.back());
    folders.pop_back();
    auto at = fs::directory_iterator(current, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
      std::error_code of_entry;
      const auto status = at->symlink_status(of_entry);
      if (of_entry) error = of_entry;
      if (error) break;
      if (fs::is_directory(status)) folders.push_back(at->path());
      if (fs::is_symlink(status) && fs::is_directory(at->path(), of_entry)) {
        found.unreadable.push_back(at->path().string() + " is a link, which is not followed");
      }
      if (at->path().extension() != ".olean") continue;
      NameId name = NameId::kAnonymous;
      const fs::path relative = at->path().lexically_relative(folder).replace_extension();
      for (const fs::path& part : relative) name = names.Name(name, part.native());
      found.files.push_back({names.PrintFull(name), at->path()});
    }
    if (error) {
      found.unreadable.push_back("cannot read " + current.string() + ": " + error.message());
    }
  }
  std::sort(found.files.begin(), found.files.end(),
            [](const ModuleFile& a, const ModuleFile& b) { return a.name < b.name; });
  std::sort(found.unreadable.begin(), found.unreadable.end());
  return found;
}

Result<FileReport> CheckFiles(const FileCheckRequest& request) {
  return FileChecker(request).Run();
}

}  // namespace zermelo::kernel
