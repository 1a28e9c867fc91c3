#include "kernel/olean/imports.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

#include "kernel/rules/view.h"

namespace zermelo::kernel {

namespace {

/// The names that declarations mention; each expression is walked once.
class Mentions {
 public:
  /// `with_recursors`: an inductive type brings its recursors along, for exports.
  Mentions(Terms& terms, bool with_recursors) : terms_(terms), with_recursors_(with_recursors) {}

  void Add(const Declaration& declaration) {
    Walk(declaration.type);
    if (const ExprId* value = declaration.Value()) Walk(*value);
    for (const NameId name : declaration.all) Add(name);
    if (const auto* inductive = declaration.As<Inductive>()) {
      for (const NameId constructor : inductive->constructors) Add(constructor);
      if (with_recursors_) AddRecursors(declaration, inductive->nested);
    } else if (const auto* constructor = declaration.As<Constructor>()) {
      Add(constructor->inductive);
    } else if (const auto* recursor = declaration.As<Recursor>()) {
      for (const RecursorRule& rule : recursor->rules) {
        Add(rule.constructor);
        Walk(rule.value);
      }
    }
  }

  void Add(NameId name) {
    if (mentioned_.size() <= Index(name)) mentioned_.resize(terms_.name_count(), false);
    if (mentioned_[Index(name)]) return;
    mentioned_[Index(name)] = true;
    fresh_.push_back(name);
  }
  bool Has(NameId name) const { return Index(name) < mentioned_.size() && mentioned_[Index(name)]; }
  /// Names that were added since the last call.
  std::vector<NameId> TakeFresh() { return std::exchange(fresh_, {}); }

 private:
  // `T.rec` for each type of the block, and `T.rec_1`, … of the first for nested occurrences.
  void AddRecursors(const Declaration& declaration, uint64_t nested) {
    constexpr uint64_t kMaxNested = 1000;
    for (const NameId type : declaration.all) Add(terms_.Name(type, "rec"));
    for (uint64_t i = 1; i <= std::min(nested, kMaxNested); ++i) {
      if (!declaration.all.empty())
        Add(terms_.Name(declaration.all[0], "rec_" + std::to_string(i)));
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
      if (node.kind == ExprKind::kConst || node.kind == ExprKind::kProj) Add(NameId{node.a});
      ForEachChild(node, [&](ExprId child) { stack_.push_back(child); });
    }
  }

  Terms& terms_;
  const bool with_recursors_;
  std::vector<bool> seen_;       // by ExprId
  std::vector<bool> mentioned_;  // by NameId
  std::vector<NameId> fresh_;
  std::vector<ExprId> stack_;
};

class Importer {
 public:
  Importer(Library& library, const ImportOptions& options, Environment& environment)
      : library_(library),
        options_(options),
        environment_(environment),
        mentions_(environment.terms(), options.mode == ImportOptions::Mode::kProofs) {}

  core::Result<ImportReport> Run(const std::vector<NameId>& modules) {
    std::vector<std::string> names;
    names.reserve(modules.size());
    for (const NameId module : modules) names.push_back(terms().PrintFull(module));
    const auto found = library_.ClosureOf(std::move(names));
    if (!found) return core::Fail(found.error());
    const Closure& closure = **found;
    order_.assign(closure.modules.rbegin(), closure.modules.rend());
    report_.modules = order_.size();
    report_.sha256 = closure.sha256;
    const auto added = options_.mode == ImportOptions::Mode::kChecked ? AddAll() : AddMentioned();
    if (!added) return core::Fail(added.error());
    return std::move(report_);
  }

 private:
  Terms& terms() const { return environment_.terms(); }

  core::Status AddAll() {
    imported_.emplace(library_, order_, terms());
    for (size_t done = 0; done < order_.size() && !report_.violation; ++done) {
      if (options_.stop != nullptr && *options_.stop)
        return core::Fail(core::ErrorCode::kCancelled, "the check was stopped");
      if (auto opened = library_.Open(order_[done], image_); !opened) return opened;
      if (auto read = ReadAll(); !read) return read;
      if (options_.on_progress) options_.on_progress(done + 1, order_.size());
    }
    return {};
  }

