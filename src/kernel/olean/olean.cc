#include "kernel/olean/olean.h"

#include <algorithm>
#include <unordered_set>

#include "kernel/olean/term_reader.h"

namespace zermelo::kernel {

namespace {

constexpr uint32_t kRootFields = 5;
// Fields of ModuleData.
constexpr uint32_t kImports = 0, kConstNames = 1, kConstants = 2, kExtraNames = 3, kEntries = 4;
constexpr uint8_t kHintsRegular = 2;
constexpr size_t kMaxEntryNames = 3;

}  // namespace

class ModuleReader {
 public:
  ModuleReader(OleanImage& image, Terms& terms, const ReadOptions& options)
      : image_(image), terms_(terms), reader_(image, terms, options) {}

  bool Everything(Module* module) {
    module->header = image_.header();
    return OpenRoot(image_.part_count() - 1, &module->is_module, &module->imports) &&
           ReadConstants(&module->constants) && NameArray(kExtraNames, &module->extra_constants) &&
           ReadExtensions(module);
  }

  bool OnlyConstants(size_t part, Part* read) {
    return OpenRoot(part, &read->is_module, &read->imports) && ReadConstants(&read->constants);
  }

  bool OnlyConstantNames(std::vector<NameId>* names) {
    bool is_module = false;
    std::vector<Import> imports;
    Object constants;
    if (!OpenRoot(image_.part_count() - 1, &is_module, &imports) ||
        !ArrayField(root_, kConstants, &constants)) {
      return false;
    }
    for (uint32_t i = 0; i < constants.fields; ++i) {
      Object info, val, head;
      NameId name = NameId::kAnonymous;
      if (!Element(constants, i, &info) || !OpenConstant(info, &val, &head) ||
          !NameField(head, 0, &name)) {
        return false;
      }
      names->push_back(name);
    }
    return true;
  }

  /// After OnlyConstantNames.
  bool OneConstant(uint32_t index, Constant* constant) {
    Object constants;
    return ArrayField(root_, kConstants, &constants) && ReadConstant(constants, index, constant);
  }

  bool OnlyNames(ModuleIndex* index) {
    index->header = image_.header();
    bool is_module = false;
    Object constants;
    if (!OpenRoot(image_.part_count() - 1, &is_module, &index->imports) ||
        !ArrayField(root_, kConstants, &constants))
      return false;
    for (uint32_t i = 0; i < constants.fields; ++i) {
      IndexedConstant constant;
      Object info, val, head;
      if (!Element(constants, i, &info) || !OpenConstant(info, &val, &head) ||
          !NameField(head, 0, &constant.name)) {
        return false;
      }
      constant.kind = static_cast<ConstantKind>(info.tag);
      constant.is_unsafe = ReadSafety(constant.kind, val) == Safety::kUnsafe;
      index->constants.push_back(constant);
    }
    return MarkStripped(is_module, &index->constants);
  }

  bool OnlyImports(std::vector<Import>* imports) {
    bool is_module = false;
    return OpenRoot(image_.part_count() - 1, &is_module, imports);
  }

  bool OnlyObjects(ModuleObjects* module) {
    module->header = image_.header();
    Object constants;
    if (!OpenRoot(image_.part_count() - 1, &module->is_module, &module->imports) ||
        !ArrayField(root_, kConstants, &constants))
      return false;
    module->constants.reserve(constants.fields);
    for (uint32_t i = 0; i < constants.fields; ++i) {
      ConstantObjects constant;
      Object info, val, head;
      if (!Element(constants, i, &info) || !OpenConstant(info, &val, &head) ||
          !NameField(head, 0, &constant.name) || !image_.Field(head, 2, &constant.type)) {
        return false;
      }
      constant.kind = static_cast<ConstantKind>(info.tag);
      constant.safety = ReadSafety(constant.kind, val);
      const bool has_value = constant.kind == ConstantKind::kDefinition ||
                             constant.kind == ConstantKind::kTheorem ||
                             constant.kind == ConstantKind::kOpaque;
      if (has_value && !image_.Field(val, 1, &constant.value.emplace())) return false;
      if (constant.kind == ConstantKind::kConstructor && !NameField(val, 1, &constant.inductive))
        return false;
      module->constants.push_back(constant);
    }
    return MarkStripped(module->is_module, &module->constants) &&
           EachExtension([&](NameId name, const Object& entries) {
             module->extensions.push_back({name, entries});
             return ReadExtension(name, entries, module);
           });
  }

