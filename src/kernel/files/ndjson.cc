#include "kernel/files/ndjson.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "kernel/budget.h"
#include "kernel/files/json.h"

namespace zermelo::kernel {

namespace {

constexpr size_t kMaxDigits = 100'000;              // reading takes n^2 steps
constexpr uint64_t kMaxBound = uint64_t{1} << 30U;  // of de Bruijn indices

/// Ids by the index that the file gives them: mostly contiguous, but any number is valid.
class Indexed {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  uint32_t Find(uint64_t index) const {
    if (index < dense_.size()) return dense_[index];
    const auto at = sparse_.find(index);
    return at == sparse_.end() ? kAbsent : at->second;
  }
  /// False if the index is taken.
  bool Set(uint64_t index, uint32_t id) {
    if (Find(index) != kAbsent) return false;
    constexpr uint64_t kGap = 64;
    if (index >= dense_.size() + kGap) return sparse_.emplace(index, id).second;
    if (index >= dense_.size()) {
      // What was far away may be near now; it stays where Find looks for it.
      const uint64_t before = dense_.size();
      dense_.resize(index + 1, kAbsent);
      for (uint64_t i = before; i <= index && !sparse_.empty(); ++i) {
        const auto at = sparse_.find(i);
        if (at == sparse_.end()) continue;
        dense_[i] = at->second;
        sparse_.erase(at);
      }
    }
    dense_[index] = id;
    return true;
  }

 private:
  std::vector<uint32_t> dense_;
  std::unordered_map<uint64_t, uint32_t> sparse_;
};

}  // namespace

class NdjsonReader::State {
 public:
  explicit State(Environment& environment)
      : environment_(environment), terms_(environment.terms()) {
    names_.Set(0, Index(NameId::kAnonymous));
    levels_.Set(0, Index(LevelId::kZero));
  }

  void Read(std::string_view line);

  uint64_t line_number = 0;
  NdjsonMeta meta;

 private:
  using Node = JsonLine::Node;

  [[noreturn]] static void Malformed(const char* what) {
    Reject(std::string("not a line of an export: ") + what);
  }
  const Node& Get(const Node& object, std::string_view key) const;
  static uint64_t Number(const Node& node);
  uint64_t Count(const Node& object, std::string_view key) const;
  uint64_t Number(const Node& object, std::string_view key) const {
    return Number(Get(object, key));
  }
  std::string_view Text(const Node& object, std::string_view key) const;
  bool Flag(const Node& object, std::string_view key) const;
  NameId Name(const Node& node) const { return NameId{Lookup(names_, node)}; }
  LevelId Level(const Node& node) const { return LevelId{Lookup(levels_, node)}; }
  uint32_t Lookup(const Indexed& ids, const Node& node) const;
  uint32_t Part(const Node& object, std::string_view key) const {
    return Lookup(exprs_, Get(object, key));
  }
  std::vector<NameId> Names(const Node& object, std::string_view key) const;
  template <class F>
  void ForEach(const Node& array, F f) const;

  void ReadMeta(const Node& node);
  NameId ReadName(const Node& root);
  LevelId ReadLevel(const Node& root);
  ExprId ReadExpr(const Node& root);
  static uint8_t BinderInfo(std::string_view text);
  StringId Nat(std::string_view digits);
  void ReadDeclaration(const Node& root);
  Declaration Common(const Node& node) const;
  void Add(Declaration declaration);
  void ReadDefinition(const Node& node);
  void ReadTheorem(const Node& node);
  void ReadOpaque(const Node& node);
  void ReadQuotient(const Node& node);
  void ReadInductive(const Node& node);
  void ReadType(const Node& node);
  void ReadConstructor(const Node& node);
  void ReadRecursor(const Node& node);

