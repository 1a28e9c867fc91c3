#include "kernel/files/ndjson_writer.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/json.h"
#include "kernel/rules/view.h"

namespace zermelo::kernel {

namespace {

constexpr uint32_t kUnwritten = UINT32_MAX;

std::string Quoted(std::string_view text) { return core::Dump(nlohmann::json(text)); }

// Of a number's bytes: as many as the 100,000 digits that NdjsonReader takes. Writing decimals
// takes n^2 steps.
constexpr size_t kMaxWritten = 41'500;

std::string Decimal(std::string_view little_endian) {
  if (little_endian.size() > kMaxWritten) return "too large";  // NdjsonSummary::too_large
  boost::multiprecision::cpp_int number;
  if (!little_endian.empty()) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(little_endian.data());
    import_bits(number, bytes, bytes + little_endian.size(), 8, false);
  }
  return number.str();
}

/// Writes terms, each once, and gives them the export's indices.
class TermWriter {
 public:
  TermWriter(const Terms& terms, const std::function<void(std::string_view)>& write)
      : terms_(terms),
        write_(write),
        names_(terms.name_count(), kUnwritten),
        exprs_(terms.expr_count(), kUnwritten) {
    names_[0] = 0;
    levels_.emplace(LevelId::kZero, 0);
  }

  void Line(std::string line) {
    line += '\n';
    write_(line);
  }

  uint32_t Name(NameId name) {
    std::vector<NameId> todo;
    for (NameId at = name; names_[Index(at)] == kUnwritten; at = terms_[at].prefix)
      todo.push_back(at);
    for (size_t i = todo.size(); i-- > 0;) {
      const NameNode& node = terms_[todo[i]];
      const uint32_t prefix = names_[Index(node.prefix)];
      const std::string_view part = terms_.Text(node.part);
      Line(node.numeric ? fmt::format(R"({{"in":{},"num":{{"i":{},"pre":{}}}}})", next_name_,
                                      Decimal(part), prefix)
                        : fmt::format(R"({{"in":{},"str":{{"pre":{},"str":{}}}}})", next_name_,
                                      prefix, Quoted(part)));
      names_[Index(todo[i])] = next_name_++;
    }
    return names_[Index(name)];
  }

  std::string Names(const std::vector<NameId>& names) {
    std::vector<uint32_t> indices;
    for (const NameId name : names) indices.push_back(Name(name));
    return fmt::format("[{}]", fmt::join(indices, ","));
  }

  uint32_t Expr(ExprId root) {
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprId at = stack.back();
      if (exprs_[Index(at)] != kUnwritten) {
        stack.pop_back();
        continue;
      }
      const size_t size = stack.size();
      ForEachChild(terms_[at], [&](ExprId child) {
        if (exprs_[Index(child)] == kUnwritten) stack.push_back(child);
      });
      if (stack.size() > size) continue;
      const std::string body = Body(terms_[at]);
      Line(fmt::format(R"({{"ie":{},{}}})", next_expr_, body));
      exprs_[Index(at)] = next_expr_++;
      stack.pop_back();
    }
    return exprs_[Index(root)];
  }

 private:
  uint32_t Level(LevelId root) {
    std::vector<LevelId> stack{root};
    while (!stack.empty()) {
      const LevelId at = stack.back();
      if (levels_.contains(at)) {
        stack.pop_back();
        continue;
      }
      const LevelNode& node = terms_[at];
      const bool pair = node.kind == LevelKind::kMax || node.kind == LevelKind::kIMax;
      const size_t size = stack.size();
      if ((pair || node.kind == LevelKind::kSucc) && !levels_.contains(LevelId{node.a}))
        stack.push_back(LevelId{node.a});
      if (pair && !levels_.contains(LevelId{node.b})) stack.push_back(LevelId{node.b});
      if (stack.size() > size) continue;
      std::string body;
      if (pair) {
        body = fmt::format(R"("{}":[{},{}])", node.kind == LevelKind::kMax ? "max" : "imax",
                           levels_.at(LevelId{node.a}), levels_.at(LevelId{node.b}));
      } else if (node.kind == LevelKind::kSucc) {
        body = fmt::format(R"("succ":{})", levels_.at(LevelId{node.a}));
      } else {
        body = fmt::format(R"("param":{})", Name(NameId{node.a}));
      }
      Line(fmt::format(R"({{"il":{},{}}})", next_level_, body));
      levels_.emplace(at, next_level_++);
      stack.pop_back();
    }
    return levels_.at(root);
  }

