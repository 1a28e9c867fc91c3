// Files that the embedded Lean wrote, with bytes changed as no Lean would write them.
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

#include "core/files/file.h"
#include "kernel/olean/olean.h"
#include "trust/verdict.h"

namespace zermelo::trust {
namespace {

namespace fs = std::filesystem;
using kernel::Object;
using kernel::Offset;
using kernel::Value;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kParts[] = {"", ".server", ".private"};
constexpr size_t kPublicPart = 0, kPrivatePart = 2;
constexpr uint32_t kWord = 4;  // the embedded Lean has 32 bits

std::string BytesOf(const std::string& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(fs::path(ZERMELO_SOURCE_DIR) / file, std::ios::binary).rdbuf();
  return bytes.str();
}

/// A constant that a part declares: where its name and its object are listed, and its objects.
struct Listed {
  Offset name_slot = 0, info_slot = 0;
  Object info;      // ConstantInfo
  Object value;     // TheoremVal, …
  Object constant;  // ConstantVal: name, universe parameters, type
};

/// All parts of a module in testdata, to be changed in place.
class RealModule {
 public:
  explicit RealModule(const std::string& name = "honest") {
    for (const char* part : kParts)
      parts_.push_back(BytesOf("src/trust/testdata/" + name + ".olean" + part));
    const std::vector<std::string_view> views(parts_.begin(), parts_.end());
    EXPECT_TRUE(image_.Open(views));
    EXPECT_EQ(image_.word(), kWord);
    for (size_t part = 0; part < parts_.size(); ++part) ReadListed(part);
  }

  std::vector<std::string>& parts() { return parts_; }
  kernel::OleanImage& image() { return image_; }

  const Listed& Of(size_t part, const std::string& name) const {
    const auto found = listed_[part].find(name);
    EXPECT_NE(found, listed_[part].end()) << name << " in part " << part;
    return found->second;
  }

  uint32_t Word(Offset at) const {
    uint32_t word = 0;
    const auto [part, position] = PlaceOf(at);
    std::memcpy(&word, parts_[part].data() + position, sizeof word);
    return word;
  }
  void Set(Offset at, uint32_t word) {
    const auto [part, position] = PlaceOf(at);
    std::memcpy(parts_[part].data() + position, &word, sizeof word);
  }
  void Copy(Offset from, Offset to) { Set(to, Word(from)); }
  uint8_t& Byte(Offset at) {
    const auto [part, position] = PlaceOf(at);
    return reinterpret_cast<uint8_t&>(parts_[part][position]);
  }

  /// Removes all other constants from the lists of all parts.
  void KeepOnly(const std::set<std::string>& kept) {
    for (size_t part = 0; part < parts_.size(); ++part) {
      const Object names = Pointed(Root(part), 1), constants = Pointed(Root(part), 2);
      std::vector<std::pair<uint32_t, uint32_t>> left;
      for (const auto& [name, it] : listed_[part])
        if (kept.contains(name)) left.emplace_back(Word(it.name_slot), Word(it.info_slot));
      for (uint32_t i = 0; i < left.size(); ++i) {
        Set(FieldAt(names, i), left[i].first);
        Set(FieldAt(constants, i), left[i].second);
      }
      for (const Object& list : {names, constants})
        Set(list.at + 8, static_cast<uint32_t>(left.size()));
    }
  }

  static Offset FieldAt(const Object& object, uint32_t index) {
    return object.first_field + index * kWord;
  }
  static Offset ScalarAt(const Object& object, uint32_t index) {
    return FieldAt(object, object.fields) + index;
  }
  Object Pointed(const Object& object, uint32_t index) {
    Value value;
    Object pointed;
    EXPECT_TRUE(image_.Field(object, index, &value) && !value.boxed &&
                image_.At(value.object, &pointed));
    return pointed;
  }
  Object Root(size_t part) {
    Value value;
    Object root;
    EXPECT_TRUE(image_.Root(part, &value) && image_.At(value.object, &root));
    return root;
  }