  Environment& environment_;
  Terms& terms_;
  JsonLine json_;
  Indexed names_;
  Indexed levels_;
  Indexed exprs_;
};

const JsonLine::Node& NdjsonReader::State::Get(const Node& object, std::string_view key) const {
  const Node* member = json_.Member(object, key);
  if (member == nullptr) Malformed("a field is missing");
  return *member;
}

uint64_t NdjsonReader::State::Number(const Node& node) {
  uint64_t number = 0;
  const char* end = node.text.data() + node.text.size();
  if (node.kind != JsonLine::Kind::kNumber) Malformed("expected a number");
  const auto read = std::from_chars(node.text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) Malformed("a number is out of range");
  return number;
}

uint64_t NdjsonReader::State::Count(const Node& object, std::string_view key) const {
  const uint64_t count = Number(object, key);
  if (count > kMaxCount) Malformed("a number is out of range");
  return count;
}

std::string_view NdjsonReader::State::Text(const Node& object, std::string_view key) const {
  const Node& node = Get(object, key);
  if (node.kind != JsonLine::Kind::kString) Malformed("expected a string");
  return node.text;
}

bool NdjsonReader::State::Flag(const Node& object, std::string_view key) const {
  const Node& node = Get(object, key);
  if (node.kind != JsonLine::Kind::kTrue && node.kind != JsonLine::Kind::kFalse) {
    Malformed("expected true or false");
  }
  return node.kind == JsonLine::Kind::kTrue;
}

uint32_t NdjsonReader::State::Lookup(const Indexed& ids, const Node& node) const {
  const uint32_t id = ids.Find(Number(node));
  if (id == Indexed::kAbsent) Malformed("an index is used before it is defined");
  return id;
}

template <class F>
void NdjsonReader::State::ForEach(const Node& array, F f) const {
  if (array.kind != JsonLine::Kind::kArray) Malformed("expected an array");
  for (uint32_t at = array.first; at != 0; at = json_[at].next) f(json_[at]);
}

std::vector<NameId> NdjsonReader::State::Names(const Node& object, std::string_view key) const {
  std::vector<NameId> names;
  ForEach(Get(object, key), [&](const Node& node) { names.push_back(Name(node)); });
  return names;
}

void NdjsonReader::State::ReadMeta(const Node& node) {
  const auto text = [&](std::string_view part, std::string_view key) {
    const Node* object = json_.Member(node, part);
    const Node* member = object == nullptr ? nullptr : json_.Member(*object, key);
    return std::string(member == nullptr ? std::string_view() : member->text);
  };
  meta = {text("exporter", "name"), text("lean", "version"), text("format", "version")};
  if (!meta.format_version.starts_with("3.")) {
    Decline("the export has the format " + meta.format_version + "; this kernel reads 3.0 and 3.1");
  }
}

NameId NdjsonReader::State::ReadName(const Node& root) {
  if (const Node* node = json_.Member(root, "str")) {
    return terms_.Name(Name(Get(*node, "pre")), Text(*node, "str"));
  }
  const Node& node = Get(root, "num");
  const Node& number = Get(node, "i");
  if (number.kind != JsonLine::Kind::kNumber) Malformed("expected a number");
  return terms_.Name(Name(Get(node, "pre")), Nat(number.text), true);
}

LevelId NdjsonReader::State::ReadLevel(const Node& root) {
  if (const Node* node = json_.Member(root, "succ")) {
    return terms_.Level({LevelKind::kSucc, Index(Level(*node))});
  }
  if (const Node* node = json_.Member(root, "param")) {
    return terms_.Level({LevelKind::kParam, Index(Name(*node))});
  }
  const Node* max = json_.Member(root, "max");
  const Node& pair = max != nullptr ? *max : Get(root, "imax");
  std::vector<LevelId> levels;
  ForEach(pair, [&](const Node& node) { levels.push_back(Level(node)); });
  if (levels.size() != 2) Malformed("`max` needs exactly two levels");
  return terms_.Level(
      {max != nullptr ? LevelKind::kMax : LevelKind::kIMax, Index(levels[0]), Index(levels[1])});
}

uint8_t NdjsonReader::State::BinderInfo(std::string_view text) {
  constexpr std::string_view kInfos[] = {"default", "implicit", "strictImplicit", "instImplicit"};
  for (size_t i = 0; i < std::size(kInfos); ++i) {
    if (text == kInfos[i]) return static_cast<uint8_t>(i);
  }
  Malformed("unknown kind of binder");
}

StringId NdjsonReader::State::Nat(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    Malformed("expected a natural number");
  }
  if (digits.size() > kMaxDigits) Decline("a number has more than 100,000 digits");
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return terms_.Nat(uint64_t{0});
  const boost::multiprecision::cpp_int number{std::string(digits)};
  std::string bytes;
  export_bits(number, std::back_inserter(bytes), 8, false);
  return terms_.Nat(bytes);
}

