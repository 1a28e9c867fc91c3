#include "trust/audit/axiom_reader.h"

#include <algorithm>
#include <optional>

#include "kernel/olean/term_reader.h"
#include "trust/native_code.h"

namespace zermelo::trust {

using kernel::ConstantObjects;
using kernel::ModuleObjects;
using kernel::Object;
using kernel::Offset;
using kernel::Value;

namespace {

// Tags of Lean.Expr, the numbers of fields of each, and which of these are expressions.
enum ExprTag : uint8_t { kConstTag = 4, kLetTag = 8, kMDataTag = 10, kProjTag = 11 };
constexpr uint32_t kFieldCounts[] = {1, 1, 1, 1, 2, 2, 3, 3, 4, 1, 2, 3};
struct Range {
  uint32_t begin, end;
};
constexpr Range kExprFields[] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 2},
                                 {1, 3}, {1, 3}, {1, 4}, {0, 0}, {1, 2}, {2, 3}};
// Constants that depend on themselves need one more pass for each that an inner one hides. Files of
// Lean need two; more than this would be made to waste time.
constexpr int kMaxPasses = 50;

}  // namespace

/// The constants of one module, depth first, without recursion.
class ModuleWalk {
 public:
  ModuleWalk(AxiomReader& reader, OleanImage& image, const ModuleObjects& module)
      : reader_(reader),
        image_(image),
        module_(module),
        names_(image, reader.terms_, {}),
        word_shift_(image.word() == 8 ? 3 : 2),
        found_(module.constants.size()),
        base_(module.constants.size(), AxiomSets::kEmpty),
        was_used_open_(module.constants.size(), false),
        roots_(module.constants.size()) {}