  // The children have been written.
  std::string Body(const ExprNode& e) {
    constexpr const char* kInfos[] = {"default", "implicit", "strictImplicit", "instImplicit"};
    const auto child = [&](uint32_t id) { return exprs_[id]; };
    switch (e.kind) {
      case ExprKind::kBVar:
        return fmt::format(R"("bvar":{})", e.a);
      case ExprKind::kSort:
        return fmt::format(R"("sort":{})", Level(LevelId{e.a}));
      case ExprKind::kConst: {
        const uint32_t name = Name(NameId{e.a});
        std::vector<uint32_t> levels;
        for (ListId at{e.b}; at != ListId::kNil; at = terms_[at].tail)
          levels.push_back(Level(LevelId{terms_[at].head}));
        return fmt::format(R"("const":{{"name":{},"us":[{}]}})", name, fmt::join(levels, ","));
      }
      case ExprKind::kApp:
        return fmt::format(R"("app":{{"arg":{},"fn":{}}})", child(e.b), child(e.a));
      case ExprKind::kLambda:
      case ExprKind::kForall:
        return fmt::format(R"("{}":{{"binderInfo":"{}","body":{},"name":0,"type":{}}})",
                           e.kind == ExprKind::kLambda ? "lam" : "forallE", kInfos[e.info & 3U],
                           child(e.b), child(e.a));
      case ExprKind::kLet:
        return fmt::format(R"("letE":{{"body":{},"name":0,"nondep":{},"type":{},"value":{}}})",
                           child(e.c), e.info != 0, child(e.a), child(e.b));
      case ExprKind::kNat:
        return fmt::format(R"("natVal":"{}")", Decimal(terms_.Text(StringId{e.a})));
      case ExprKind::kString:
        return fmt::format(R"("strVal":{})", Quoted(terms_.Text(StringId{e.a})));
      case ExprKind::kProj:
        return fmt::format(R"("proj":{{"idx":{},"struct":{},"typeName":{}}})", e.b, child(e.c),
                           Name(NameId{e.a}));
      case ExprKind::kFVar:
      case ExprKind::kMVar:
      case ExprKind::kLocal:
        break;
    }
    // A free variable, which the format cannot express: a bound one without a binder is refused,
    // too.
    return R"("bvar":1073741823)";
  }

  const Terms& terms_;
  const std::function<void(std::string_view)>& write_;
  std::vector<uint32_t> names_;
  std::vector<uint32_t> exprs_;
  std::unordered_map<LevelId, uint32_t> levels_;
  uint32_t next_name_ = 1;
  uint32_t next_level_ = 1;
  uint32_t next_expr_ = 0;
};

/// Finds what a declaration rests on and writes declarations in that order.
class Exporter {
 public:
  Exporter(const Environment& environment, const std::function<void(std::string_view)>& write)
      : environment_(environment),
        terms_(environment.terms()),
        known_(environment.terms()),
        writer_(terms_, write),
        seen_(terms_.expr_count(), kUnwritten),
        reported_(terms_.name_count(), false) {
    for (const Declaration& declaration : environment.declarations()) {
      if (declaration.As<Recursor>() != nullptr && !declaration.all.empty())
        recursors_[declaration.all[0]].push_back(&declaration);
    }
  }

  NdjsonSummary Run(const std::vector<NameId>& roots, const NdjsonSource& source) {
    writer_.Line(fmt::format(
        R"({{"meta":{{"exporter":{{"name":"zermelo","version":"1"}},"format":{{"version":"3.1.0"}},)"
        R"("lean":{{"githash":{},"version":{}}}}}}})",
        Quoted(source.lean_commit), Quoted(source.lean_version)));
    for (const NameId root : roots) Export(root);
    return std::move(summary_);
  }

 private:
  struct Unit {
    std::vector<const Declaration*> members;
    std::vector<NameId> needs;
    size_t next = 0;
  };

  const Declaration* Find(NameId name) const {
    const Declaration* found = environment_.Find(name);
    return found == nullptr || found->IsUnsafe() ? nullptr : found;
  }

  // The name under which all that is written in one line is done.
  NameId Leader(const Declaration& declaration) const {
    if (declaration.As<Quotient>() != nullptr) return known_.quot;
    const Declaration* type = nullptr;
    if (const auto* constructor = declaration.As<Constructor>()) {
      type = Find(constructor->inductive);
    } else if (declaration.As<Inductive>() != nullptr || declaration.As<Recursor>() != nullptr) {
      type = &declaration;
    }
    if (type == nullptr || type->all.empty()) return declaration.name;
    const Declaration* first = Find(type->all[0]);
    return first != nullptr && first->As<Inductive>() != nullptr ? first->name : declaration.name;
  }