  /// Adds a constructor's object at the end of a part, with zeros for `scalars` bytes; returns its
  /// address.
  uint32_t Append(size_t part, uint8_t tag, const std::vector<uint32_t>& fields,
                  size_t scalars = 0) {
    std::string& bytes = parts_[part];
    bytes.resize((bytes.size() + 7) / 8 * 8);
    uint32_t base = 0;
    std::memcpy(&base, bytes.data() + 80, sizeof base);
    const uint32_t address = base + static_cast<uint32_t>(bytes.size());
    const auto size = static_cast<uint16_t>((8 + kWord * fields.size() + scalars + 7) / 8 * 8);
    const size_t at = bytes.size();
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at + 4, &size, sizeof size);
    bytes[at + 6] = static_cast<char>(fields.size());
    bytes[at + 7] = static_cast<char>(tag);
    for (size_t i = 0; i < fields.size(); ++i)
      std::memcpy(bytes.data() + at + 8 + kWord * i, &fields[i], kWord);
    return address;
  }

  /// Calls f with each object that is reachable from a part's root, once.
  void ForEachObject(size_t part, const std::function<void(const Object&)>& f) {
    std::set<Offset> seen;
    std::vector<Object> open = {Root(part)};
    while (!open.empty()) {
      const Object object = open.back();
      open.pop_back();
      if (!seen.insert(object.at).second) continue;
      f(object);
      Each(object, [&](const Object& pointed) { open.push_back(pointed); });
    }
  }

  /// Calls f with each expression in the types and values of a part's constants, once.
  void ForEachExpression(size_t part, const std::function<void(const Object&)>& f) {
    std::set<Offset> seen;
    std::vector<Object> open;
    for (const auto& [name, it] : listed_[part]) {
      open.push_back(Pointed(it.constant, 2));
      if (it.info.tag == 1 || it.info.tag == 2) open.push_back(Pointed(it.value, 1));
    }
    // app; lam, forallE; letE; mdata; proj: all parts but names, levels and other data.
    const std::map<int, std::vector<uint32_t>> parts = {{5, {0, 1}},    {6, {1, 2}}, {7, {1, 2}},
                                                        {8, {1, 2, 3}}, {10, {1}},   {11, {2}}};
    while (!open.empty()) {
      const Object object = open.back();
      open.pop_back();
      if (!seen.insert(object.at).second) continue;
      f(object);
      const auto children = parts.find(object.tag);
      if (children == parts.end()) continue;
      for (const uint32_t child : children->second) open.push_back(Pointed(object, child));
    }
  }

 private:
  std::pair<size_t, size_t> PlaceOf(Offset at) const {
    const char* const first = image_.bytes(0).data();
    size_t part = parts_.size() - 1;
    while (image_.bytes(part).data() - first > at) --part;
    return {part, at - static_cast<size_t>(image_.bytes(part).data() - first)};
  }

  template <class F>
  void Each(const Object& object, F f) {
    const bool points = object.tag <= kernel::kMaxConstructorTag || object.tag == kernel::kArrayTag;
    for (uint32_t i = 0; points && i < object.fields; ++i) {
      Value value;
      Object pointed;
      if (image_.Field(object, i, &value) && !value.boxed && image_.At(value.object, &pointed))
        f(pointed);
    }
  }

  std::string NameOf(const Value& value) {
    Object name;
    if (value.boxed || !image_.At(value.object, &name)) return "";
    Value prefix, part;
    EXPECT_TRUE(image_.Field(name, 0, &prefix) && image_.Field(name, 1, &part));
    const std::string before = NameOf(prefix);
    Object text;
    const std::string last = part.boxed                      ? std::to_string(part.scalar)
                             : image_.At(part.object, &text) ? std::string(text.text)
                                                             : "";
    return before.empty() ? last : before + "." + last;
  }

  /// All names of the module are private.
  static std::string Shortened(const std::string& name) {
    constexpr std::string_view kPrefix = "_private._stdin.0.";
    return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  }

  void ReadListed(size_t part) {
    listed_.emplace_back();
    const Object root = Root(part);
    const Object names = Pointed(root, 1), constants = Pointed(root, 2);
    for (uint32_t i = 0; i < names.fields; ++i) {
      Value name;
      EXPECT_TRUE(image_.Field(names, i, &name));
      Listed it;
      it.name_slot = FieldAt(names, i);
      it.info_slot = FieldAt(constants, i);
      it.info = Pointed(constants, i);
      it.value = Pointed(it.info, 0);
      it.constant = Pointed(it.value, 0);
      listed_.back().emplace(Shortened(NameOf(name)), it);
    }
  }

