#include "eval/library/library_dataset.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "core/files/file.h"
#include "core/hash/hash.h"
#include "core/hash/sha256.h"
#include "core/text.h"
#include "eval/library/library_splits.h"
#include "eval/statement.h"
#include "retrieve/library_modules.h"

namespace zermelo::eval {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using lean::ModuleStatements;

namespace {

constexpr std::string_view kCore = "corelib";
constexpr std::string_view kLibrary = "library";
constexpr const char* kRepeated = "the same statement as another";
constexpr const char* kUnreadable = "not read as a theorem";

bool IsModuleName(std::string_view text) {
  if (text.empty() || text.starts_with('.') || text.ends_with('.')) return false;
  return text.find('/') == std::string_view::npos && text.find("..") == std::string_view::npos;
}

bool IsBelow(const std::string& module, const std::string& prefix) {
  return module.starts_with(prefix) &&
         (module.size() == prefix.size() || module[prefix.size()] == '.');
}

using Modules = std::vector<retrieve::LibraryModule>;

fs::path FileOf(const fs::path& folder, const std::string& module) {
  return folder / (module + ".json");
}

/// Where the problems of a toolchain's library are kept, a file for each module: below the folder
/// of premise indexes (retrieve/library_modules.h). The name has a hash of the program that makes
/// them, of Lean's version, and of the sizes and times of all compiled modules on the search path.
fs::path LibraryFolder(const lean::Toolchain& toolchain, const Modules& modules) {
  uint64_t hash = core::Hash64(lean::LibraryStatementsProgram());
  hash = core::Hash64(toolchain.version + "\n" + toolchain.commit + "\n", hash);
  for (const auto& module : modules) {
    hash = core::Hash64(module.file.string() + " " + module.stamp + "\n", hash);
  }
  return retrieve::DefaultIndexFile(toolchain.search_path).parent_path() /
         fmt::format("problems-{:016x}", hash);
}

/// The modules that can have problems of the request, in order of their names.
Result<std::vector<std::string>> WantedModules(const lean::Toolchain& toolchain, const Modules& all,
                                               const LibraryRequest& request) {
  std::vector<std::string> modules;
  const bool by_split = request.name.core && !request.split.empty();
  for (const auto& module : all) {
    if (request.name.Has(module.name)) modules.push_back(module.name);
  }
  if (modules.empty()) {
    return Fail(ErrorCode::kUsage,
                "there is no compiled module below " + request.name.prefix + " for Lean " +
                    toolchain.version,
                "build the project first, or name another one with --project DIR");
  }
  if (by_split) {
    std::erase_if(modules, [&](const std::string& module) {
      return !CorelibSplits().Has(request.split, module);
    });
  }
  return modules;
}

std::optional<ModuleStatements> Kept(const fs::path& folder, const std::string& module) {
  const auto text = core::ReadTextFile(FileOf(folder, module), size_t{256} << 20U);
  if (!text) return std::nullopt;
  auto read = lean::ParseModuleStatements(*text);
  if (!read || read->module != module) return std::nullopt;
  return std::move(*read);
}

/// Collects problems, and what is left out.
class DatasetMaker {
 public:
  DatasetMaker(const LibraryName& name, const std::string& lean_version)
      : name_(name), lean_version_(lean_version) {
    dataset_.name = name.Text();
    dataset_.format = kLibraryFormat;
  }

  void Add(const ModuleStatements& module) {
    if (!module.error.empty()) {
      failed_.push_back(module.module + " (" + core::Truncated(module.error, 200) + ")");
      return;
    }
    ++modules_;
    for (const auto& [reason, names] : module.left_out) left_out_[reason] += names.size();
    core::Sha256 hash;
    hash.Add(module.header);
    for (const lean::LibraryStatement& statement : module.statements) hash.Add(statement.text);
    const std::string sha256 = hash.Hex();
    for (const lean::LibraryStatement& statement : module.statements) {
      Add(module, statement, sha256);
    }
  }

  Dataset Take() {
    size_t left_out = 0;
    for (const auto& [reason, count] : left_out_) left_out += count;
    std::string note =
        fmt::format("{} of {} theorems in {} are problems", dataset_.problems.size(),
                    dataset_.problems.size() + left_out, core::Counted(modules_, "module"));
    for (const auto& [reason, count] : left_out_) note += fmt::format("; {}: {}", reason, count);
    dataset_.notes.push_back(note);
    if (import_all_ > 0) {
      dataset_.notes.push_back(
          fmt::format("{} of the problems are of modules that `import all`", import_all_));
    }
    for (const std::string& module : failed_) {
      dataset_.notes.push_back("no problems were generated from " + module);
    }
    return std::move(dataset_);
  }

