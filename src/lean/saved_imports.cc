#include "lean/saved_imports.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "lean/compiler.h"
#include "lean/toolchain.h"
#include "lean/versions.h"

namespace zermelo::lean {

namespace fs = std::filesystem;
using core::Task;

namespace {

constexpr VersionNumbers kSince = {4, 32, 0};
constexpr size_t kMaxDeps = size_t{16} << 20U;
constexpr size_t kMaxImages = 4;
// Names that no import has.
constexpr const char* kProbes[] = {"\ntheorem zermelo_probe (p : Prop) (h : p) : p := h\n",
                                   "\ntheorem zermelo_probe (p : Prop) (h : p) : p := p\n"};

std::string BytesOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool SameResults(const CompileResult& a, const CompileResult& b) {
  return a.ok == b.ok && a.output == b.output &&
         std::ranges::equal(a.diagnostics, b.diagnostics, [](const auto& x, const auto& y) {
           return x.severity == y.severity && x.message == y.message &&
                  x.begin.line == y.begin.line && x.begin.character == y.begin.character;
         });
}

/// One compilation, and its .olean.
struct Compiled {
  std::unique_ptr<Compiler> compiler;
  CompileResult result;
};

/// Lean compiles the text and exits; nothing: it could not.
class Trial {
 public:
  Trial(core::Executor executor, const Toolchain& toolchain, core::Deadline deadline,
        core::Cancellation* cancellation)
      : executor_(std::move(executor)),
        toolchain_(toolchain),
        deadline_(deadline),
        cancellation_(cancellation) {}

  Task<std::optional<Compiled>> Compile(std::string text, CompilerOptions options) {
    std::optional<Compiled> compiled;
    auto compiler = Compiler::Start(executor_, toolchain_, options);
    if (!compiler) co_return compiled;
    auto result = co_await (*compiler)->Compile(std::move(text), deadline_, cancellation_);
    if (!result) co_return compiled;
    compiled.emplace();
    compiled->compiler = std::move(*compiler);
    compiled->result = std::move(*result);
    co_return compiled;
  }

  /// Whether a text means the same with the image and without it.
  Task<bool> Agrees(std::string text, fs::path image) {
    CompilerOptions plain, loading;
    loading.image = std::move(image);
    const auto without = co_await Compile(text, plain);
    if (!without) co_return false;
    const auto with = co_await Compile(text, loading);
    co_return with&& SameResults(without->result, with->result) &&
        BytesOf(without->compiler->olean()) == BytesOf(with->compiler->olean());
  }

 private:
  const core::Executor executor_;
  const Toolchain& toolchain_;
  const core::Deadline deadline_;
  core::Cancellation* const cancellation_;
};

}  // namespace

std::shared_ptr<SavedImports> SavedImports::For(const Toolchain& toolchain,
                                                const core::SandboxAbilities& machine) {
  const auto version = NumbersOf(toolchain.version);
  if (!version || *version < kSince || !IsConfined(toolchain, machine)) return nullptr;
  auto folder = core::TemporaryFolder::Create("zermelo-imports-");
  if (!folder) return nullptr;
  return std::shared_ptr<SavedImports>(new SavedImports(std::move(*folder)));
}

fs::path SavedImports::Use(const std::string& header) {
  Image& image = images_[header];
  ++image.compilations;
  if (image.state != State::kReady) return {};
  const bool same = std::ranges::all_of(
      image.files, [](const auto& file) { return core::IdentityOf(file.first) == file.second; });
  if (same) return image.file;
  std::error_code ignored;
  fs::remove(image.file, ignored);
  image = Image();  // the modules were compiled again
  return {};
}

Task<void> SavedImports::Save(core::Executor executor, const Toolchain& toolchain,
                              std::string header, core::Deadline deadline,
                              core::Cancellation* cancellation) {
  Image& image = images_[header];
  const auto busy = std::ranges::count_if(images_, [](const auto& entry) {
    return entry.second.state == State::kBeingSaved || entry.second.state == State::kReady;
  });
  if (image.state != State::kCounted || image.compilations < kWorthSaving ||
      busy >= static_cast<ptrdiff_t>(kMaxImages)) {
    co_return;
  }
  image.state = State::kBeingSaved;
  const bool made = co_await Make(std::move(executor), toolchain, std::move(header), deadline,
                                  cancellation, image);
  image.state = made ? State::kReady : State::kNotUsable;
}

Task<bool> SavedImports::Make(core::Executor executor, const Toolchain& toolchain,
                              std::string header, core::Deadline deadline,
                              core::Cancellation* cancellation, Image& image) {
  Trial trial(std::move(executor), toolchain, deadline, cancellation);
  CompilerOptions saving;
  saving.saves_imports = true;
  const auto saved = co_await trial.Compile(header, saving);
  if (!saved || !saved->result.ok) co_return false;
  // The Lean that wrote it has ended, and no other one may write to this folder.
  std::error_code failed;
  const fs::path written = saved->compiler->saved_imports();
  const fs::path file = folder_.path() / std::to_string(images_.size());
  const std::string deps = written.string() + ".deps";
  fs::rename(written, file, failed);
  const auto modules = failed || fs::file_size(deps, failed) > kMaxDeps || failed
                           ? nlohmann::json()
                           : core::JsonOrDiscarded(BytesOf(deps));
  if (!modules.is_array()) co_return false;
  fs::rename(deps, file.string() + ".deps", failed);
  fs::permissions(file, fs::perms::owner_read, failed);
  std::vector<fs::path> files = {file};
  for (const auto& module : modules) {
    if (!module.is_string()) co_return false;
    files.emplace_back(module.get<std::string>());
  }
  for (const fs::path& each : files) {
    const auto identity = core::IdentityOf(each);
    if (!identity) co_return false;
    image.files.emplace_back(each, *identity);
  }
  image.file = file;
  for (const char* probe : kProbes) {
    const bool agrees = co_await trial.Agrees(header + probe, file);
    if (!agrees) co_return false;
  }
  co_return true;
}

}  // namespace zermelo::lean
