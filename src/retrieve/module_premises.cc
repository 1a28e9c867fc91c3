#include "retrieve/module_premises.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/text.h"
#include "retrieve/signature.h"
#include "trust/names.h"

namespace zermelo::retrieve {

using trust::ConstantKind;
using trust::ConstantObjects;
using trust::Index;
using trust::Object;
using trust::Value;

namespace {

constexpr size_t kMaxDocstring = 2000;

// Types of what `notation` and `macro` leave behind.
constexpr std::array<std::string_view, 4> kSyntaxTypes = {
    "Lean.ParserDescr", "Lean.TrailingParserDescr", "Lean.Macro", "Lean.PrettyPrinter.Unexpander"};
// Made by Lean for every type.
constexpr std::array<std::string_view, 10> kMadeForTypes = {
    "sizeOf_spec", "casesOn",         "recOn",   "brecOn",       "below",
    "noConfusion", "noConfusionType", "ctorIdx", "binductionOn", "toCtorIdx"};

/// What the extensions of a module say about its constants.
struct Attributes {
  std::unordered_set<NameId> hidden;  // deprecated, or not for users
  std::unordered_set<NameId> instances;
  std::unordered_set<NameId> classes;
  std::unordered_map<NameId, ConstantKind> kinds;  // of what the public part shows as axioms
  std::unordered_map<NameId, std::string> docstrings;
  std::unordered_map<NameId, std::pair<uint64_t, uint64_t>> lines;
};

class AttributeReader {
 public:
  AttributeReader(trust::OleanImage& image, TypeReader& types) : image_(image), types_(types) {}

  Attributes Read(const std::vector<trust::ExtensionObjects>& extensions) {
    Attributes attributes;
    for (const auto& extension : extensions) {
      const std::string name = types_.terms().PrintFull(extension.extension);
      const auto ends = [&](std::string_view last) { return name.ends_with(last); };
      if (ends("deprecatedAttr") || ends("completionBlackListExt") || ends("auxRecExt")) {
        Each(extension.entries, [&](NameId id, const Object*) { attributes.hidden.insert(id); });
      } else if (ends("globalInstanceExtension")) {
        Each(extension.entries, [&](NameId id, const Object*) { attributes.instances.insert(id); });
      } else if (ends("classExtension")) {
        Each(extension.entries, [&](NameId id, const Object*) { attributes.classes.insert(id); });
      } else if (ends("privateConstKindsExt")) {
        Each(extension.entries,
             [&](NameId id, const Object* pair) { AddKind(id, pair, &attributes); });
      } else if (ends("declRangeExt")) {
        Each(extension.entries,
             [&](NameId id, const Object* pair) { AddLines(id, pair, &attributes); });
      } else if (ends("docStringExt")) {
        Each(extension.entries,
             [&](NameId id, const Object* pair) { AddDocstring(id, pair, &attributes); });
      }
    }
    return attributes;
  }

 private:
  /// Entries are names, or structures whose first field is one.
  template <class F>
  void Each(const Object& entries, F f) {
    for (uint32_t i = 0; i < entries.fields; ++i) {
      Value value;
      Value first;
      Object object;
      if (!image_.Field(entries, i, &value) || value.boxed || !image_.At(value.object, &object)) {
        continue;
      }
      if (object.tag > trust::kMaxConstructorTag || object.fields == 0) continue;
      if (object.tag == 1 || object.tag == 2) {
        f(types_.ReadName(value), nullptr);
      } else if (image_.Field(object, 0, &first) && !first.boxed) {
        f(types_.ReadName(first), &object);
      }
    }
  }

  void AddKind(NameId id, const Object* pair, Attributes* attributes) {
    // Lean.ConstantKind.
    constexpr ConstantKind kKinds[] = {ConstantKind::kDefinition,  ConstantKind::kTheorem,
                                       ConstantKind::kAxiom,       ConstantKind::kOpaque,
                                       ConstantKind::kQuotient,    ConstantKind::kInductive,
                                       ConstantKind::kConstructor, ConstantKind::kRecursor};
    Value kind;
    if (pair == nullptr || pair->fields < 2 || !image_.Field(*pair, 1, &kind)) return;
    if (kind.boxed && kind.scalar < std::size(kKinds)) attributes->kinds[id] = kKinds[kind.scalar];
  }

