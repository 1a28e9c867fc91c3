#include "kernel/olean/imports.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <openssl/evp.h>
#include <unordered_map>

#include "kernel/rules/view.h"

namespace zermelo::kernel {

namespace {

namespace fs = std::filesystem;

class Digest {
 public:
  Digest() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void Add(std::string_view bytes) {
    const uint64_t size = bytes.size();
    EVP_DigestUpdate(context_.get(), &size, sizeof size);
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }
  std::string Hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
    return hex;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                   &EVP_MD_CTX_free};
};

/// The names that declarations mention; each expression is walked once.
class Mentions {
 public:
  /// `with_recursors`: an inductive type brings its recursors along, for exports.
  Mentions(Terms& terms, bool with_recursors) : terms_(terms), with_recursors_(with_recursors) {}

  void Add(const Declaration& declaration) {
    Walk(declaration.type);
    if (const ExprId* value = declaration.Value()) Walk(*value);
    for (const NameId name : declaration.all) Want(name);
    if (const auto* inductive = declaration.As<Inductive>()) {
      for (const NameId constructor : inductive->constructors) Want(constructor);
      if (with_recursors_) WantRecursors(declaration, inductive->nested);
    } else if (const auto* constructor = declaration.As<Constructor>()) {
      Want(constructor->inductive);
    } else if (const auto* recursor = declaration.As<Recursor>()) {
      for (const RecursorRule& rule : recursor->rules) {
        Want(rule.constructor);
        Walk(rule.value);
      }
    }
  }

  void Want(NameId name) {
    if (wanted_.size() <= Index(name)) wanted_.resize(terms_.name_count(), false);
    if (wanted_[Index(name)]) return;
    wanted_[Index(name)] = true;
    fresh_.push_back(name);
  }
  bool Has(NameId name) const { return Index(name) < wanted_.size() && wanted_[Index(name)]; }
  /// Names that were added since the last call.
  std::vector<NameId> TakeFresh() { return std::exchange(fresh_, {}); }

 private:
  // `T.rec` for each type of the block, and `T.rec_1`, … of the first for nested occurrences.
  void WantRecursors(const Declaration& declaration, uint64_t nested) {
    constexpr uint64_t kMaxNested = 1000;
    for (const NameId type : declaration.all) Want(terms_.Name(type, "rec"));
    for (uint64_t i = 1; i <= std::min(nested, kMaxNested); ++i) {
      if (!declaration.all.empty())
        Want(terms_.Name(declaration.all[0], "rec_" + std::to_string(i)));
    }
  }

  void Walk(ExprId root) {
    if (seen_.size() < terms_.expr_count()) seen_.resize(terms_.expr_count(), false);
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const ExprId at = stack_.back();
      stack_.pop_back();
      if (seen_[Index(at)]) continue;
      seen_[Index(at)] = true;
      const ExprNode& node = terms_[at];
      if (node.kind == ExprKind::kConst || node.kind == ExprKind::kProj) Want(NameId{node.a});
      ForEachChild(node, [&](ExprId child) { stack_.push_back(child); });
    }
  }

  Terms& terms_;
  const bool with_recursors_;
  std::vector<bool> seen_;    // by ExprId
  std::vector<bool> wanted_;  // by NameId
  std::vector<NameId> fresh_;
  std::vector<ExprId> stack_;
};

class Importer {
 public:
  Importer(const ImportOptions& options, Environment& environment)
      : options_(options),
        environment_(environment),
        mentions_(environment.terms(), options.mode == ImportOptions::Mode::kProofs) {}

  core::Result<ImportReport> Run(const std::vector<NameId>& modules) {
    if (auto found = Order(modules); !found) return core::Fail(found.error());
    const KnownNames known(terms());
    for (const NameId name :
         {known.nat, known.pred, known.boolean, known.character, known.string, known.list,
          known.of_nat, known.of_list, known.make, known.eq, known.quot, known.quot_make,
          known.quot_lift, known.quot_ind, known.eager_reduce}) {
      mentions_.Want(name);
    }
    for (const NameId name : known.nat_operations) mentions_.Want(name);
    for (const Declaration& declaration : environment_.declarations()) {
      mentions_.Want(declaration.name);
      mentions_.Add(declaration);
    }
    Digest digest;
    report_.modules = order_.size();
    for (size_t done = 0; done < order_.size(); ++done) {
      const auto& [name, file] = order_[order_.size() - 1 - done];
      if (auto opened = image_.Open(file); !opened) return core::Fail(opened.error());
      digest.Add(name);
      digest.Add(image_.bytes());
      auto read = options_.mode == ImportOptions::Mode::kChecked ? ReadAll() : ReadWanted();
      if (!read) return core::Fail(read.error());
      if (report_.violation) break;
      if (options_.on_progress) options_.on_progress(done + 1, order_.size());
    }
    report_.sha256 = digest.Hex();
    return std::move(report_);
  }