 private:
  bool ReadConstants(std::vector<Constant>* to) {
    Object constants, names;
    if (!ArrayField(root_, kConstants, &constants) || !ArrayField(root_, kConstNames, &names))
      return false;
    if (names.fields != constants.fields)
      return image_.Fail("the numbers of constants and of their names differ");
    std::unordered_set<NameId> seen;
    for (uint32_t i = 0; i < constants.fields; ++i) {
      Constant constant;
      NameId listed = NameId::kAnonymous;
      Value name;
      if (!ReadConstant(constants, i, &constant) || !image_.Field(names, i, &name) ||
          !reader_.Name(name, &listed)) {
        return false;
      }
      if (listed != constant.name) {
        return image_.Fail("the constant " + terms_.Print(constant.name) + " is listed as " +
                           terms_.Print(listed));
      }
      if (!seen.insert(constant.name).second) {
        return image_.Fail("the constant " + terms_.Print(constant.name) + " is declared twice");
      }
      to->push_back(std::move(constant));
    }
    return true;
  }

  bool OpenRoot(size_t part, bool* is_module, std::vector<Import>* imports) {
    Value root;
    if (!image_.Root(part, &root)) return false;
    if (root.boxed || !image_.At(root.object, &root_))
      return image_.Fail("the module's root is not an object");
    if (root_.tag != 0 || root_.fields != kRootFields)
      return image_.Fail("the module's root has an unexpected shape");
    *is_module = image_.Scalar(root_, 0) != 0;
    Object array;
    if (!ArrayField(root_, kImports, &array)) return false;
    for (uint32_t i = 0; i < array.fields; ++i) {
      Object object;
      Import import;
      if (!Element(array, i, &object)) return false;
      if (object.fields != 1) return image_.Fail("an import has an unexpected shape");
      if (!NameField(object, 0, &import.module)) return false;
      import.import_all = image_.Scalar(object, 0) != 0;
      import.is_exported = image_.Scalar(object, 1) != 0;
      import.is_meta = image_.Scalar(object, 2) != 0;
      imports->push_back(import);
    }
    return true;
  }

  bool ObjectField(const Object& object, uint32_t index, Object* field) {
    Value value;
    if (index >= object.fields) return image_.Fail("an object has too few fields");
    if (!image_.Field(object, index, &value)) return false;
    if (value.boxed) return image_.Fail("an object was expected, but there is a number");
    return image_.At(value.object, field);
  }

  bool ArrayField(const Object& object, uint32_t index, Object* array) {
    return ObjectField(object, index, array) &&
           (array->tag == kArrayTag ||
            image_.Fail("an array was expected, but there is another object"));
  }

  bool Element(const Object& array, uint32_t index, Object* object) {
    return ObjectField(array, index, object) &&
           (object->tag <= kMaxConstructorTag ||
            image_.Fail("an element of an array has an unexpected shape"));
  }

  bool NameField(const Object& object, uint32_t index, NameId* name) {
    Value value;
    if (index >= object.fields) return image_.Fail("an object has too few fields");
    return image_.Field(object, index, &value) && reader_.Name(value, name);
  }

  bool NamesField(const Object& object, uint32_t index, ListId* names) {
    Value value;
    return image_.Field(object, index, &value) && reader_.NameList(value, names);
  }