  std::vector<std::string> parts_;
  kernel::OleanImage image_;
  std::vector<std::map<std::string, Listed>> listed_;  // by part
};

/// One change, or several, and what the verdict on the file says.
struct Edit {
  const char* name;
  const char* says;
  void (*apply)(RealModule&);
};

constexpr uint32_t kType = 2, kUniverses = 1;  // fields of a ConstantVal

void CopyField(RealModule& it, const char* what, const char* other, uint32_t field) {
  it.Copy(RealModule::FieldAt(it.Of(kPrivatePart, other).constant, field),
          RealModule::FieldAt(it.Of(kPrivatePart, what).constant, field));
}

void UseProofOf(RealModule& it, const char* what, const char* other) {
  it.Copy(RealModule::FieldAt(it.Of(kPrivatePart, other).value, 1),
          RealModule::FieldAt(it.Of(kPrivatePart, what).value, 1));
}

/// A new constant in the public part, of the kind that `like` is there: its name and its type.
uint32_t NewPublic(RealModule& it, const char* like, uint32_t name, uint32_t type) {
  const Listed& old = it.Of(kPublicPart, like);
  const uint32_t constant = it.Append(
      kPublicPart, 0, {name, it.Word(RealModule::FieldAt(old.constant, kUniverses)), type});
  std::vector<uint32_t> fields = {constant};
  for (uint32_t i = 1; i < old.value.fields; ++i)
    fields.push_back(it.Word(RealModule::FieldAt(old.value, i)));
  return it.Append(kPublicPart, old.info.tag, {it.Append(kPublicPart, 0, fields)});
}

uint32_t NameOf(RealModule& it, const char* constant) {
  return it.Word(RealModule::FieldAt(it.Of(kPublicPart, constant).constant, 0));
}
uint32_t TypeOf(RealModule& it, const char* constant) {
  return it.Word(RealModule::FieldAt(it.Of(kPublicPart, constant).constant, kType));
}

constexpr uint32_t Boxed(uint32_t number) { return number << 1U | 1U; }

void SetField(RealModule& it, const char* what, uint32_t field, uint32_t number) {
  it.Set(RealModule::FieldAt(it.Of(kPrivatePart, what).value, field), Boxed(number));
}

/// A lemma's proof becomes a new expression: its constructor's tag and fields.
void ProveBy(RealModule& it, const char* what, uint8_t tag, const std::vector<uint32_t>& fields) {
  constexpr size_t kHash = 8;
  it.Set(RealModule::FieldAt(it.Of(kPrivatePart, what).value, 1),
         it.Append(kPrivatePart, tag, fields, kHash));
}

Object RuleOf(RealModule& it, const char* recursor) {
  return it.Pointed(it.Pointed(it.Of(kPrivatePart, recursor).value, 6), 0);
}

void ForgeHashes(RealModule& it) {
  // Shared expressions are in several parts, and are forged once.
  std::set<Offset> forged;
  const auto forge = [&](const Object& object) {
    if (!forged.insert(object.at).second) return;
    for (uint32_t i = 0; i < 8; ++i) it.Byte(RealModule::ScalarAt(object, i)) ^= 0xFFU;
  };
  for (size_t part = 0; part < 3; ++part) it.ForEachExpression(part, forge);
  for (const char* name : {"two", "half", "Pt.rec"})
    forge(it.Pointed(it.Of(kPrivatePart, name).constant, 0));
  EXPECT_GT(forged.size(), 1000U);
}

const std::vector<Edit> kHonestEdits = {
    {"Nothing", "", [](RealModule&) {}},
    // Hashes, flags and the range of bound variables that each expression and name claims.
    {"ForgedHashesAndFlags", "", ForgeHashes},
    {"ALemmaWithAUniverseThatItDoesNotUse", "",
     [](RealModule& it) { CopyField(it, "Helper.aux", "Pt.rec", kUniverses); }},
    {"AStubWrittenAnew", "",
     [](RealModule& it) {
       it.Set(it.Of(kPublicPart, "tacticMytac").info_slot,
              NewPublic(it, "tacticMytac", NameOf(it, "tacticMytac"), TypeOf(it, "tacticMytac")));
     }},
    {"ATheoremWrittenAnew", "",
     [](RealModule& it) {
       it.Set(it.Of(kPublicPart, "Helper.g.eq_1").info_slot,
              NewPublic(it, "Helper.g.eq_1", NameOf(it, "Helper.g.eq_1"),
                        TypeOf(it, "Helper.g.eq_1")));
     }},
};

// What every other check accepts: what the targets do not mention, or a proof that they use.
const std::vector<Edit> kKernelAttacks = {
    {"AProofOfAnotherLemma", "rejects `dd`",
     [](RealModule& it) { UseProofOf(it, "dd", "Helper.aux"); }},
    {"AProofThatIsABoundVariable", "rejects `Helper.aux`",
     [](RealModule& it) { ProveBy(it, "Helper.aux", 0, {Boxed(0)}); }},
    {"AProofThatIsAFreeVariable", "rejects `Helper.aux`",
     [](RealModule& it) { ProveBy(it, "Helper.aux", 1, {NameOf(it, "Pt")}); }},
    {"AProofThatIsASort", "rejects `Helper.aux`",
     [](RealModule& it) { ProveBy(it, "Helper.aux", 3, {Boxed(0)}); }},
    {"AProofThatIsAConstantOfNoModule", "rejects `Helper.aux`",
     [](RealModule& it) {
       ProveBy(it, "Helper.aux", 4,
               {it.Append(kPrivatePart, 2, {Boxed(0), Boxed(7)}, 8), Boxed(0)});
     }},
    {"AProofThatIsALiteral", "rejects `Helper.aux`",
     [](RealModule& it) {
       ProveBy(it, "Helper.aux", 9, {it.Append(kPrivatePart, 0, {Boxed(2)})});
     }},
    {"AProofThatIsAProjectionOfItself", "rejects `Helper.aux`",
     [](RealModule& it) {
       const uint32_t aux = it.Append(
           kPrivatePart, 4,
           {it.Word(RealModule::FieldAt(it.Of(kPrivatePart, "Helper.aux").constant, 0)), Boxed(0)},
           8);
       ProveBy(it, "Helper.aux", 11, {NameOf(it, "Pt"), Boxed(0), aux});
     }},
    {"AFunctionThatItsEquationsDoNotDescribe", "rejects `Helper.g",
     [](RealModule& it) { UseProofOf(it, "Helper.g", "double"); }},
    {"AFunctionThatIsUnsafe", "rejects `Helper",
     [](RealModule& it) {
       it.Byte(RealModule::ScalarAt(it.Of(kPrivatePart, "Helper.g").value, 0)) = 0;
     }},
    {"AFunctionThatIsPartial", "rejects `Helper",
     [](RealModule& it) {
       it.Byte(RealModule::ScalarAt(it.Of(kPrivatePart, "Helper.g").value, 0)) = 2;
     }},
    {"ARecursorOfAnotherType", "rejects `Pt`",
     [](RealModule& it) { CopyField(it, "Pt.rec", "Pt", kType); }},
    {"ARecursorWithoutUniverses", "rejects `Pt`",
     [](RealModule& it) { CopyField(it, "Pt.rec", "Pt", kUniverses); }},
    {"ARecursorWithK", "rejects `Pt`",
     [](RealModule& it) {
       it.Byte(RealModule::ScalarAt(it.Of(kPrivatePart, "Pt.rec").value, 0)) ^= 1U;
     }},
    {"ARecursorWithAParameter", "rejects `Pt`",
     [](RealModule& it) { SetField(it, "Pt.rec", 2, 1); }},
    {"ARecursorWithAnIndex", "rejects `Pt`", [](RealModule& it) { SetField(it, "Pt.rec", 3, 1); }},
    {"ARecursorWithTwoMotives", "rejects `Pt`",
     [](RealModule& it) { SetField(it, "Pt.rec", 4, 2); }},
    {"ARecursorWithAnotherNumberOfCases", "rejects `Pt`",
     [](RealModule& it) { SetField(it, "Pt.rec", 5, 2); }},
    {"ARecursorWithoutRules", "rejects `Pt`", [](RealModule& it) { SetField(it, "Pt.rec", 6, 0); }},
    {"ARecursorsRuleForWhatIsNoConstructor", "rejects `Pt`",
     [](RealModule& it) {
       it.Set(RealModule::FieldAt(RuleOf(it, "Pt.rec"), 0), NameOf(it, "Pt"));
     }},
    {"ARecursorsRuleWithThreeFields", "rejects `Pt`",
     [](RealModule& it) { it.Set(RealModule::FieldAt(RuleOf(it, "Pt.rec"), 1), Boxed(3)); }},
    {"ARecursorsRuleOfAnotherValue", "rejects `Pt`",
     [](RealModule& it) {
       it.Copy(RealModule::FieldAt(it.Of(kPrivatePart, "half").value, 1),
               RealModule::FieldAt(RuleOf(it, "Pt.rec"), 2));
     }},
    {"AConstructorWithAnotherNumber", "rejects `Pt`",
     [](RealModule& it) { SetField(it, "Pt.mk", 2, 1); }},
    {"AConstructorWithAParameter", "rejects `Pt`",
     [](RealModule& it) { SetField(it, "Pt.mk", 3, 1); }},
    {"AConstructorWithoutFields", "rejects `Pt`",
     [](RealModule& it) { SetField(it, "Pt.mk", 4, 0); }},
    {"ATypeWithAParameter", "rejects `Pt`", [](RealModule& it) { SetField(it, "Pt", 1, 1); }},
    {"ATypeWithAnIndex", "rejects `Pt`", [](RealModule& it) { SetField(it, "Pt", 2, 1); }},
    {"ATypeThatIsNested", "rejects `Pt`", [](RealModule& it) { SetField(it, "Pt", 5, 1); }},
    {"ATypeThatIsRecursive", "rejects `Pt`",
     [](RealModule& it) { it.Byte(RealModule::ScalarAt(it.Of(kPrivatePart, "Pt").value, 0)) = 1; }},
    {"ATypeThatIsReflexive", "rejects `Pt`",
     [](RealModule& it) { it.Byte(RealModule::ScalarAt(it.Of(kPrivatePart, "Pt").value, 2)) = 1; }},
};

const std::vector<Edit> kAttacks = {
    {"AProofOfAnotherTheorem", "kernel_rejected: Zermelo's kernel rejects `two`",
     [](RealModule& it) { UseProofOf(it, "two", "half"); }},
    {"AProofOfAnotherTheoremUnderForgedHashes", "kernel_rejected: Zermelo's kernel rejects `two`",
     [](RealModule& it) {
       ForgeHashes(it);
       UseProofOf(it, "two", "half");
     }},
    {"ALemmaOfAnotherType", "kernel_rejected",
     [](RealModule& it) { CopyField(it, "Helper.aux", "half", kType); }},
    {"AnotherStatement", "type_changed",
     [](RealModule& it) {
       CopyField(it, "two", "half", kType);
       UseProofOf(it, "two", "half");
     }},
    {"AStubThatLies", "parts_differ: The compiled candidate contradicts itself about `tacticMytac`",
     [](RealModule& it) {
       it.Set(it.Of(kPublicPart, "tacticMytac").info_slot,
              NewPublic(it, "tacticMytac", NameOf(it, "tacticMytac"), TypeOf(it, "Pt")));
     }},
    {"APublicTheoremOfAnotherStatement", "parts_differ",
     [](RealModule& it) {
       it.Set(it.Of(kPublicPart, "Helper.g.eq_1").info_slot,
              NewPublic(it, "Helper.g.eq_1", NameOf(it, "Helper.g.eq_1"),
                        TypeOf(it, "Helper.g.eq_2")));
     }},
    {"AStubOfAnInductiveType", "parts_differ",
     [](RealModule& it) {
       it.Set(it.Of(kPublicPart, "Pt").info_slot,
              NewPublic(it, "tacticMytac", NameOf(it, "Pt"), TypeOf(it, "Pt")));
     }},
    {"APublicNameThatThePrivatePartLacks", "only the public part",
     [](RealModule& it) {
       // `Helper`, the namespace.
       const Object g = it.Pointed(it.Pointed(it.Of(kPublicPart, "Helper.g.eq_1").constant, 0), 0);
       const uint32_t helper = it.Word(RealModule::FieldAt(g, 0));
       const Listed& stub = it.Of(kPublicPart, "tacticMytac");
       it.Set(stub.name_slot, helper);
       it.Set(stub.info_slot, NewPublic(it, "tacticMytac", helper, TypeOf(it, "tacticMytac")));
     }},
    {"AConstantListedUnderAnotherName", "is listed as",
     [](RealModule& it) {
       it.Copy(it.Of(kPrivatePart, "half").name_slot, it.Of(kPrivatePart, "two").name_slot);
     }},
    {"APublicConstantListedUnderAnotherName", "is listed as",
     [](RealModule& it) {
       it.Copy(it.Of(kPublicPart, "Pt").name_slot, it.Of(kPublicPart, "Pt.mk").name_slot);
     }},
    {"ANameTwice", "declared twice",
     [](RealModule& it) {
       const Listed& two = it.Of(kPrivatePart, "two");
       const Listed& aux = it.Of(kPrivatePart, "Helper.aux");
       it.Copy(two.name_slot, aux.name_slot);
       it.Copy(two.info_slot, aux.info_slot);
     }},
    {"APublicNameTwice", "declared twice",
     [](RealModule& it) {
       const Listed& first = it.Of(kPublicPart, "Helper.g.eq_1");
       const Listed& second = it.Of(kPublicPart, "Helper.g.eq_2");
       it.Copy(first.name_slot, second.name_slot);
       it.Copy(first.info_slot, second.info_slot);
     }},
    {"ATheoremThatIsAnAxiom", "",
     [](RealModule& it) { it.Byte(it.Of(kPrivatePart, "two").info.at + 7) = 0; }},
    {"ATheoremThatIsOpaque", "",
     [](RealModule& it) { it.Byte(it.Of(kPrivatePart, "two").info.at + 7) = 3; }},
    {"ADefinitionThatIsUnsafe", "",
     [](RealModule& it) {
       it.Byte(RealModule::ScalarAt(it.Of(kPrivatePart, "double").value, 0)) = 0;
     }},
    {"UniversesOfAnother", "universes_changed",
     [](RealModule& it) { CopyField(it, "two", "Pt.rec", kUniverses); }},
    {"NoImports", "",
     [](RealModule& it) { it.Set(it.Pointed(it.Root(kPrivatePart), 0).at + 8, 0); }},
    {"APointerIntoTheMiddleOfAnObject", "",
     [](RealModule& it) {
       const Offset slot = RealModule::FieldAt(it.Of(kPrivatePart, "two").value, 1);
       it.Set(slot, it.Word(slot) + kWord);
     }},
    {"ATermThatContainsItself", "contains itself",
     [](RealModule& it) {
       const Object value = it.Pointed(it.Of(kPrivatePart, "two").value, 1);
       it.Copy(RealModule::FieldAt(it.Of(kPrivatePart, "two").value, 1),
               RealModule::FieldAt(value, value.fields - 1));
     }},
    {"ThePartsOfTwoModules", "",
     [](RealModule& it) {
       it.parts()[kPrivatePart] = BytesOf("src/trust/testdata/original.olean.private");
     }},
    {"WithoutThePrivatePart", "", [](RealModule& it) { it.parts()[kPrivatePart].clear(); }},
    {"WithoutTheServerPart", "", [](RealModule& it) { it.parts()[1].clear(); }},
};

class RealFileAttacks : public ::testing::TestWithParam<Edit> {
 protected:
  RealFileAttacks() : folder_(*core::TemporaryFolder::Create("real_file_attacks")) {
    request_.original = fs::path(ZERMELO_SOURCE_DIR) / "src/trust/testdata/original.olean";
    request_.targets = {"two", "half", ":7"};
  }
  void SetUp() override {
    if (!fs::exists(library_folder_ / "Init.olean"))
      GTEST_SKIP() << "the embedded Lean is not installed";
  }

