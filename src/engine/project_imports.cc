#include "engine/project_imports.h"

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/fields.h"
#include "core/files/file.h"
#include "core/names.h"
#include "lean/toolchain.h"
#include "syntax/file.h"
#include "syntax/lexer.h"

namespace zermelo::syntax {

void Fields(auto& field, NameSet& names) {
  field.OrElse("written", names.written);
  field.OrElse("fields", names.fields);
}

/// Without what ReadImported leaves empty.
void Fields(auto& field, FileConstant& constant) {
  field("kind", constant.kind);
  field("declaration", constant.declaration);
  field.OrElse("name", constant.name);
  field.OrElse("reference", constant.reference);
  field.OrElse("signature", constant.signature);
  field("names", constant.names);
  field.OrElse("recursive", constant.recursive);
  field.OrElse("proposition", constant.proposition);
  field.OrElse("endless", constant.endless);
  field.OrElse("parameters", constant.parameters);
  field.OrElse("constructors", constant.constructors);
  field.OrElse("plain", constant.plain);
  field.OrElse("rules", constant.rules);
  field.OrElse("fields", constant.fields);
  field.OrElse("value", constant.value);
  field.OrElse("symbols", constant.symbols);
}

}  // namespace zermelo::syntax

namespace zermelo::engine {

namespace fs = std::filesystem;
using syntax::FileConstant;
using syntax::NameSet;
using Kind = FileConstant::Kind;

namespace {

constexpr size_t kMostFiles = 200;
constexpr size_t kMostBytes = 2U << 20U;
constexpr size_t kMostDefinitions = 150, kMostTheorems = 150;

/// The folders of sources that a project's lakefile names: `srcDir = "src"`, `srcDir := "src"`.
std::vector<fs::path> SourceFolders(const fs::path& project) {
  std::vector<fs::path> folders;
  for (const char* name : {"lakefile.toml", "lakefile.lean"}) {
    const auto text = core::ReadTextFile(project / name, kMostBytes);
    constexpr std::string_view kKey = "srcDir";
    for (size_t at = text ? text->find(kKey) : text->npos; at != text->npos;
         at = text->find(kKey, at + kKey.size())) {
      const size_t begin = text->find('"', at), end = text->find_first_of("\"\n", begin + 1);
      if (begin == text->npos || end == text->npos || end > text->find('\n', at)) continue;
      folders.push_back(project / text->substr(begin + 1, end - begin - 1));
    }
  }
  return folders;
}

/// The source files of modules that a file imports, found below its folder, one above it in the
/// project, or one that the lakefile names.
class Sources {
 public:
  explicit Sources(const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const fs::path project = lean::FindProject(whole.parent_path());
    for (fs::path folder = whole.parent_path();; folder = folder.parent_path()) {
      folders_.push_back(folder);
      if (project.empty() || folder == project || folder == folder.parent_path()) break;
    }
    if (project.empty()) return;
    for (fs::path& folder : SourceFolders(project)) folders_.push_back(std::move(folder));
  }

  /// The texts, each after all those that it was found through: the nearest first.
  std::vector<std::string> ReadAll(std::string_view text) {
    std::vector<std::string> texts;
    std::deque<std::string> modules;
    const auto add_imports = [&](std::string_view of) {
      for (std::string& module : syntax::ImportedModules(of)) modules.push_back(std::move(module));
    };
    add_imports(text);
    for (size_t bytes = 0; !modules.empty() && texts.size() < kMostFiles; modules.pop_front()) {
      if (!seen_.insert(modules.front()).second) continue;
      auto read = Read(modules.front(), kMostBytes - bytes);
      if (!read) continue;
      bytes += read->size();
      add_imports(*read);
      texts.push_back(*std::move(read));
    }
    return texts;
  }

 private:
  std::optional<std::string> Read(const std::string& module, size_t most) const {
    const std::string path = core::ModulePath(module);
    if (path.empty()) return std::nullopt;
    for (const fs::path& folder : folders_) {
      auto text = core::ReadTextFile(folder / (path + ".lean"), most);
      if (text) return *std::move(text);
    }
    return std::nullopt;
  }

  std::vector<fs::path> folders_;
  std::set<std::string> seen_;
};

/// What other files see of a file.
class Visibility {
 public:
  explicit Visibility(const syntax::File& file) : file_(file) {
    const size_t tokens = file.tokens().size();
    is_module_ = tokens > 0 && file.Word(0) == "module";
    for (size_t i = 2; is_module_ && i < tokens && public_from_ == kNever; ++i) {
      if (file.Word(i) != "section") continue;
      const bool computes = file.Word(i - 1) != "noncomputable" && file.Word(i - 1) != "meta";
      const size_t before = computes ? i - 1 : i - 2;
      if (file.Word(before) != "public") continue;
      public_from_ = file.tokens()[i].begin;
      exposed_ = before > 2 && file.Word(before - 1) == "]" && file.Word(before - 2) == "expose";
    }
  }

  /// Whether they can name it and unfold it. In a module that takes the word `public`, and for a
  /// `def` the attribute `expose`, here or at a section around it.
  bool IsUsable(const syntax::Declaration& declaration) const {
    const std::string_view before =
        file_.Slice({declaration.range.begin, declaration.signature.begin});
    std::set<std::string_view> words;
    for (const syntax::Token& token : syntax::LexCode(before)) {
      words.insert(syntax::TextOf(before, token));
    }
    if (words.contains("private")) return false;
    if (!is_module_) return true;
    const bool in_section = declaration.range.begin > public_from_;
    const bool is_exposed = words.contains("expose") || (in_section && exposed_);
    return (words.contains("public") || in_section) && (declaration.keyword != "def" || is_exposed);
  }