  bool NatField(const Object& object, uint32_t index, StringId* nat) {
    Value value;
    return image_.Field(object, index, &value) && reader_.Nat(value, nat);
  }

  bool ExprField(const Object& object, uint32_t index, ExprId* expr) {
    Value value;
    return image_.Field(object, index, &value) && reader_.Expr(value, expr);
  }

  bool NameArray(uint32_t field, std::vector<NameId>* names) {
    Object array;
    if (!ArrayField(root_, field, &array)) return false;
    for (uint32_t i = 0; i < array.fields; ++i) {
      NameId name;
      if (!NameField(array, i, &name)) return false;
      names->push_back(name);
    }
    return true;
  }

  // ConstantInfo -> its …Val -> the ConstantVal {name, levelParams, type}.
  bool OpenConstant(const Object& info, Object* val, Object* head) {
    constexpr uint32_t kFields[] = {1, 4, 3, 3, 1, 6, 5, 7};
    if (info.tag > static_cast<uint8_t>(ConstantKind::kRecursor) || info.fields != 1) {
      return image_.Fail("a constant has an unknown kind");
    }
    if (!ObjectField(info, 0, val) || !ObjectField(*val, 0, head)) return false;
    if (val->tag != 0 || val->fields != kFields[info.tag] || head->tag != 0 || head->fields != 3) {
      return image_.Fail("a constant does not have the shape of its kind");
    }
    return true;
  }

  Safety ReadSafety(ConstantKind kind, const Object& val) const {
    const auto unsafe = [&](uint32_t byte) {
      return image_.Scalar(val, byte) != 0 ? Safety::kUnsafe : Safety::kSafe;
    };
    switch (kind) {
      case ConstantKind::kAxiom:
      case ConstantKind::kOpaque:
      case ConstantKind::kConstructor:
        return unsafe(0);
      case ConstantKind::kInductive:
      case ConstantKind::kRecursor:
        return unsafe(1);
      case ConstantKind::kDefinition: {
        const uint8_t safety = image_.Scalar(val, 0);
        return safety == 1 ? Safety::kSafe : safety == 2 ? Safety::kPartial : Safety::kUnsafe;
      }
      default:
        return Safety::kSafe;
    }
  }

  bool ReadConstant(const Object& constants, uint32_t index, Constant* constant) {
    Object info, val, head;
    if (!Element(constants, index, &info) || !OpenConstant(info, &val, &head) ||
        !NameField(head, 0, &constant->name) || !NamesField(head, 1, &constant->level_params) ||
        !ExprField(head, 2, &constant->type)) {
      return false;
    }
    constant->kind = static_cast<ConstantKind>(info.tag);
    constant->safety = ReadSafety(constant->kind, val);
    switch (constant->kind) {
      case ConstantKind::kAxiom:
        return true;
      case ConstantKind::kQuotient:
        constant->quotient_kind = image_.Scalar(val, 0);
        return true;
      case ConstantKind::kDefinition:
        return ReadValue(val, constant) && ReadHints(val, &constant->hints) &&
               NamesField(val, 3, &constant->all);
      case ConstantKind::kTheorem:
      case ConstantKind::kOpaque:
        return ReadValue(val, constant) && NamesField(val, 2, &constant->all);
      case ConstantKind::kInductive:
        constant->flags[0] = image_.Scalar(val, 0) != 0;
        constant->flags[1] = image_.Scalar(val, 2) != 0;
        return NatField(val, 1, &constant->counts[0]) && NatField(val, 2, &constant->counts[1]) &&
               NamesField(val, 3, &constant->all) && NamesField(val, 4, &constant->constructors) &&
               NatField(val, 5, &constant->counts[2]);
      case ConstantKind::kConstructor:
        return NameField(val, 1, &constant->inductive) && NatField(val, 2, &constant->counts[0]) &&
               NatField(val, 3, &constant->counts[1]) && NatField(val, 4, &constant->counts[2]);
      case ConstantKind::kRecursor:
        constant->flags[0] = image_.Scalar(val, 0) != 0;
        return NamesField(val, 1, &constant->all) && NatField(val, 2, &constant->counts[0]) &&
               NatField(val, 3, &constant->counts[1]) && NatField(val, 4, &constant->counts[2]) &&
               NatField(val, 5, &constant->counts[3]) && ReadRules(val, constant);
    }
    return false;
  }