ExprId NdjsonReader::State::ReadExpr(const Node& root) {
  ExprNode e;
  if (const Node* node = json_.Member(root, "app")) {
    e = {.kind = ExprKind::kApp, .a = Part(*node, "fn"), .b = Part(*node, "arg")};
  } else if (const Node* node = json_.Member(root, "bvar")) {
    const uint64_t index = Number(*node);
    if (index >= kMaxBound) Reject("a bound variable has no binder");
    e = {.kind = ExprKind::kBVar, .a = static_cast<uint32_t>(index)};
  } else if (const Node* node = json_.Member(root, "const")) {
    std::vector<LevelId> levels;
    ForEach(Get(*node, "us"), [&](const Node& level) { levels.push_back(Level(level)); });
    ListId list = ListId::kNil;
    for (size_t i = levels.size(); i-- > 0;) list = terms_.Cons(levels[i], list);
    e = {.kind = ExprKind::kConst, .a = Index(Name(Get(*node, "name"))), .b = Index(list)};
  } else if (const Node* node = json_.Member(root, "sort")) {
    e = {.kind = ExprKind::kSort, .a = Index(Level(*node))};
  } else if (const Node* node = json_.Member(root, "natVal")) {
    if (node->kind != JsonLine::Kind::kString && node->kind != JsonLine::Kind::kNumber) {
      Malformed("expected a natural number");
    }
    e = {.kind = ExprKind::kNat, .a = Index(Nat(node->text))};
  } else if (json_.Member(root, "strVal") != nullptr) {
    e = {.kind = ExprKind::kString, .a = Index(terms_.String(Text(root, "strVal")))};
  } else if (const Node* node = json_.Member(root, "proj")) {
    const uint64_t field = Number(*node, "idx");
    if (field > UINT32_MAX) Reject("a projection refers to a field that does not exist");
    e = {.kind = ExprKind::kProj,
         .a = Index(Name(Get(*node, "typeName"))),
         .b = static_cast<uint32_t>(field),
         .c = Part(*node, "struct")};
  } else if (const Node* node = json_.Member(root, "letE")) {
    Name(Get(*node, "name"));
    e = {.kind = ExprKind::kLet,
         .info = static_cast<uint8_t>(Flag(*node, "nondep") ? 1 : 0),
         .a = Part(*node, "type"),
         .b = Part(*node, "value"),
         .c = Part(*node, "body")};
  } else if (const Node* node = json_.Member(root, "mdata")) {
    return ExprId{Part(*node, "expr")};
  } else {
    const Node* lambda = json_.Member(root, "lam");
    const Node& binder = lambda != nullptr ? *lambda : Get(root, "forallE");
    Name(Get(binder, "name"));
    e = {.kind = lambda != nullptr ? ExprKind::kLambda : ExprKind::kForall,
         .info = BinderInfo(Text(binder, "binderInfo")),
         .a = Part(binder, "type"),
         .b = Part(binder, "body")};
  }
  return terms_.Expr(e);
}

Declaration NdjsonReader::State::Common(const Node& node) const {
  Declaration declaration;
  declaration.name = Name(Get(node, "name"));
  declaration.level_params = Names(node, "levelParams");
  declaration.type = ExprId{Part(node, "type")};
  return declaration;
}

