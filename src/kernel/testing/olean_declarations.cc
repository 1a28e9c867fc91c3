#include "kernel/testing/olean_declarations.h"

#include <map>

namespace zermelo::kernel {

namespace {

using Word = OleanWriter::Word;

class DeclarationWriter {
 public:
  DeclarationWriter(OleanWriter& writer, const Terms& terms) : w_(writer), terms_(terms) {}

  OleanWriter::Declared Write(const Declaration& declaration) {
    const auto of_kind = [&](const std::vector<Word>& fields, std::string_view scalars) {
      std::vector<std::string> params;
      for (const NameId param : declaration.level_params) params.push_back(terms_.PrintFull(param));
      const std::string name = terms_.PrintFull(declaration.name);
      return OleanWriter::Declared{name,
                                   w_.Constant(static_cast<uint8_t>(declaration.info.index()), name,
                                               Expr(declaration.type), fields, scalars, params)};
    };
    const Word all = Names(declaration.all);
    if (const auto* axiom = declaration.As<Axiom>()) return of_kind({}, Flags({axiom->is_unsafe}));
    if (const auto* definition = declaration.As<Definition>()) {
      const Word hints = w_.Constructor(2, {}, std::string("\7\0\0\0", 4));
      const std::string safety(1, static_cast<char>(definition->safety));
      return of_kind({Expr(definition->value), hints, all}, safety);
    }
    if (const auto* theorem = declaration.As<Theorem>())
      return of_kind({Expr(theorem->value), all}, {});
    if (const auto* opaque = declaration.As<Opaque>())
      return of_kind({Expr(opaque->value), all}, Flags({opaque->is_unsafe}));
    if (const auto* quotient = declaration.As<Quotient>())
      return of_kind({}, std::string(1, static_cast<char>(quotient->kind)));
    if (const auto* type = declaration.As<Inductive>()) {
      return of_kind({w_.Nat(type->parameters), w_.Nat(type->indices), all,
                      Names(type->constructors), w_.Nat(type->nested)},
                     Flags({type->is_recursive, type->is_unsafe, type->is_reflexive}));
    }
    if (const auto* constructor = declaration.As<kernel::Constructor>()) {
      return of_kind({Name(constructor->inductive), w_.Nat(constructor->index),
                      w_.Nat(constructor->parameters), w_.Nat(constructor->fields)},
                     Flags({constructor->is_unsafe}));
    }
    const auto& recursor = std::get<Recursor>(declaration.info);
    std::vector<Word> rules;
    for (const RecursorRule& rule : recursor.rules) {
      rules.push_back(
          w_.Constructor(0, {Name(rule.constructor), w_.Nat(rule.fields), Expr(rule.value)}));
    }
    return of_kind({all, w_.Nat(recursor.parameters), w_.Nat(recursor.indices),
                    w_.Nat(recursor.motives), w_.Nat(recursor.minors), w_.List(rules)},
                   Flags({recursor.k, recursor.is_unsafe}));
  }

 private:
  static std::string Flags(std::initializer_list<bool> flags) {
    return {flags.begin(), flags.end()};
  }

  Word Name(NameId name) { return w_.Name(terms_.PrintFull(name)); }

  Word Names(const std::vector<NameId>& names) {
    std::vector<Word> words;
    for (const NameId name : names) words.push_back(Name(name));
    return w_.List(words);
  }

  Word Level(LevelId id) {
    const LevelNode& level = terms_[id];
    switch (level.kind) {
      case LevelKind::kZero:
        return OleanWriter::Box(0);
      case LevelKind::kSucc:
        return w_.LevelSucc(Level(LevelId{level.a}));
      case LevelKind::kMax:
        return w_.LevelMax(Level(LevelId{level.a}), Level(LevelId{level.b}));
      case LevelKind::kIMax:
        return w_.LevelIMax(Level(LevelId{level.a}), Level(LevelId{level.b}));
      default:
        return w_.LevelParam(Name(NameId{level.a}));
    }
  }

  Word Expr(ExprId id) {
    const auto found = written_.find(id);
    if (found != written_.end()) return found->second;
    const Word word = Written(terms_[id]);
    written_.emplace(id, word);
    return word;
  }

  Word Written(const ExprNode& e) {
    const auto part = [&](uint32_t id) { return Expr(ExprId{id}); };
    const auto number = [&](uint32_t id) {
      uint64_t value = 0;
      terms_.NatValue(StringId{id}, &value);
      return w_.Nat(value);
    };
    switch (e.kind) {
      case ExprKind::kBVar:
        return w_.BVar(e.a);
      case ExprKind::kSort:
        return w_.Sort(Level(LevelId{e.a}));
      case ExprKind::kConst: {
        std::vector<Word> levels;
        for (ListId list{e.b}; list != ListId::kNil; list = terms_[list].tail)
          levels.push_back(Level(LevelId{terms_[list].head}));
        return w_.Const(terms_.PrintFull(NameId{e.a}), levels);
      }
      case ExprKind::kApp:
        return w_.App(part(e.a), part(e.b));
      case ExprKind::kLambda:
        return w_.Lambda(part(e.a), part(e.b));
      case ExprKind::kForall:
        return w_.Forall(part(e.a), part(e.b));
      case ExprKind::kLet:
        return w_.Let(part(e.a), part(e.b), part(e.c));
      case ExprKind::kNat:
        return w_.NatLiteral(number(e.a));
      case ExprKind::kString:
        return w_.StringLiteral(terms_.Text(StringId{e.a}));
      case ExprKind::kProj:
        return w_.Proj(terms_.PrintFull(NameId{e.a}), e.b, part(e.c));
      default:  // free variables; no local is ever in a file
        return w_.Expr(1, {Name(NameId{e.a})});
    }
  }

  OleanWriter& w_;
  const Terms& terms_;
  std::map<ExprId, Word> written_;
};

}  // namespace

std::vector<OleanWriter::Declared> WriteDeclarations(OleanWriter& writer,
                                                     const Environment& environment) {
  DeclarationWriter declarations(writer, environment.terms());
  std::vector<OleanWriter::Declared> written;
  for (const Declaration& declaration : environment.declarations())
    written.push_back(declarations.Write(declaration));
  return written;
}

}  // namespace zermelo::kernel