  bool ReadValue(const Object& val, Constant* constant) {
    ExprId value;
    if (!ExprField(val, 1, &value)) return false;
    constant->value = value;
    return true;
  }

  bool ReadHints(const Object& val, Hints* hints) {
    Value value;
    Object object;
    if (!image_.Field(val, 2, &value)) return false;
    if (value.boxed) {
      hints->kind = value.scalar == 0 ? Hints::Kind::kOpaque : Hints::Kind::kAbbreviation;
      return value.scalar < kHintsRegular ||
             image_.Fail("a definition has unknown reducibility hints");
    }
    if (!image_.At(value.object, &object)) return false;
    for (uint32_t byte = 0; byte < sizeof hints->height; ++byte)
      hints->height |= uint32_t{image_.Scalar(object, byte)} << (8 * byte);
    return object.tag == kHintsRegular ||
           image_.Fail("a definition has unknown reducibility hints");
  }

  bool ReadRules(const Object& val, Constant* constant) {
    Value list;
    if (!image_.Field(val, 6, &list)) return false;
    while (!list.boxed) {
      Object cell, object;
      CompiledRule rule;
      if (!image_.At(list.object, &cell)) return false;
      if (cell.tag != 1 || cell.fields != 2)
        return image_.Fail("a list of recursor rules has an unexpected shape");
      if (!ObjectField(cell, 0, &object)) return false;
      if (object.tag != 0 || object.fields != 3)
        return image_.Fail("a recursor rule has an unexpected shape");
      if (!NameField(object, 0, &rule.constructor) || !NatField(object, 1, &rule.fields) ||
          !ExprField(object, 2, &rule.value) || !image_.Field(cell, 1, &list)) {
        return false;
      }
      // A cyclic or shared list would be longer than the file.
      rules_ += sizeof(uint64_t);
      if (rules_ > image_.size())
        return image_.Fail("a list of recursor rules is longer than the file");
      constant->rules.push_back(rule);
    }
    return true;
  }

  bool ReadExtensions(Module* module) {
    return EachExtension([&](NameId name, const Object& entries) {
      module->extensions.push_back({name, entries.fields});
      return ReadExtension(name, entries, module);
    });
  }

  /// The code attributes and ranges of a Module or ModuleObjects.
  template <class AnyModule>
  bool ReadExtension(NameId name, const Object& entries, AnyModule* module) {
    using Kind = CodeAttribute::Kind;
    const std::string_view last = LastComponent(name);
    if (last == "implementedByAttr")
      return ReadAttributes(Kind::kImplementedBy, entries, &module->code_attributes);
    if (last == "externAttr")
      return ReadAttributes(Kind::kExtern, entries, &module->code_attributes);
    if (last == "regularInitAttr" || last == "builtinInitAttr")
      return ReadAttributes(Kind::kInit, entries, &module->code_attributes);
    if (last == "ext" && LastComponent(terms_[name].prefix) == "CSimp")
      return ReadAttributes(Kind::kCSimp, entries, &module->code_attributes);
    return last != "declRangeExt" || ReadRanges(entries, &module->ranges);
  }

  template <class F>
  bool EachExtension(F f) {
    Object array;
    if (!ArrayField(root_, kEntries, &array)) return false;
    for (uint32_t i = 0; i < array.fields; ++i) {
      Object pair, entries;
      NameId name = NameId::kAnonymous;
      if (!Element(array, i, &pair) || !NameField(pair, 0, &name) ||
          !ArrayField(pair, 1, &entries)) {
        return false;
      }
      if (!f(name, entries)) return false;
    }
    return true;
  }