void NdjsonReader::State::Add(Declaration declaration) {
  const NameId name = declaration.name;
  if (!environment_.Add(std::move(declaration))) {
    Reject(name == NameId::kAnonymous ? "a declaration has no name"
                                      : terms_.Print(name) + " is declared twice");
  }
}

void NdjsonReader::State::ReadDefinition(const Node& node) {
  Declaration declaration = Common(node);
  declaration.all = Names(node, "all");
  Definition definition;
  definition.value = ExprId{Part(node, "value")};
  const Node& hints = Get(node, "hints");
  if (hints.kind == JsonLine::Kind::kObject) {
    definition.hints.height =
        static_cast<uint32_t>(std::min<uint64_t>(Number(hints, "regular"), UINT32_MAX));
  } else if (hints.text == "abbrev" || hints.text == "opaque") {
    definition.hints.kind =
        hints.text == "abbrev" ? Hints::Kind::kAbbreviation : Hints::Kind::kOpaque;
  } else {
    Malformed("unknown kind of reducibility hint");
  }
  const std::string_view safety = Text(node, "safety");
  if (safety != "safe" && safety != "unsafe" && safety != "partial") {
    Malformed("the safety of a definition is unknown");
  }
  if (safety != "safe") {
    definition.safety = safety == "unsafe" ? Safety::kUnsafe : Safety::kPartial;
  }
  declaration.info = definition;
  Add(std::move(declaration));
}

void NdjsonReader::State::ReadTheorem(const Node& node) {
  Declaration declaration = Common(node);
  declaration.all = Names(node, "all");
  declaration.info = Theorem{ExprId{Part(node, "value")}};
  Add(std::move(declaration));
}

void NdjsonReader::State::ReadOpaque(const Node& node) {
  Declaration declaration = Common(node);
  declaration.all = Names(node, "all");
  declaration.info = Opaque{ExprId{Part(node, "value")}, Flag(node, "isUnsafe")};
  Add(std::move(declaration));
}

void NdjsonReader::State::ReadQuotient(const Node& node) {
  constexpr std::string_view kKinds[] = {"type", "ctor", "lift", "ind"};
  Declaration declaration = Common(node);
  const std::string_view kind = Text(node, "kind");
  const auto at = std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (at == std::end(kKinds)) Malformed("unknown kind of quotient constant");
  declaration.info = Quotient{static_cast<Quotient::Kind>(at - std::begin(kKinds))};
  Add(std::move(declaration));
}

void NdjsonReader::State::ReadType(const Node& node) {
  Declaration declaration = Common(node);
  declaration.all = Names(node, "all");
  declaration.info = Inductive{.parameters = Count(node, "numParams"),
                               .indices = Count(node, "numIndices"),
                               .nested = Count(node, "numNested"),
                               .constructors = Names(node, "ctors"),
                               .is_recursive = Flag(node, "isRec"),
                               .is_reflexive = Flag(node, "isReflexive"),
                               .is_unsafe = Flag(node, "isUnsafe")};
  Add(std::move(declaration));
}

void NdjsonReader::State::ReadConstructor(const Node& node) {
  Declaration declaration = Common(node);
  declaration.info = Constructor{.inductive = Name(Get(node, "induct")),
                                 .index = Count(node, "cidx"),
                                 .parameters = Count(node, "numParams"),
                                 .fields = Count(node, "numFields"),
                                 .is_unsafe = Flag(node, "isUnsafe")};
  Add(std::move(declaration));
}

void NdjsonReader::State::ReadRecursor(const Node& node) {
  Declaration declaration = Common(node);
  declaration.all = Names(node, "all");
  Recursor recursor{.parameters = Count(node, "numParams"),
                    .indices = Count(node, "numIndices"),
                    .motives = Count(node, "numMotives"),
                    .minors = Count(node, "numMinors"),
                    .rules = {},
                    .k = Flag(node, "k"),
                    .is_unsafe = Flag(node, "isUnsafe")};
  ForEach(Get(node, "rules"), [&](const Node& rule) {
    recursor.rules.push_back(
        {Name(Get(rule, "ctor")), Count(rule, "nfields"), ExprId{Part(rule, "rhs")}});
  });
  declaration.info = std::move(recursor);
  Add(std::move(declaration));
}