  core::Status AddMentioned() {
    imported_.emplace(library_, order_, terms());
    place_.resize(library_.size(), 0);
    for (uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    planned_.resize(order_.size(), false);
    const KnownNames known(terms());
    for (const NameId name :
         {known.nat, known.pred, known.boolean, known.character, known.string, known.list,
          known.of_nat, known.of_list, known.make, known.eq, known.quot, known.quot_make,
          known.quot_lift, known.quot_ind, known.eager_reduce}) {
      mentions_.Add(name);
    }
    for (const NameId name : known.nat_operations) mentions_.Add(name);
    for (const NameId name : known.nat_theorems) mentions_.Add(name);
    for (const Declaration& declaration : environment_.declarations()) {
      mentions_.Add(declaration.name);
      mentions_.Add(declaration);
    }
    for (const NameId name : mentions_.TakeFresh()) Plan(name);
    while (!plan_.empty() && !report_.violation) {
      const uint32_t place = plan_.top();
      plan_.pop();
      if (auto opened = library_.Open(order_[place], image_); !opened) return opened;
      if (auto read = ReadWanted(); !read) return read;
    }
    return {};
  }

  // The modules that declare a name are visited, except those that have been.
  void Plan(NameId name) {
    imported_->ForEachModule(name, [&](uint32_t module) {
      const uint32_t place = place_[module];
      if (planned_[place]) return;
      planned_[place] = true;
      plan_.push(place);
    });
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
    while (!todo.empty()) {
      const uint32_t index = todo.back();
      todo.pop_back();
      auto constant = module->Read(index);
      if (!constant) return core::Fail(constant.error());
      const bool is_statement = constant->kind == ConstantKind::kTheorem &&
                                options_.mode == ImportOptions::Mode::kStatements;
      if (is_statement) {
        constant->kind = ConstantKind::kAxiom;
        constant->value.reset();
        constant->all = ListId::kNil;
      }
      if (auto added = Add(*constant, Origin::kTrusted, is_statement); !added)
        return core::Fail(added.error());
      for (const NameId name : mentions_.TakeFresh()) {
        if (const auto at = here.find(name); at != here.end()) todo.push_back(at->second);
        Plan(name);
      }
    }
    return {};
  }

  bool IsStripped(const Constant& constant) {
    if (constant.kind != ConstantKind::kAxiom) return false;
    const IndexedConstant* indexed = imported_->Find(constant.name);
    return indexed != nullptr && indexed->stripped;
  }

  core::Status ReadAll() {
    const auto module = ReadModule(image_, terms());
    if (!module) return core::Fail(module.error());
    if (module->is_module && !module->has_private) ++report_.public_modules;
    auto violation = FindFalsePart(image_, terms(), *module);
    if (!violation) return core::Fail(violation.error());
    if (*violation) report_.violation = **violation;
    for (const Constant& constant : module->constants) {
      if (auto added = Add(constant, Origin::kChecked); !added) return core::Fail(added.error());
    }
    return {};
  }

  // `is_statement`: a theorem whose proof is not read.
  core::Status Add(const Constant& constant, Origin origin, bool is_statement = false) {
    auto declaration = ToDeclaration(constant, terms());
    if (!declaration) return core::Fail(declaration.error());
    const bool stripped = IsStripped(constant);
    if (stripped) report_.stripped.push_back(constant.name);
    if (stripped || is_statement) std::get<Axiom>(declaration->info).is_stub = true;
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

  Library& library_;
  const ImportOptions& options_;
  Environment& environment_;
  OleanImage image_;
  Mentions mentions_;
  std::vector<uint32_t> order_;  // modules, each before those that it imports
  ImportReport report_;

  std::optional<ImportedNames> imported_;

  // AddMentioned.
  std::vector<uint32_t> place_;  // in order_, by module
  std::vector<bool> planned_;    // by place: is in plan_, or was
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> plan_;
};

}  // namespace

core::Result<ImportReport> AddImports(const std::vector<NameId>& modules, Library& library,
                                      const ImportOptions& options, Environment& environment) {
  return Importer(library, options, environment).Run(modules);
}

}  // namespace zermelo::kernel