  std::string_view LastComponent(NameId name) const {
    return name == NameId::kAnonymous || terms_[name].numeric ? std::string_view()
                                                              : terms_.Text(terms_[name].part);
  }

  // An entry's shape differs between versions of Lean. The names in it are the subject, then other
  // names: take the first few, at most three levels down.
  bool ReadAttributes(CodeAttribute::Kind kind, const Object& entries,
                      std::vector<CodeAttribute>* attributes) {
    for (uint32_t i = 0; i < entries.fields; ++i) {
      CodeAttribute attribute;
      attribute.kind = kind;
      Value value;
      if (!image_.Field(entries, i, &value) || !CollectNames(value, 3, &attribute.names))
        return false;
      if (attribute.names.empty()) return image_.Fail("a code attribute names no declaration");
      attributes->push_back(std::move(attribute));
    }
    return true;
  }

  bool CollectNames(const Value& value, int depth, std::vector<NameId>* names) {
    if (value.boxed || depth < 0 || names->size() >= kMaxEntryNames) return true;
    Object object;
    if (!image_.At(value.object, &object)) return false;
    if (object.tag > kMaxConstructorTag) return true;
    if (LooksLikeName(object)) {
      NameId name;
      if (!reader_.Name(value, &name)) return false;
      names->push_back(name);
      return true;
    }
    for (uint32_t i = 0; i < object.fields && names->size() < kMaxEntryNames; ++i) {
      Value field;
      if (!image_.Field(object, i, &field) || !CollectNames(field, depth - 1, names)) return false;
    }
    return true;
  }

  // (prefix, String) or (prefix, Nat) with the u64 that caches a hash.
  bool LooksLikeName(const Object& object) {
    if ((object.tag != 1 && object.tag != 2) || object.fields != 2 ||
        object.scalars < sizeof(uint64_t)) {
      return false;
    }
    Value part;
    Object text;
    if (!image_.Field(object, 1, &part)) return false;
    if (object.tag == 2) return part.boxed;
    return !part.boxed && image_.At(part.object, &text) && text.tag == kStringTag;
  }

  // (name, {range := {pos := {line, column}, charUtf16, endPos, endCharUtf16}, selectionRange}).
  bool ReadRanges(const Object& entries, std::vector<DeclarationRange>* to) {
    for (uint32_t i = 0; i < entries.fields; ++i) {
      Object entry, ranges, range, begin, end;
      Value first, last;
      DeclarationRange result;
      if (!Element(entries, i, &entry) || !NameField(entry, 0, &result.name) ||
          !ObjectField(entry, 1, &ranges) || !ObjectField(ranges, 0, &range) ||
          !ObjectField(range, 0, &begin) || !ObjectField(range, 2, &end) || begin.fields == 0 ||
          end.fields == 0 || !image_.Field(begin, 0, &first) || !image_.Field(end, 0, &last)) {
        return image_.Fail("the range of a declaration has an unexpected shape");
      }
      result.first_line = first.scalar;
      result.last_line = last.scalar;
      to->push_back(result);
    }
    return true;
  }

  // privateConstKindsExt: (name, the constant's real kind). Only a public part without its private
  // one hides anything; elsewhere an axiom is one, whatever the file says.
  template <class AnyConstant>
  bool MarkStripped(bool is_module, std::vector<AnyConstant>* constants) {
    if (!is_module || image_.has_private()) return true;
    std::unordered_set<NameId> stripped;
    const bool ok = EachExtension([&](NameId name, const Object& entries) {
      if (LastComponent(name) != "privateConstKindsExt") return true;
      for (uint32_t i = 0; i < entries.fields; ++i) {
        Object entry;
        NameId constant;
        Value kind;
        if (!Element(entries, i, &entry) || !NameField(entry, 0, &constant) || entry.fields < 2 ||
            !image_.Field(entry, 1, &kind)) {
          return image_.Fail("the hidden kind of a constant has an unexpected shape");
        }
        // Lean.ConstantKind: defn, thm, axiom, opaque, …
        constexpr uint64_t kAxiom = 2;
        if (kind.boxed && kind.scalar != kAxiom) stripped.insert(constant);
      }
      return true;
    });
    for (AnyConstant& constant : *constants) constant.stripped = stripped.contains(constant.name);
    return ok;
  }

