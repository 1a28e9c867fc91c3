#include "kernel/olean/declarations.h"

#include <algorithm>
#include <unordered_map>
#include <variant>

namespace zermelo::kernel {

namespace {

class Converter {
 public:
  Converter(const Constant& constant, const Terms& terms) : constant_(constant), terms_(terms) {}

  core::Result<Declaration> Convert() {
    Declaration declaration;
    declaration.name = constant_.name;
    declaration.level_params = terms_.Names(constant_.level_params);
    declaration.type = constant_.type;
    declaration.all = terms_.Names(constant_.all);
    declaration.info = Info();
    if (!fits_) {
      return core::Fail(core::ErrorCode::kInput,
                        "a number in " + terms_.Print(constant_.name) + " is too large");
    }
    return declaration;
  }

 private:
  DeclarationInfo Info() {
    const Constant& c = constant_;
    const bool is_unsafe = c.safety == Safety::kUnsafe;
    switch (c.kind) {
      case ConstantKind::kAxiom:
        return Axiom{is_unsafe};
      case ConstantKind::kDefinition:
        return Definition{c.value.value(), c.hints, c.safety};
      case ConstantKind::kTheorem:
        return Theorem{c.value.value()};
      case ConstantKind::kOpaque:
        return Opaque{c.value.value(), is_unsafe};
      case ConstantKind::kQuotient:
        fits_ = fits_ && c.quotient_kind <= static_cast<uint8_t>(Quotient::Kind::kInduction);
        return Quotient{static_cast<Quotient::Kind>(c.quotient_kind)};
      case ConstantKind::kInductive:
        return Inductive{Count(0),   Count(1),   Count(2), terms_.Names(c.constructors),
                         c.flags[0], c.flags[1], is_unsafe};
      case ConstantKind::kConstructor:
        return Constructor{c.inductive, Count(0), Count(1), Count(2), is_unsafe};
      case ConstantKind::kRecursor:
        break;
    }
    Recursor recursor{Count(0), Count(1), Count(2), Count(3), {}, c.flags[0], is_unsafe};
    for (const CompiledRule& rule : c.rules)
      recursor.rules.push_back({rule.constructor, Number(rule.fields), rule.value});
    return recursor;
  }

  uint64_t Count(int index) { return Number(constant_.counts[index]); }
  uint64_t Number(StringId nat) {
    uint64_t value = 0;
    fits_ = terms_.NatValue(nat, &value) && value <= kMaxCount && fits_;
    return value;
  }