  bool Run() {
    if (!Prepare()) return false;
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      changed_ = false;
      memo_.assign(image_.size() / image_.word() + 1, 0);
      for (const ConstantObjects& constant : module_.constants) Of(constant.name).state = kNew;
      for (uint32_t i = 0; i < found_.size(); ++i) {
        if (Of(module_.constants[i].name).state == kNew && !Walk({i, true})) return false;
      }
      if (!changed_) return true;
    }
    return image_.Fail("its constants depend on each other in too many ways");
  }

  std::vector<ConstantAxioms> Take() { return std::move(found_); }

 private:
  using enum AxiomReader::State;
  /// A constant of the module by its number, or an expression by its offset.
  struct Task {
    uint32_t id;
    bool is_constant;
  };

  AxiomReader::Known& Of(NameId name) { return reader_.known_[Index(name)]; }
  uint32_t& Memo(Offset at) { return memo_[at >> word_shift_]; }

  bool Prepare() {
    reader_.known_.resize(reader_.terms_.name_count());
    for (uint32_t i = 0; i < found_.size(); ++i) {
      const ConstantObjects& constant = module_.constants[i];
      AxiomReader::Known& known = Of(constant.name);
      if (known.state == kNew) return image_.Fail("a constant is declared twice");
      known.state = kNew;
      known.local = i;
      // Another module may have made the same constant, which is at worst a bad one.
      base_[i] = known.axioms;
      if (const auto axiom = OwnAxiom(constant))
        base_[i] = reader_.sets_.Union(base_[i], reader_.sets_.Of(Index(*axiom)));
      if (!AddRoot(constant.type, i) || (constant.value && !AddRoot(*constant.value, i)))
        return false;
    }
    // As `#print axioms` does: who uses a type may match on its constructors.
    for (const ConstantObjects& constant : module_.constants) {
      if (constant.kind != ConstantKind::kConstructor) continue;
      if (Index(constant.inductive) >= reader_.known_.size()) continue;
      const uint32_t type = Of(constant.inductive).local;
      if (type < found_.size() && module_.constants[type].name == constant.inductive)
        roots_[type].push_back(constant.type.object);
    }
    return true;
  }

  bool AddRoot(const Value& value, uint32_t constant) {
    if (value.boxed) return image_.Fail("an expression was expected, but there is a number");
    roots_[constant].push_back(value.object);
    return true;
  }

  std::optional<NameId> OwnAxiom(const ConstantObjects& constant) {
    Terms& terms = reader_.terms_;
    const bool is_axiom = constant.kind == ConstantKind::kAxiom && !constant.stripped;
    if (!is_axiom && constant.kind != ConstantKind::kOpaque) return std::nullopt;
    if (!is_axiom) {
      const bool native = RunsCompiledCode(terms.Print(constant.name));
      return native ? std::optional(constant.name) : std::nullopt;
    }
    NameId below = constant.name;
    for (NameId name = below; name != NameId::kAnonymous; name = terms[name].prefix) {
      if (!terms[name].numeric && terms.Text(terms[name].part) == "_native") return below;
      below = name;
    }
    return constant.name;
  }

  bool Walk(Task first) {
    stack_.assign(1, first);
    while (!stack_.empty()) {
      const Task task = stack_.back();
      if (!(task.is_constant ? Constant(task.id) : Expression(task.id))) return false;
      if (reader_.sets_.is_full()) return image_.Fail("it has too many axioms");
    }
    return true;
  }

  /// One step for the constant on top of the stack: adds what must be known before, or ends it.
  bool Constant(uint32_t i) {
    AxiomReader::Known& known = Of(module_.constants[i].name);
    known.state = kOpen;
    bool ready = true;
    ConstantAxioms result{base_[i], false};
    for (const Offset root : roots_[i]) ready &= Combine(root, &result);
    if (!ready) return true;
    changed_ |= was_used_open_[i] && result.axioms != known.axioms;
    found_[i] = result;
    known.axioms = result.axioms;
    known.state = kDone;
    stack_.pop_back();
    return true;
  }

  /// Adds what a part depends on; if that is not known yet, the part becomes a task, and the answer
  /// is false.
  bool Combine(Offset part, ConstantAxioms* to) {
    const uint32_t memo = Memo(part);
    if (memo == 0) {
      stack_.push_back({part, false});
      return false;
    }
    to->axioms = reader_.sets_.Union(to->axioms, (memo - 1) >> 1U);
    to->mentions_sorry |= ((memo - 1) & 1U) != 0;
    return true;
  }

  bool Expression(Offset at) {
    if (Memo(at) != 0) {
      stack_.pop_back();
      return true;
    }
    Object object;
    if (!image_.At(at, &object)) return false;
    if (object.tag > kProjTag || object.fields != kFieldCounts[object.tag])
      return image_.Fail("an expression has an unexpected shape");
    ConstantAxioms result;
    if (object.tag == kConstTag || object.tag == kProjTag) {
      bool ready = true;
      if (!Mentioned(object, &result, &ready)) return false;
      if (!ready) return true;
    }
    bool ready = true;
    const Range fields = kExprFields[object.tag];
    for (uint32_t field = fields.begin; field < fields.end; ++field) {
      Value value;
      if (!image_.Field(object, field, &value)) return false;
      if (value.boxed) return image_.Fail("an expression was expected, but there is a number");
      ready &= Combine(value.object, &result);
    }
    if (!ready) return true;
    Memo(at) = (result.axioms << 1U | (result.mentions_sorry ? 1U : 0U)) + 1;
    stack_.pop_back();
    return true;
  }

  /// Adds what the constant depends on that an expression names. If that is a constant of this
  /// module which is not known yet, it becomes a task, and `ready` false.
  bool Mentioned(const Object& object, ConstantAxioms* to, bool* ready) {
    Value value;
    NameId name = NameId::kAnonymous;
    if (!image_.Field(object, 0, &value) || !names_.Name(value, &name)) return false;
    if (Index(name) >= reader_.known_.size()) return true;  // declared nowhere
    const AxiomReader::Known& known = Of(name);
    if (known.state == kNew) {
      stack_.push_back({known.local, true});
      *ready = false;
      return true;
    }
    if (known.state == kOpen) was_used_open_[known.local] = true;
    to->axioms = reader_.sets_.Union(to->axioms, known.axioms);
    to->mentions_sorry |= name == reader_.sorry_;
    return true;
  }

  AxiomReader& reader_;
  OleanImage& image_;
  const ModuleObjects& module_;
  kernel::TermReader names_;
  const uint32_t word_shift_;
  std::vector<ConstantAxioms> found_;
  std::vector<AxiomSets::Id> base_;  // what a constant has without its type and value
  std::vector<bool> was_used_open_;
  std::vector<std::vector<Offset>> roots_;
  // Of one pass. By offset / word: 0, or 1 + what an expression depends on: set << 1 | has
  // `sorryAx`.
  std::vector<uint32_t> memo_;
  std::vector<Task> stack_;
  bool changed_ = false;
};

AxiomReader::AxiomReader() : sorry_(terms_.Name(NameId::kAnonymous, "sorryAx")) {}

core::Result<std::vector<ConstantAxioms>> AxiomReader::Read(OleanImage& image,
                                                            const ModuleObjects& module) {
  ModuleWalk walk(*this, image, module);
  if (!walk.Run()) return core::Fail(image.error());
  return walk.Take();
}

}  // namespace zermelo::trust