  OleanImage& image_;
  Terms& terms_;
  TermReader reader_;
  Object root_;
  size_t rules_ = 0;
};

bool operator==(const Constant& a, const Constant& b) {
  return a.kind == b.kind && a.safety == b.safety && a.name == b.name &&
         a.level_params == b.level_params && a.type == b.type && a.value == b.value &&
         a.all == b.all && a.quotient_kind == b.quotient_kind && a.constructors == b.constructors &&
         a.inductive == b.inductive &&
         std::equal(std::begin(a.counts), std::end(a.counts), std::begin(b.counts)) &&
         std::equal(std::begin(a.flags), std::end(a.flags), std::begin(b.flags)) &&
         a.rules == b.rules;
}

const char* Name(ConstantKind kind) {
  constexpr const char* kNames[] = {"axiom",           "definition",        "theorem",
                                    "opaque constant", "quotient constant", "inductive type",
                                    "constructor",     "recursor"};
  return kNames[static_cast<size_t>(kind)];
}

core::Result<Module> ReadModule(OleanImage& image, Terms& terms, const ReadOptions& options) {
  if (auto checked = image.CheckAll(); !checked) return core::Fail(checked.error());
  terms.ReserveFor(image.size() / image.word());
  Module module;
  if (!ModuleReader(image, terms, options).Everything(&module)) return core::Fail(image.error());
  module.has_private = image.has_private();
  return module;
}

core::Result<Part> ReadPart(OleanImage& image, Terms& terms, size_t part,
                            const ReadOptions& options) {
  if (auto checked = image.CheckAll(); !checked) return core::Fail(checked.error());
  Part read;
  if (!ModuleReader(image, terms, options).OnlyConstants(part, &read))
    return core::Fail(image.error());
  return read;
}

LazyModule::LazyModule(OleanImage& image, Terms& terms)
    : image_(&image), reader_(std::make_unique<ModuleReader>(image, terms, ReadOptions())) {}
LazyModule::LazyModule(LazyModule&&) noexcept = default;
LazyModule::~LazyModule() = default;

core::Result<LazyModule> LazyModule::Open(OleanImage& image, Terms& terms) {
  LazyModule module(image, terms);
  if (!module.reader_->OnlyConstantNames(&module.names_)) return core::Fail(image.error());
  return module;
}

core::Result<Constant> LazyModule::Read(uint32_t index) {
  Constant constant;
  if (!reader_->OneConstant(index, &constant)) return core::Fail(image_->error());
  return constant;
}

core::Result<std::vector<Import>> ReadImports(OleanImage& image, Terms& terms) {
  std::vector<Import> imports;
  if (!ModuleReader(image, terms, {}).OnlyImports(&imports)) return core::Fail(image.error());
  return imports;
}

core::Result<ModuleObjects> ReadObjects(OleanImage& image, Terms& terms) {
  if (auto checked = image.CheckAll(); !checked) return core::Fail(checked.error());
  ModuleObjects module;
  if (!ModuleReader(image, terms, {}).OnlyObjects(&module)) return core::Fail(image.error());
  return module;
}

core::Result<ModuleIndex> ReadIndex(OleanImage& image, Terms& terms) {
  ModuleIndex index;
  if (!ModuleReader(image, terms, {}).OnlyNames(&index)) return core::Fail(image.error());
  return index;
}

}  // namespace zermelo::kernel