  Unit Collect(const Declaration& declaration) {
    Unit unit;
    const auto add = [&](NameId name) {
      if (const Declaration* found = Find(name)) unit.members.push_back(found);
    };
    const NameId leader = Leader(declaration);
    if (declaration.As<Quotient>() != nullptr) {
      for (const NameId name : {known_.quot, known_.quot_make, known_.quot_lift, known_.quot_ind})
        add(name);
    } else if (const Declaration* first = Find(leader);
               first != nullptr && first->As<Inductive>() != nullptr) {
      for (const NameId type : first->all) add(type);
      const std::vector<const Declaration*> types = unit.members;
      for (const Declaration* type : types) {
        if (const auto* inductive = type->As<Inductive>()) {
          for (const NameId constructor : inductive->constructors) add(constructor);
        }
      }
      const auto recursors = recursors_.find(leader);
      if (recursors != recursors_.end()) {
        unit.members.insert(unit.members.end(), recursors->second.begin(), recursors->second.end());
      }
    } else {
      unit.members.push_back(&declaration);
    }
    for (const Declaration* member : unit.members) AddNeeds(*member, &unit);
    ++units_;
    return unit;
  }

  void AddNeeds(const Declaration& declaration, Unit* unit) {
    Walk(declaration.type, unit);
    if (const ExprId* value = declaration.Value()) Walk(*value, unit);
    if (const auto* recursor = declaration.As<Recursor>()) {
      for (const RecursorRule& rule : recursor->rules) Walk(rule.value, unit);
    }
    if (declaration.As<Quotient>() != nullptr) unit->needs.push_back(known_.eq);
  }