 private:
  void Add(const ModuleStatements& module, const lean::LibraryStatement& statement,
           const std::string& sha256) {
    const std::string begin = "theorem " + statement.name;
    const std::string rest =
        statement.text.substr(statement.text.starts_with(begin) ? begin.size() : 0);
    if (!seen_.insert(rest).second) {
      ++left_out_[kRepeated];
      return;
    }
    Problem problem;
    const std::string text = module.header + "\n" + statement.text + "\n";
    if (!CutStatement(text, statement.name, problem) || problem.theorem != statement.name) {
      ++left_out_[kUnreadable];
      return;
    }
    problem.name = statement.name;
    if (name_.core) problem.split = CorelibSplits().SplitOf(module.module, statement.name);
    problem.category = module.module + (module.import_all ? " (import all)" : "");
    problem.lean = lean_version_;
    problem.source.file = module.module;
    problem.source.sha256 = sha256;
    import_all_ += module.import_all ? 1 : 0;
    dataset_.problems.push_back(std::move(problem));
  }

  const LibraryName& name_;
  const std::string& lean_version_;
  Dataset dataset_;
  std::unordered_set<std::string> seen_;  // statements without the theorem's name
  std::map<std::string, size_t> left_out_;
  std::vector<std::string> failed_;
  size_t modules_ = 0;
  size_t import_all_ = 0;
};

}  // namespace

std::string LibraryName::Text() const {
  const std::string kind(core ? kCore : kLibrary);
  return prefix.empty() ? kind : kind + ":" + prefix;
}

bool LibraryName::Has(const std::string& module) const {
  if (!prefix.empty()) return IsBelow(module, prefix);
  return IsBelow(module, "Init") || IsBelow(module, "Std");
}

Result<std::optional<LibraryName>> ParseLibraryName(const std::string& dataset) {
  const size_t colon = dataset.find(':');
  const std::string kind = dataset.substr(0, colon);
  if (kind != kCore && kind != kLibrary) return std::nullopt;
  LibraryName name{.core = kind == kCore};
  if (colon != std::string::npos) name.prefix = dataset.substr(colon + 1);
  if (colon == std::string::npos && name.core) return name;
  if (colon == std::string::npos) return std::nullopt;  // a folder named `library`
  if (IsModuleName(name.prefix)) return name;
  return Fail(ErrorCode::kUsage, "'" + dataset + "' names no modules",
              "for example corelib:Init.Data.List, or library:Mathlib.Algebra in a project");
}

Dataset DatasetOf(const LibraryName& name, const std::vector<ModuleStatements>& modules,
                  const std::string& lean_version) {
  DatasetMaker maker(name, lean_version);
  for (const ModuleStatements& module : modules) maker.Add(module);
  return maker.Take();
}

Task<Result<Dataset>> MakeLibraryDataset(const lean::Toolchain& toolchain, LibraryRequest request,
                                         core::Cancellation& cancellation) {
  const Modules all = retrieve::FindModules(toolchain.search_path);
  const auto modules = WantedModules(toolchain, all, request);
  if (!modules) co_return Fail(modules.error());
  const fs::path folder =
      request.folder.empty() ? LibraryFolder(toolchain, all) : std::move(request.folder);
  std::error_code failed;
  fs::create_directories(folder, failed);
  std::map<std::string, ModuleStatements> made;
  std::vector<std::string> missing;
  for (const std::string& module : *modules) {
    auto kept = Kept(folder, module);
    if (kept) made[module] = std::move(*kept);
    if (!kept) missing.push_back(module);
  }
  const auto on_module = [&](ModuleStatements read, const std::string& line) -> core::Status {
    const std::string module = read.module;
    const bool keep = read.error.empty();
    made[module] = std::move(read);
    if (request.on_progress) request.on_progress(made.size(), modules->size(), module);
    if (!keep) return {};
    return core::WriteFileAtomically(FileOf(folder, module), line);
  };
  if (!missing.empty()) {
    auto printed = co_await lean::PrintLibraryStatements(toolchain, std::move(missing),
                                                         request.options, on_module, cancellation);
    if (!printed) co_return Fail(printed.error());
  }
  std::vector<ModuleStatements> in_order;
  for (auto& [module, statements] : made) in_order.push_back(std::move(statements));
  co_return DatasetOf(request.name, in_order, toolchain.version);
}

}  // namespace zermelo::eval