  bool FieldObject(const Object& object, uint32_t field, Object* out) {
    Value value;
    return field < object.fields && image_.Field(object, field, &value) && !value.boxed &&
           image_.At(value.object, out);
  }

  // (name, {range := {pos := {line, …}, …, endPos := {line, …}, …}, …}).
  void AddLines(NameId id, const Object* pair, Attributes* attributes) {
    Object ranges, range, begin, end;
    Value first, last;
    if (pair == nullptr || !FieldObject(*pair, 1, &ranges) || !FieldObject(ranges, 0, &range) ||
        !FieldObject(range, 0, &begin) || !FieldObject(range, 2, &end) || begin.fields == 0 ||
        end.fields == 0 || !image_.Field(begin, 0, &first) || !image_.Field(end, 0, &last)) {
      return;
    }
    if (first.boxed && last.boxed) attributes->lines[id] = {first.scalar, last.scalar};
  }

  void AddDocstring(NameId id, const Object* pair, Attributes* attributes) {
    Value text;
    Object object;
    if (pair == nullptr || pair->fields < 2 || !image_.Field(*pair, 1, &text) || text.boxed) return;
    if (!image_.At(text.object, &object) || object.tag != trust::kStringTag) return;
    size_t end = std::min(object.text.size(), kMaxDocstring);
    while (end < object.text.size() && end > 0 &&
           (static_cast<unsigned char>(object.text[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    attributes->docstrings[id] = core::Trim(std::string_view(object.text).substr(0, end));
  }

  trust::OleanImage& image_;
  TypeReader& types_;
};

/// Constants of expressions, each expression once.
class SymbolCollector {
 public:
  SymbolCollector(const TypeReader& types, const Shapes& shapes) : types_(types), shapes_(shapes) {}

  std::vector<SymbolUse> Collect(TypeId type) {
    Begin();
    Walk(type, true);
    Walk(type, false);
    std::vector<SymbolUse> uses;
    uses.reserve(found_.size());
    for (const NameId name : found_) uses.push_back({name, relevant_[Index(name)] == round_});
    return uses;
  }

  std::vector<NameId> CollectAll(TypeId value) {
    Begin();
    Walk(value, false);
    return found_;
  }

 private:
  void Begin() {
    ++round_;
    seen_[0].resize(types_.size(), 0);
    seen_[1].resize(types_.size(), 0);
    const size_t names = types_.terms().name_count();
    known_.resize(std::max(known_.size(), names), 0);
    relevant_.resize(known_.size(), 0);
    found_.clear();
  }

  void Walk(TypeId root, bool relevant) {
    std::vector<TypeId> todo = {root};
    std::vector<TypeId> arguments;
    while (!todo.empty()) {
      const TypeId id = todo.back();
      todo.pop_back();
      if (seen_[relevant ? 1 : 0][id] == round_) continue;
      seen_[relevant ? 1 : 0][id] = round_;
      const TypeNode& node = types_[id];
      switch (node.kind) {
        case TypeKind::kConst:
          Add(node.name, relevant);
          break;
        case TypeKind::kApp: {
          arguments.clear();
          const TypeId head = Spine(types_, id, &arguments);
          todo.push_back(head);
          for (size_t i = 0; i < arguments.size(); ++i) {
            if (!relevant || !IsSkipped(types_[head], i)) todo.push_back(arguments[i]);
          }
          break;
        }
        case TypeKind::kLambda:
        case TypeKind::kForall:
          todo.push_back(node.a);
          todo.push_back(node.b);
          break;
        case TypeKind::kLet:
          todo.push_back(node.a);
          todo.push_back(node.b);
          todo.push_back(node.c);
          break;
        case TypeKind::kProj:
          todo.push_back(node.a);
          break;
        default:
          break;
      }
    }
  }

  bool IsSkipped(const TypeNode& head, size_t argument) const {
    if (head.kind != TypeKind::kConst) return false;
    const std::string& params = shapes_.Find(head.name).params;
    if (argument >= params.size()) return false;
    const char param = params[argument];
    return param == kInstance || param == kProof || param == kImplicitProof;
  }

  void Add(NameId name, bool relevant) {
    if (relevant) relevant_[Index(name)] = round_;
    if (known_[Index(name)] == round_) return;
    known_[Index(name)] = round_;
    found_.push_back(name);
  }

  const TypeReader& types_;
  const Shapes& shapes_;
  uint32_t round_ = 0;
  std::vector<uint32_t> seen_[2];   // by TypeId
  std::vector<uint32_t> known_;     // by NameId
  std::vector<uint32_t> relevant_;  // likewise
  std::vector<NameId> found_;
};

bool HasComponent(std::string_view name, std::initializer_list<std::string_view> components) {
  while (!name.empty()) {
    const size_t dot = name.find('.');
    const std::string_view part = name.substr(0, dot);
    if (std::find(components.begin(), components.end(), part) != components.end()) return true;
    name.remove_prefix(dot == std::string_view::npos ? name.size() : dot + 1);
  }
  return false;
}

NameId ConclusionHead(const TypeReader& types, TypeId type) {
  while (types[type].kind == TypeKind::kForall) type = types[type].b;
  std::vector<TypeId> ignored;
  const TypeNode& head = types[Spine(types, type, &ignored)];
  return head.kind == TypeKind::kConst ? head.name : NameId::kAnonymous;
}

std::string KindOf(ConstantKind kind, NameId id, const Attributes& attributes) {
  if (attributes.classes.contains(id)) return "class";
  if (attributes.instances.contains(id)) return "instance";
  return trust::Name(kind);
}

class ModuleScan {
 public:
  ModuleScan(trust::OleanImage& image, trust::Terms& terms, const std::string& module,
             Shapes* shapes)
      : image_(image), types_(image, terms), module_(module), shapes_(*shapes) {}

  ModulePremises Scan(const trust::ModuleObjects& objects, bool with_proofs) {
    const trust::Terms& terms = types_.terms();
    ModulePremises result;
    for (const trust::Import& import : objects.imports) {
      result.imports.push_back(terms.PrintFull(import.module));
    }
    attributes_ = AttributeReader(image_, types_).Read(objects.extensions);
    AddShapes(objects.constants, &result);
    SymbolCollector symbols(types_, shapes_);
    const bool ranked_module = !HasComponent(module_, {"Lake", "Lean", "Internal", "Tactic"});
    for (const ConstantObjects& constant : objects.constants) {
      const ConstantKind kind = RealKind(constant);
      if (with_proofs && kind == ConstantKind::kTheorem && constant.value) {
        ProvedTheorem proved;
        proved.id = constant.name;
        proved.name = terms.PrintFull(constant.name);
        proved.statement = PrintSignature(types_, shapes_, types_.Read(constant.type));
        const TypeId proof = types_.Read(*constant.value);
        proved.uses = symbols.CollectAll(proof);
        result.proved.push_back(std::move(proved));
      }
      if (!IsOffered(constant, kind)) continue;
      const TypeId type = types_.Read(constant.type);
      ModulePremise premise;
      premise.id = constant.name;
      premise.name = terms.PrintFull(constant.name);
      premise.kind = KindOf(kind, constant.name, attributes_);
      premise.signature = PrintSignature(types_, shapes_, type);
      if (const auto found = attributes_.docstrings.find(constant.name);
          found != attributes_.docstrings.end()) {
        premise.docstring = found->second;
      }
      if (const auto found = attributes_.lines.find(constant.name);
          found != attributes_.lines.end()) {
        std::tie(premise.first_line, premise.last_line) = found->second;
      }
      premise.ranked = ranked_module && kind == ConstantKind::kTheorem &&
                       IsRanked(constant.name, premise.name, type);
      if (premise.ranked) premise.symbols = symbols.Collect(type);
      result.premises.push_back(std::move(premise));
    }
    return result;
  }

 private:
  ConstantKind RealKind(const ConstantObjects& constant) const {
    const auto found = attributes_.kinds.find(constant.name);
    return found == attributes_.kinds.end() ? constant.kind : found->second;
  }

  /// In two passes: whether an argument is a proof depends on constants that may come later.
  void AddShapes(const std::vector<ConstantObjects>& constants, ModulePremises* result) {
    std::vector<std::pair<NameId, TypeId>> read;
    for (const ConstantObjects& constant : constants) {
      if (trust::IsAuxiliary(types_.terms(), constant.name)) continue;
      const TypeId type = types_.Read(constant.type);
      read.emplace_back(constant.name, type);
      TypeId end = type;
      while (types_[end].kind == TypeKind::kForall) end = types_[end].b;
      Shape shape;
      shape.known = true;
      shape.proposition = types_[end].kind == TypeKind::kSort &&
                          types_.level(types_[end].a).kind == trust::LevelKind::kZero;
      shapes_.Add(constant.name, std::move(shape));
    }
    for (const auto& [name, type] : read) {
      shapes_.Add(name, shapes_.Of(types_, name, type));
      result->shaped.push_back(name);
    }
  }

  bool IsOffered(const ConstantObjects& constant, ConstantKind kind) const {
    const trust::Terms& terms = types_.terms();
    const NameId name = constant.name;
    if (kind == ConstantKind::kRecursor || kind == ConstantKind::kQuotient) return false;
    if (constant.safety == trust::Safety::kUnsafe || attributes_.hidden.contains(name))
      return false;
    if (trust::PrivatePrefix(terms, name) != NameId::kAnonymous) return false;
    if (trust::IsGenerated(terms, name) || trust::IsMacroScoped(terms, name)) return false;
    if (terms[name].numeric) return false;
    const std::string_view last = terms.Text(terms[name].part);
    if (last == "sorryAx" || last.find("._") != std::string_view::npos) return false;
    return std::find(kMadeForTypes.begin(), kMadeForTypes.end(), last) == kMadeForTypes.end() &&
           !HasComponent(terms.PrintFull(name), {"Internal"}) && !IsSyntax(constant);
  }

  bool IsSyntax(const ConstantObjects& constant) const {
    Object object;
    Value name;
    if (constant.type.boxed || !image_.At(constant.type.object, &object)) return false;
    constexpr uint8_t kConstTag = 4;
    if (object.tag != kConstTag || !image_.Field(object, 0, &name)) return false;
    const std::string type = types_.terms().PrintFull(types_.ReadName(name));
    return std::find(kSyntaxTypes.begin(), kSyntaxTypes.end(), type) != kSyntaxTypes.end();
  }

  /// The deny list of Lean's LibrarySuggestions.
  bool IsRanked(NameId id, const std::string& name, TypeId type) const {
    if (attributes_.instances.contains(id)) return false;
    if (HasComponent(name, {"Lake", "Lean", "Internal", "Tactic"})) return false;
    const NameId head = ConclusionHead(types_, type);
    const std::string conclusion = head == NameId::kAnonymous ? "" : types_.terms().PrintFull(head);
    return !conclusion.starts_with("Lean.") && !conclusion.starts_with("Lake.");
  }

  trust::OleanImage& image_;
  mutable TypeReader types_;
  const std::string& module_;
  Shapes& shapes_;
  Attributes attributes_;
};

}  // namespace

core::Result<ModulePremises> ReadModulePremises(trust::OleanImage& image, trust::Terms& terms,
                                                const std::string& module, Shapes* shapes,
                                                bool with_proofs) {
  const auto objects = trust::ReadObjects(image, terms);
  if (!objects) return core::Fail(objects.error());
  return ModuleScan(image, terms, module, shapes).Scan(*objects, with_proofs);
}

}  // namespace zermelo::retrieve