 private:
  static constexpr size_t kNever = std::string::npos;
  const syntax::File& file_;
  bool is_module_ = false;
  size_t public_from_ = kNever;  // where a public section begins, until the end of the file
  bool exposed_ = false;
};

/// What importing files can use of the modules, in this order.
class Usable {
 public:
  void AddModule(std::string text) {
    const syntax::File file(std::move(text));
    const Visibility visibility(file);
    for (FileConstant& constant : syntax::ConstantsOf(file)) {
      const bool is_notation = constant.kind == Kind::kNotation;
      const auto* declaration = is_notation ? nullptr : &file.declarations()[constant.declaration];
      if (declaration != nullptr && !visibility.IsUsable(*declaration)) continue;
      if ((declaration != nullptr && !declaration->holes.empty()) || MayRestOn(constant, open_)) {
        if (!constant.name.empty()) open_.push_back(constant.name);
        continue;
      }
      constant.proof_names = {};
      constant.declaration += declarations_;
      constants_.push_back(std::move(constant));
    }
    declarations_ += file.declarations().size() + 1;
  }
  std::vector<FileConstant> Take() { return std::move(constants_); }

 private:
  std::vector<FileConstant> constants_;
  std::vector<std::string> open_;
  size_t declarations_ = 0;
};

/// Those of the constants that names lead to.
class Relevant {
 public:
  explicit Relevant(const std::vector<FileConstant>& all) : all_(all), chosen_(all.size(), false) {}

  std::vector<FileConstant> From(NameSet names) {
    for (bool more = true; more && definitions_ < kMostDefinitions;) more = AddNamed(names);
    AddTheorems(names);
    std::vector<FileConstant> found;
    for (size_t i = 0; i < all_.size(); ++i) {
      if (chosen_[i]) found.push_back(all_[i]);
    }
    return found;
  }

 private:
  /// Chooses what the names mean, and adds what that names. False: there was nothing.
  bool AddNamed(NameSet& names) {
    NameSet next;
    bool found = false;
    for (size_t i = all_.size(); i-- > 0 && definitions_ < kMostDefinitions;) {
      const FileConstant& constant = all_[i];
      if (chosen_[i] || constant.kind == Kind::kTheorem || !IsMeant(names, constant)) continue;
      chosen_[i] = found = true;
      ++definitions_;
      next.Add(constant.names);
      if (!constant.name.empty()) subjects_.push_back(constant.name);
    }
    names.Add(next);
    return found;
  }

  /// Notations and instances have no name that a file would write.
  bool IsMeant(const NameSet& names, const FileConstant& constant) const {
    if (syntax::MayMean(names, constant.name)) return true;
    if (constant.kind != Kind::kInstance && constant.kind != Kind::kNotation) return false;
    return IsAboutSubject(constant);
  }

  bool IsAboutSubject(const FileConstant& constant) const {
    return std::ranges::any_of(subjects_, [&](const std::string& subject) {
      return syntax::MayMean(constant.names, subject);
    });
  }

  void AddTheorems(const NameSet& names) {
    size_t theorems = 0;
    for (size_t i = all_.size(); i-- > 0 && theorems < kMostTheorems;) {
      const FileConstant& constant = all_[i];
      if (constant.kind != Kind::kTheorem) continue;
      chosen_[i] = syntax::MayMean(names, constant.name) || IsAboutSubject(constant);
      theorems += chosen_[i] ? 1 : 0;
    }
  }

  const std::vector<FileConstant>& all_;
  std::vector<bool> chosen_;
  std::vector<std::string> subjects_;  // names of what is chosen
  size_t definitions_ = 0;
};

}  // namespace

bool MayRestOn(const FileConstant& constant, const std::vector<std::string>& open) {
  // `h.symm` may mean `Near.symm` only where something is known to be `Near`.
  syntax::NameSet written = constant.names;
  written.Add(constant.proof_names);
  return std::ranges::any_of(open, [&](const std::string& name) {
    if (syntax::Writes(written, name)) return true;
    const size_t dot = name.rfind('.');
    return dot != std::string::npos && syntax::MayMean(written, name) &&
           syntax::Writes(written, std::string_view(name).substr(0, dot));
  });
}

std::vector<FileConstant> ReadImported(const fs::path& file, std::string_view text) {
  std::vector<std::string> texts = Sources(file).ReadAll(text);
  Usable usable;
  for (auto one = texts.rbegin(); one != texts.rend(); ++one) usable.AddModule(std::move(*one));
  const std::vector<FileConstant> all = usable.Take();
  return Relevant(all).From(syntax::NamesIn(text));
}

nlohmann::json ToJson(const std::vector<FileConstant>& constants) { return constants; }

core::Result<std::vector<FileConstant>> ImportedOf(const nlohmann::json& stored) {
  try {
    return stored.get<std::vector<FileConstant>>();
  } catch (const nlohmann::json::exception& e) {
    return core::Fail(core::ErrorCode::kInput,
                      std::string("cannot read what the file imports: ") + e.what());
  }
}

}  // namespace zermelo::engine