 private:
  Terms& terms() const { return environment_.terms(); }

  fs::path Find(const std::string& module) const {
    std::string relative = module;
    std::replace(relative.begin(), relative.end(), '.', '/');
    for (const fs::path& folder : options_.search_path) {
      std::error_code ignored;
      auto file = folder / (relative + ".olean");
      if (fs::exists(file, ignored)) return file;
    }
    return {};
  }

  // Sets order_ so that every module comes after those that it imports. No recursion.
  core::Status Order(const std::vector<NameId>& modules) {
    struct Open {
      std::string name;
      fs::path file;
      std::vector<std::string> imports;
      size_t next = 0;
    };
    std::unordered_map<std::string, bool> finished;  // false: on the stack
    std::vector<Open> stack(1);
    for (const NameId module : modules) stack[0].imports.push_back(terms().PrintFull(module));
    while (!stack.empty()) {
      Open& open = stack.back();
      if (open.next == open.imports.size()) {
        if (!open.file.empty()) order_.emplace_back(open.name, open.file);
        finished[open.name] = true;
        stack.pop_back();
        continue;
      }
      const std::string name = open.imports[open.next++];
      const auto [at, is_new] = finished.try_emplace(name, false);
      if (!is_new && at->second) continue;
      if (!is_new) {
        return core::Fail(core::ErrorCode::kInput, "the module " + name + " imports itself");
      }
      Open next{name, Find(name), {}, 0};
      if (next.file.empty()) {
        return core::Fail(core::ErrorCode::kEnvironment,
                          "the imported module " + name + " was not found",
                          "build it, and check that its folder is on the search path");
      }
      if (auto opened = image_.Open(next.file); !opened) return core::Fail(opened.error());
      const auto imports = ReadImports(image_, terms());
      if (!imports) return core::Fail(imports.error());
      for (const Import& import : *imports)
        next.imports.push_back(terms().PrintFull(import.module));
      stack.push_back(std::move(next));
    }
    return {};
  }

  core::Status ReadWanted() {
    auto module = LazyModule::Open(image_, terms());
    if (!module) return core::Fail(module.error());
    std::unordered_map<NameId, uint32_t> here;
    std::vector<uint32_t> todo;
    for (uint32_t i = 0; i < module->names().size(); ++i) {
      here.emplace(module->names()[i], i);
      if (mentions_.Has(module->names()[i])) todo.push_back(i);
    }
    mentions_.TakeFresh();
    while (!todo.empty()) {
      const uint32_t index = todo.back();
      todo.pop_back();
      auto constant = module->Read(index);
      if (!constant) return core::Fail(constant.error());
      if (constant->kind == ConstantKind::kTheorem &&
          options_.mode == ImportOptions::Mode::kStatements) {
        constant->kind = ConstantKind::kAxiom;
        constant->value.reset();
        constant->all = ListId::kNil;
      }
      if (auto added = Add(*constant, Origin::kTrusted); !added) return core::Fail(added.error());
      for (const NameId name : mentions_.TakeFresh()) {
        if (const auto at = here.find(name); at != here.end()) todo.push_back(at->second);
      }
    }
    return {};
  }

  core::Status ReadAll() {
    const auto module = ReadModule(image_, terms());
    if (!module) return core::Fail(module.error());
    auto violation = FindFalsePart(image_, terms(), module->constants);
    if (!violation) return core::Fail(violation.error());
    if (*violation) report_.violation = **violation;
    for (const Constant& constant : module->constants) {
      if (auto added = Add(constant, Origin::kChecked); !added) return core::Fail(added.error());
    }
    return {};
  }

  core::Status Add(const Constant& constant, Origin origin) {
    auto declaration = ToDeclaration(constant, terms());
    if (!declaration) return core::Fail(declaration.error());
    if (const Declaration* other = environment_.Find(constant.name)) {
      if (!SameDeclaration(*other, *declaration)) {
        report_.violation = Violation{constant.name, "an import declares it differently"};
      }
      return {};
    }
    mentions_.Add(*declaration);
    environment_.Add(*std::move(declaration), origin);
    ++report_.declarations;
    return {};
  }

  const ImportOptions& options_;
  Environment& environment_;
  OleanImage image_;
  Mentions mentions_;
  std::vector<std::pair<std::string, fs::path>> order_;
  ImportReport report_;
};

}  // namespace

core::Result<ImportReport> AddImports(const std::vector<NameId>& modules,
                                      const ImportOptions& options, Environment& environment) {
  return Importer(options, environment).Run(modules);
}

}  // namespace zermelo::kernel