  void Walk(ExprId root, Unit* unit) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const ExprId at = stack_.back();
      stack_.pop_back();
      if (seen_[Index(at)] == units_) continue;
      seen_[Index(at)] = units_;
      const ExprNode& node = terms_[at];
      if (node.kind == ExprKind::kConst || node.kind == ExprKind::kProj) {
        unit->needs.push_back(NameId{node.a});
      } else if (node.kind == ExprKind::kNat) {
        unit->needs.push_back(known_.nat);
        if (terms_.Text(StringId{node.a}).size() > kMaxWritten) {
          summary_.too_large = unit->members[0]->name;
        }
      } else if (node.kind == ExprKind::kString) {
        unit->needs.insert(unit->needs.end(), {known_.nat, known_.string});
        const auto parts = known_.PartsOfStrings();
        unit->needs.insert(unit->needs.end(), parts.begin(), parts.end());
        const NameId maker = known_.MakerOfStrings(environment_);
        if (maker != NameId::kAnonymous) unit->needs.push_back(maker);
      }
      ForEachChild(node, [&](ExprId child) { stack_.push_back(child); });
    }
  }

  // The declaration to visit for a name; null if it is missing or has been visited.
  const Declaration* Visit(NameId name) {
    const Declaration* declaration = Find(name);
    if (declaration == nullptr) {
      if (!reported_[Index(name)]) summary_.missing.push_back(name);
      reported_[Index(name)] = true;
      return nullptr;
    }
    return visited_.emplace(Leader(*declaration), true).second ? declaration : nullptr;
  }

  void Export(NameId root) {
    std::vector<Unit> open;
    const auto visit = [&](NameId name) {
      if (const Declaration* declaration = Visit(name)) open.push_back(Collect(*declaration));
    };
    visit(root);
    while (!open.empty()) {
      Unit& unit = open.back();
      if (unit.next < unit.needs.size()) {
        visit(unit.needs[unit.next++]);
        continue;
      }
      Write(unit.members);
      open.pop_back();
    }
  }

  std::string Common(const Declaration& d) {
    const uint32_t name = writer_.Name(d.name);
    const std::string params = writer_.Names(d.level_params);
    return fmt::format(R"("levelParams":{},"name":{},"type":{})", params, name,
                       writer_.Expr(d.type));
  }

  std::string All(const Declaration& d) {
    return fmt::format(R"("all":{})",
                       writer_.Names(d.all.empty() ? std::vector<NameId>{d.name} : d.all));
  }

  void Write(const std::vector<const Declaration*>& members) {
    summary_.declarations += members.size();
    if (members[0]->As<Inductive>() == nullptr) {
      for (const Declaration* member : members) WriteSingle(*member);
      return;
    }
    std::vector<std::string> types, constructors, recursors;
    for (const Declaration* member : members) {
      if (const auto* inductive = member->As<Inductive>())
        types.push_back(Type(*member, *inductive));
      if (const auto* constructor = member->As<Constructor>())
        constructors.push_back(ConstructorOf(*member, *constructor));
      if (const auto* recursor = member->As<Recursor>())
        recursors.push_back(RecursorOf(*member, *recursor));
    }
    writer_.Line(fmt::format(R"({{"inductive":{{"ctors":[{}],"recs":[{}],"types":[{}]}}}})",
                             fmt::join(constructors, ","), fmt::join(recursors, ","),
                             fmt::join(types, ",")));
  }

  void WriteSingle(const Declaration& d) {
    const std::string common = Common(d);
    if (const auto* axiom = d.As<Axiom>()) {
      summary_.axioms.push_back(d.name);
      writer_.Line(fmt::format(R"({{"axiom":{{"isUnsafe":{},{}}}}})", axiom->is_unsafe, common));
    } else if (const auto* definition = d.As<Definition>()) {
      const Hints& hints = definition->hints;
      const std::string written = hints.kind == Hints::Kind::kOpaque ? R"("opaque")"
                                  : hints.kind == Hints::Kind::kAbbreviation
                                      ? R"("abbrev")"
                                      : fmt::format(R"({{"regular":{}}})", hints.height);
      const uint32_t value = writer_.Expr(definition->value);
      writer_.Line(fmt::format(R"({{"def":{{{},"hints":{},"safety":"safe","value":{},{}}}}})",
                               All(d), written, value, common));
    } else if (const auto* theorem = d.As<Theorem>()) {
      const uint32_t value = writer_.Expr(theorem->value);
      writer_.Line(fmt::format(R"({{"thm":{{{},"value":{},{}}}}})", All(d), value, common));
    } else if (const auto* opaque = d.As<Opaque>()) {
      const uint32_t value = writer_.Expr(opaque->value);
      writer_.Line(fmt::format(R"({{"opaque":{{{},"isUnsafe":{},"value":{},{}}}}})", All(d),
                               opaque->is_unsafe, value, common));
    } else if (const auto* quotient = d.As<Quotient>()) {
      constexpr const char* kKinds[] = {"type", "ctor", "lift", "ind"};
      writer_.Line(fmt::format(R"({{"quot":{{"kind":"{}",{}}}}})",
                               kKinds[static_cast<size_t>(quotient->kind)], common));
    }
    // A constructor or a recursor without its type has no line of its own in the format.
  }

  std::string Type(const Declaration& d, const Inductive& inductive) {
    const std::string common = Common(d), all = All(d);
    return fmt::format(
        R"({{{},"ctors":{},"isRec":{},"isReflexive":{},"isUnsafe":{},"numIndices":{},)"
        R"("numNested":{},"numParams":{},{}}})",
        all, writer_.Names(inductive.constructors), inductive.is_recursive, inductive.is_reflexive,
        inductive.is_unsafe, inductive.indices, inductive.nested, inductive.parameters, common);
  }

  std::string ConstructorOf(const Declaration& d, const Constructor& constructor) {
    const std::string common = Common(d);
    return fmt::format(
        R"({{"cidx":{},"induct":{},"isUnsafe":{},"numFields":{},"numParams":{},{}}})",
        constructor.index, writer_.Name(constructor.inductive), constructor.is_unsafe,
        constructor.fields, constructor.parameters, common);
  }

  std::string RecursorOf(const Declaration& d, const Recursor& recursor) {
    const std::string common = Common(d), all = All(d);
    std::vector<std::string> rules;
    for (const RecursorRule& rule : recursor.rules) {
      const uint32_t constructor = writer_.Name(rule.constructor);
      rules.push_back(fmt::format(R"({{"ctor":{},"nfields":{},"rhs":{}}})", constructor,
                                  rule.fields, writer_.Expr(rule.value)));
    }
    return fmt::format(
        R"({{{},"isUnsafe":{},"k":{},"numIndices":{},"numMinors":{},"numMotives":{},)"
        R"("numParams":{},"rules":[{}],{}}})",
        all, recursor.is_unsafe, recursor.k, recursor.indices, recursor.minors, recursor.motives,
        recursor.parameters, fmt::join(rules, ","), common);
  }

  const Environment& environment_;
  const Terms& terms_;
  const KnownNames known_;
  TermWriter writer_;
  std::unordered_map<NameId, std::vector<const Declaration*>> recursors_;  // by the first type
  std::unordered_map<NameId, bool> visited_;                               // by leader
  std::vector<uint32_t> seen_;  // by ExprId: the unit that walked it last
  std::vector<bool> reported_;  // by NameId
  std::vector<ExprId> stack_;
  uint32_t units_ = 0;
  NdjsonSummary summary_;
};

}  // namespace

NdjsonSummary WriteNdjson(const Environment& environment, const std::vector<NameId>& roots,
                          const NdjsonSource& source,
                          const std::function<void(std::string_view)>& write) {
  return Exporter(environment, write).Run(roots, source);
}

std::string ImportsLine(const std::vector<NameId>& modules, const Terms& terms) {
  auto imports = nlohmann::json::array();
  for (NameId name : modules) {
    std::vector<std::string> parts;
    for (; name != NameId::kAnonymous; name = terms[name].prefix)
      parts.emplace_back(terms.Text(terms[name].part));
    std::ranges::reverse(parts);
    imports.push_back(std::move(parts));
  }
  nlohmann::json line;
  line["imports"] = std::move(imports);
  return core::Dump(line) + "\n";
}

}  // namespace zermelo::kernel