// The lists have other names in format 3.0.
void NdjsonReader::State::ReadInductive(const Node& node) {
  const bool old = json_.Member(node, "inductiveVals") != nullptr;
  ForEach(Get(node, old ? "inductiveVals" : "types"), [&](const Node& it) { ReadType(it); });
  ForEach(Get(node, old ? "constructorVals" : "ctors"),
          [&](const Node& it) { ReadConstructor(it); });
  ForEach(Get(node, old ? "recursorVals" : "recs"), [&](const Node& it) { ReadRecursor(it); });
}

void NdjsonReader::State::ReadDeclaration(const Node& root) {
  // In format 3.0, declarations that belong together are in an array.
  const auto each = [&](const Node& node, auto read) {
    if (node.kind == JsonLine::Kind::kArray) {
      ForEach(node, read);
    } else {
      read(node);
    }
  };
  if (const Node* node = json_.Member(root, "def")) {
    each(*node, [&](const Node& it) { ReadDefinition(it); });
  } else if (const Node* node = json_.Member(root, "thm")) {
    each(*node, [&](const Node& it) { ReadTheorem(it); });
  } else if (const Node* node = json_.Member(root, "opaque")) {
    each(*node, [&](const Node& it) { ReadOpaque(it); });
  } else if (const Node* node = json_.Member(root, "inductive")) {
    ReadInductive(*node);
  } else if (const Node* node = json_.Member(root, "quot")) {
    each(*node, [&](const Node& it) { ReadQuotient(it); });
  } else if (const Node* node = json_.Member(root, "axiom")) {
    each(*node, [&](const Node& it) {
      Declaration declaration = Common(it);
      declaration.info = Axiom{Flag(it, "isUnsafe")};
      Add(std::move(declaration));
    });
  } else if (const Node* node = json_.Member(root, "meta")) {
    ReadMeta(*node);
  } else {
    Malformed("unknown kind of line");
  }
}

void NdjsonReader::State::Read(std::string_view line) {
  ++line_number;
  if (line.find_first_not_of(" \t\r") == line.npos) return;
  if (!json_.Parse(line)) Malformed("it is not JSON");
  const Node& root = json_.root();
  if (root.kind != JsonLine::Kind::kObject) Malformed("expected a JSON object");
  const auto set = [&](Indexed& ids, const Node& index, uint32_t id) {
    if (!ids.Set(Number(index), id)) Malformed("an index is given twice");
  };
  if (const Node* index = json_.Member(root, "ie")) {
    set(exprs_, *index, Index(ReadExpr(root)));
  } else if (const Node* index = json_.Member(root, "in")) {
    set(names_, *index, Index(ReadName(root)));
  } else if (const Node* index = json_.Member(root, "il")) {
    set(levels_, *index, Index(ReadLevel(root)));
  } else {
    ReadDeclaration(root);
  }
}

NdjsonReader::NdjsonReader(Environment& environment)
    : state_(std::make_unique<State>(environment)) {}

NdjsonReader::~NdjsonReader() = default;

const NdjsonMeta& NdjsonReader::meta() const { return state_->meta; }

CheckReport NdjsonReader::Line(std::string_view line) {
  try {
    state_->Read(line);
  } catch (const Refusal& refusal) {
    return {refusal.outcome, NameId::kAnonymous,
            "line " + std::to_string(state_->line_number) + ": " + refusal.reason};
  }
  return {};
}

CheckReport ReadNdjson(std::string_view text, Environment* environment, NdjsonMeta* meta) {
  NdjsonReader reader(*environment);
  CheckReport verdict;
  while (!text.empty() && verdict.outcome == Decision::kAccepted) {
    const size_t end = text.find('\n');
    verdict = reader.Line(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  if (meta != nullptr) *meta = reader.meta();
  return verdict;
}

}  // namespace zermelo::kernel