  const Constant& constant_;
  const Terms& terms_;
  bool fits_ = true;
};

bool IsStatement(const Declaration& d) {
  const auto* axiom = d.As<Axiom>();
  return d.As<Theorem>() != nullptr || (axiom != nullptr && !axiom->is_unsafe);
}

struct SameInfo {
  bool operator()(const Axiom& a, const Axiom& b) const { return a.is_unsafe == b.is_unsafe; }
  bool operator()(const Definition& a, const Definition& b) const {
    return a.value == b.value && a.safety == b.safety;
  }
  bool operator()(const Theorem&, const Theorem&) const { return true; }
  bool operator()(const Opaque& a, const Opaque& b) const {
    return a.value == b.value && a.is_unsafe == b.is_unsafe;
  }
  bool operator()(const Quotient& a, const Quotient& b) const { return a.kind == b.kind; }
  bool operator()(const Inductive& a, const Inductive& b) const {
    return a.parameters == b.parameters && a.indices == b.indices && a.nested == b.nested &&
           a.constructors == b.constructors && a.is_recursive == b.is_recursive &&
           a.is_reflexive == b.is_reflexive && a.is_unsafe == b.is_unsafe;
  }
  bool operator()(const Constructor& a, const Constructor& b) const {
    return a.inductive == b.inductive && a.index == b.index && a.parameters == b.parameters &&
           a.fields == b.fields && a.is_unsafe == b.is_unsafe;
  }
  bool operator()(const Recursor& a, const Recursor& b) const {
    return a.parameters == b.parameters && a.indices == b.indices && a.motives == b.motives &&
           a.minors == b.minors && a.k == b.k && a.is_unsafe == b.is_unsafe &&
           std::equal(a.rules.begin(), a.rules.end(), b.rules.begin(), b.rules.end(),
                      [](const RecursorRule& x, const RecursorRule& y) {
                        return x.constructor == y.constructor && x.fields == y.fields &&
                               x.value == y.value;
                      });
  }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

bool IsStub(const Constant& part, const Constant& whole) {
  const bool has_value = whole.kind == ConstantKind::kDefinition ||
                         whole.kind == ConstantKind::kTheorem ||
                         whole.kind == ConstantKind::kOpaque;
  return part.kind == ConstantKind::kAxiom && has_value &&
         part.level_params == whole.level_params && part.type == whole.type;
}

using ConstantsByName = std::unordered_map<NameId, const Constant*>;

// `f._unsafe_rec`, which Lean compiles for a recursive `f`. As an axiom, it says no more than `f`:
// that its type has a member.
bool IsCompiledForm(const Constant& partial, const ConstantsByName& by_name, const Terms& terms) {
  const NameNode& name = terms[partial.name];
  const auto base = by_name.find(name.prefix);
  if (name.numeric || terms.Text(name.part) != "_unsafe_rec" || base == by_name.end()) return false;
  const Constant& f = *base->second;
  const bool has_value = f.kind == ConstantKind::kDefinition || f.kind == ConstantKind::kOpaque;
  return has_value && f.safety == Safety::kSafe && f.level_params == partial.level_params &&
         f.type == partial.type;
}

}  // namespace

core::Result<Declaration> ToDeclaration(const Constant& constant, const Terms& terms) {
  return Converter(constant, terms).Convert();
}

bool SameDeclaration(const Declaration& a, const Declaration& b) {
  if (a.name != b.name || a.level_params != b.level_params || a.type != b.type) return false;
  if (IsStatement(a) && IsStatement(b)) return true;
  return a.all == b.all && std::visit(SameInfo(), a.info, b.info);
}

core::Result<std::optional<Violation>> FindFalsePart(OleanImage& image, Terms& terms,
                                                     const Module& last,
                                                     const ReadOptions& options) {
  ConstantsByName by_name;
  for (const Constant& constant : last.constants) by_name.emplace(constant.name, &constant);
  for (size_t part = 0; part + 1 < image.part_count(); ++part) {
    const auto read = ReadPart(image, terms, part, options);
    if (!read) return core::Fail(read.error());
    const std::string where = part == 0 ? "the public part" : "the server part";
    // Lean takes them from the first part; source: src/Lean/Environment.lean, importModulesCore.
    // Older versions have fewer flags of an import.
    const bool same =
        std::ranges::equal(read->imports, last.imports, {}, &Import::module, &Import::module);
    if (!same || read->is_module != last.is_module) {
      return Violation{NameId::kAnonymous, where + " of the module has other imports"};
    }
    for (const Constant& constant : read->constants) {
      const auto whole = by_name.find(constant.name);
      if (whole == by_name.end()) {
        return Violation{constant.name, "only " + where + " of the module declares it"};
      }
      if (constant == *whole->second) continue;
      if (!IsStub(constant, *whole->second)) {
        return Violation{constant.name, where + " of the module says something else about it"};
      }
      if (whole->second->safety == Safety::kPartial) {
        if (IsCompiledForm(*whole->second, by_name, terms)) continue;
        return Violation{constant.name, where + " of the module hides that it is partial"};
      }
      if (whole->second->safety != constant.safety) {
        return Violation{constant.name,
                         where + " of the module is wrong about whether it is unsafe"};
      }
    }
  }
  return std::nullopt;
}

}  // namespace zermelo::kernel