  /// Writes all parts but empty ones.
  fs::path Write(const char* file, RealModule& module) {
    for (size_t part = 0; part < 3; ++part) {
      if (module.parts()[part].empty()) continue;
      std::ofstream(folder_.path() / (std::string(file) + kParts[part]), std::ios::binary)
          << module.parts()[part];
    }
    return folder_.path() / file;
  }

  // "accepted", or the first reason. All verdicts share one library, as in `check` on folders:
  // reading it takes most of a verdict's time.
  std::string Said(RealModule& module) {
    static Library library({library_folder_});
    request_.candidate = Write("candidate.olean", module);
    const auto verdict = Judge(request_, library);
    if (!verdict) return "error: " + verdict.error().message;
    if (verdict->accepted) return "accepted";
    std::vector<Reason> reasons = verdict->reasons;
    for (const TargetVerdict& target : verdict->targets)
      reasons.insert(reasons.end(), target.reasons.begin(), target.reasons.end());
    if (reasons.empty()) return "no reason";
    return std::string(Name(reasons[0].code)) + ": " + reasons[0].message;
  }

  const fs::path library_folder_ = fs::path(ZERMELO_SOURCE_DIR) / "embedded/build/lib/lean";
  core::TemporaryFolder folder_;
  JudgeRequest request_;
};

using HonestFiles = RealFileAttacks;

TEST_P(HonestFiles, AreAccepted) {
  RealModule module;
  GetParam().apply(module);
  EXPECT_EQ(Said(module), "accepted");
}

TEST_P(RealFileAttacks, AreRefused) {
  RealModule module;
  GetParam().apply(module);
  const std::string said = Said(module);
  EXPECT_THAT(said, HasSubstr(GetParam().says));
  EXPECT_THAT(said, ::testing::Not(AnyOf("accepted", "no reason", StartsWith("error"))));
}

class KernelAttacks : public RealFileAttacks {
 protected:
  // The original declares little, for whatever it declares is compared.
  KernelAttacks() {
    RealModule original("original");
    original.KeepOnly({"double", "two"});
    request_.original = Write("original.olean", original);
    request_.targets = {"two"};
  }
};

TEST_P(KernelAttacks, AreRefusedByTheKernelAlone) {
  RealModule module;
  GetParam().apply(module);
  const std::string rejects = std::string("kernel_rejected: Zermelo's kernel ") + GetParam().says;
  EXPECT_THAT(Said(module), StartsWith(rejects));
  request_.kernel = KernelUse::kOff;
  EXPECT_EQ(Said(module), "accepted");
}

using KernelAttacksTwins = KernelAttacks;

TEST_P(KernelAttacksTwins, AreAccepted) {
  RealModule module;
  GetParam().apply(module);
  EXPECT_EQ(Said(module), "accepted");
}

INSTANTIATE_TEST_SUITE_P(Trust, KernelAttacksTwins, ::testing::ValuesIn(kHonestEdits),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Trust, KernelAttacks, ::testing::ValuesIn(kKernelAttacks),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Trust, HonestFiles, ::testing::ValuesIn(kHonestEdits),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Trust, RealFileAttacks, ::testing::ValuesIn(kAttacks),
                         [](const auto& info) { return info.param.name; });

// At each object, one byte before and one byte after its beginning.
TEST(RealFiles, TruncatedAtAnyBoundaryAreNoModules) {
  RealModule module;
  const std::vector<std::string> whole = module.parts();
  const char* const first = module.image().bytes(0).data();
  for (size_t part = 0; part < 3; ++part) {
    const auto begin = static_cast<size_t>(module.image().bytes(part).data() - first);
    std::set<size_t> boundaries;
    module.ForEachObject(part, [&](const Object& object) {
      if (object.at < begin || object.at >= begin + whole[part].size()) return;
      for (const size_t at : {object.at - 1, object.at, object.at + 1})
        boundaries.insert(at - begin);
    });
    EXPECT_GT(boundaries.size(), 100U);
    for (const size_t size : boundaries) {
      std::vector<std::string_view> parts(whole.begin(), whole.end());
      parts[part] = parts[part].substr(0, size);
      kernel::OleanImage image;
      Terms terms;
      const bool read = image.Open(parts) && kernel::ReadModule(image, terms);
      EXPECT_FALSE(read) << "part " << part << ", " << size << " bytes";
    }
  }
}

}  // namespace
}  // namespace zermelo::trust
