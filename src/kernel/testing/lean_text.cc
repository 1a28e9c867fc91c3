#include "kernel/testing/lean_text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "kernel/rules/build.h"

namespace zermelo::kernel::testing {

namespace {

class Parser {
 public:
  Parser(Terms& terms, std::string_view text) : terms_(terms), build_(terms), text_(text) {}

  ExprId Whole() {
    const ExprId e = Expr();
    if (!Peek().empty()) Fail();
    return e;
  }

 private:
  [[noreturn]] void Fail() const {
    std::fprintf(stderr, "cannot parse %.*s at %zu\n", static_cast<int>(text_.size()), text_.data(),
                 at_);
    std::abort();
  }

  static bool IsWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '\'' ||
           c == '#' || c == '?';
  }

  std::string_view PeekFrom(size_t at, size_t* end) const {
    while (at < text_.size() && std::isspace(static_cast<unsigned char>(text_[at])) != 0) ++at;
    size_t stop = at;
    if (at >= text_.size()) {
      *end = at;
      return {};
    }
    if (text_.substr(at, 2) == ".{") {
      stop = at + 2;
    } else if (IsWord(text_[at])) {
      // `.{` begins a list of levels.
      while (stop < text_.size() && IsWord(text_[stop]) && text_.substr(stop, 2) != ".{") ++stop;
    } else if (text_[at] == '"') {
      stop = text_.find('"', at + 1) + 1;
    } else {
      const std::string_view two = text_.substr(at, 2);
      stop = at + (two == "->" || two == "=>" || two == ":=" ? 2 : 1);
    }
    *end = stop;
    return text_.substr(at, stop - at);
  }
  std::string_view Peek() const {
    size_t end = 0;
    return PeekFrom(at_, &end);
  }
  std::string_view Next() {
    size_t end = 0;
    const std::string_view token = PeekFrom(at_, &end);
    at_ = end;
    return token;
  }
  void Expect(std::string_view token) {
    if (Next() != token) Fail();
  }

  // `(x y :` follows.
  bool AtBinder() const {
    size_t at = 0;
    if (PeekFrom(at_, &at) != "(") return false;
    for (;;) {
      const std::string_view token = PeekFrom(at, &at);
      if (token == ":") return true;
      if (token.empty() || !IsWord(token[0])) return false;
    }
  }

  // The binders of `(x y : T)`; each is bound at once.
  void Binder(std::vector<ExprId>* types) {
    Expect("(");
    std::vector<std::string> names;
    while (Peek() != ":") names.emplace_back(Next());
    Next();
    const size_t begin = at_;
    for (size_t i = 0; i < names.size(); ++i) {
      at_ = begin;
      types->push_back(Expr());
      bound_.push_back(names[i]);
    }
    Expect(")");
  }

  ExprId Expr() {
    const std::string_view token = Peek();
    if (token == "fun") {
      Next();
      std::vector<ExprId> types;
      while (AtBinder()) Binder(&types);
      Expect("=>");
      return Close(types, Expr(), true);
    }
    if (token == "let") return Let();
    if (AtBinder()) {
      std::vector<ExprId> types;
      while (AtBinder()) Binder(&types);
      Expect("->");
      return Close(types, Expr(), false);
    }
    const ExprId e = Application();
    if (Peek() != "->") return e;
    Next();
    bound_.emplace_back();
    const ExprId rest = Expr();
    bound_.pop_back();
    return build_.Forall(e, rest);
  }

  ExprId Close(const std::vector<ExprId>& types, ExprId body, bool lambda) {
    for (size_t i = types.size(); i-- > 0;) {
      body = lambda ? build_.Lambda(types[i], body) : build_.Forall(types[i], body);
      bound_.pop_back();
    }
    return body;
  }

  ExprId Let() {
    Next();
    const std::string name(Next());
    Expect(":");
    const ExprId type = Expr();
    Expect(":=");
    const ExprId value = Expr();
    Expect(";");
    bound_.push_back(name);
    const ExprId body = Expr();
    bound_.pop_back();
    return terms_.Expr(
        {.kind = ExprKind::kLet, .a = Index(type), .b = Index(value), .c = Index(body)});
  }

  bool AtAtom() const {
    const std::string_view token = Peek();
    return !token.empty() && (IsWord(token[0]) || token == "(" || token[0] == '"') &&
           token != "fun" && token != "let";
  }

  ExprId Application() {
    if (!AtAtom()) Fail();
    ExprId e = Atom();
    while (AtAtom() && !AtBinder()) e = build_.App(e, Atom());
    return e;
  }

  ExprId Atom() {
    const std::string_view token = Next();
    if (token == "(") {
      const ExprId e = Expr();
      Expect(")");
      return e;
    }
    if (token[0] == '"') {
      const StringId text = terms_.String(token.substr(1, token.size() - 2));
      return terms_.Expr({.kind = ExprKind::kString, .a = Index(text)});
    }
    if (token == "Prop") return build_.Prop();
    if (token == "Sort") return build_.Sort(LevelAtom());
    if (token == "Type") {
      const bool level = Peek() == "(" || (AtAtom() && Peek().size() == 1);
      const LevelId below = level ? LevelAtom() : LevelId::kZero;
      return build_.Sort(Succ(below));
    }
    if (token[0] == '#') {
      const size_t dot = token.rfind('.');
      const uint32_t field =
          static_cast<uint32_t>(std::atoi(std::string(token.substr(dot + 1)).c_str()));
      const NameId name = terms_.ParseName(token.substr(1, dot - 1));
      return terms_.Expr(
          {.kind = ExprKind::kProj, .a = Index(name), .b = field, .c = Index(Atom())});
    }
    if (std::isdigit(static_cast<unsigned char>(token[0])) != 0) {
      const StringId nat = terms_.Nat(std::stoull(std::string(token)));
      return terms_.Expr({.kind = ExprKind::kNat, .a = Index(nat)});
    }
    for (size_t i = bound_.size(); i-- > 0;) {
      if (bound_[i] == token) return build_.Var(static_cast<uint32_t>(bound_.size() - 1 - i));
    }
    return build_.Const(terms_.ParseName(token), LevelList());
  }

  ListId LevelList() {
    if (Peek() != ".{") return ListId::kNil;
    Next();
    std::vector<LevelId> levels;
    while (Peek() != "}") {
      levels.push_back(Level());
      if (Peek() == ",") Next();
    }
    Next();
    ListId list = ListId::kNil;
    for (size_t i = levels.size(); i-- > 0;) list = terms_.Cons(levels[i], list);
    return list;
  }

  LevelId Succ(LevelId level) { return terms_.Level({LevelKind::kSucc, Index(level)}); }

  LevelId Level() {
    LevelId level = LevelAtom();
    while (Peek() == "+") {
      Next();
      for (int i = std::atoi(std::string(Next()).c_str()); i > 0; --i) level = Succ(level);
    }
    return level;
  }

  LevelId LevelAtom() {
    const std::string_view token = Next();
    if (token == "(") {
      const LevelId level = Level();
      Expect(")");
      return level;
    }
    if (token == "max" || token == "imax") {
      const LevelId a = LevelAtom();
      const LevelId b = LevelAtom();
      return terms_.Level(
          {token == "max" ? LevelKind::kMax : LevelKind::kIMax, Index(a), Index(b)});
    }
    if (std::isdigit(static_cast<unsigned char>(token[0])) != 0) {
      LevelId level = LevelId::kZero;
      for (int i = std::atoi(std::string(token).c_str()); i > 0; --i) level = Succ(level);
      return level;
    }
    return terms_.Level({LevelKind::kParam, Index(terms_.ParseName(token))});
  }

  Terms& terms_;
  TermBuilder build_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string> bound_;
};

std::vector<NameId> ParseNames(Terms& terms, const std::vector<std::string>& texts) {
  std::vector<NameId> names;
  for (const std::string& text : texts) names.push_back(terms.ParseName(text));
  return names;
}

uint64_t Arity(const Terms& terms, ExprId type) {
  uint64_t arity = 0;
  for (; terms[type].kind == ExprKind::kForall; type = ExprId{terms[type].b}) ++arity;
  return arity;
}

}  // namespace

ExprId ParseTerm(Terms& terms, std::string_view text) { return Parser(terms, text).Whole(); }

Declaration TestEnvironment::Named(std::string_view name, std::string_view type) {
  Declaration declaration;
  const size_t levels = name.find(".{");
  declaration.name = terms_.ParseName(name.substr(0, levels));
  if (levels != name.npos) {
    std::string_view rest = name.substr(levels + 2);
    rest.remove_suffix(1);
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      std::string_view one = rest.substr(0, comma);
      while (one.starts_with(' ')) one.remove_prefix(1);
      declaration.level_params.push_back(terms_.ParseName(one));
      rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    }
  }
  declaration.type = Term(type);
  return declaration;
}

TestEnvironment& TestEnvironment::Add(Declaration declaration, Origin origin) {
  if (!environment_.Add(std::move(declaration), origin)) std::abort();
  return *this;
}

TestEnvironment& TestEnvironment::Axiom(std::string_view name, std::string_view type) {
  Declaration declaration = Named(name, type);
  declaration.info = kernel::Axiom{};
  return Add(std::move(declaration));
}

TestEnvironment& TestEnvironment::Define(std::string_view name, std::string_view type,
                                         std::string_view value, Safety safety) {
  Declaration declaration = Named(name, type);
  declaration.info = Definition{Term(value), {}, safety};
  return Add(std::move(declaration));
}

TestEnvironment& TestEnvironment::Prove(std::string_view name, std::string_view type,
                                        std::string_view value) {
  Declaration declaration = Named(name, type);
  declaration.info = kernel::Theorem{Term(value)};
  return Add(std::move(declaration));
}

TestEnvironment& TestEnvironment::Add(const InductiveText& text) {
  std::vector<NameId> all;
  for (const auto& type : text.types) all.push_back(terms_.ParseName(type.name));
  for (const auto& type : text.types) {
    Declaration declaration = Named(type.name, type.type);
    declaration.level_params = ParseNames(terms_, text.level_params);
    declaration.all = all;
    Inductive inductive{text.parameters, type.indices,   text.nested, {},
                        text.recursive,  text.reflexive, false};
    for (const auto& constructor : type.constructors) {
      inductive.constructors.push_back(terms_.ParseName(constructor.first));
    }
    declaration.info = std::move(inductive);
    Add(std::move(declaration));
  }
  for (const auto& type : text.types) {
    uint64_t index = 0;
    for (const auto& [name, constructor_type] : type.constructors) {
      Declaration declaration = Named(name, constructor_type);
      declaration.level_params = ParseNames(terms_, text.level_params);
      const uint64_t arity = Arity(terms_, declaration.type);
      declaration.info = Constructor{terms_.ParseName(type.name), index++, text.parameters,
                                     arity - std::min(arity, text.parameters), false};
      Add(std::move(declaration));
    }
  }
  uint64_t minors = 0;
  for (const auto& rec : text.recs) minors += rec.rules.size();
  for (const auto& rec : text.recs) {
    Declaration declaration = Named(rec.name, rec.type);
    declaration.level_params = ParseNames(terms_, text.rec_level_params);
    declaration.all = all;
    Recursor recursor{text.parameters, rec.indices, text.recs.size(), minors, {}, text.k, false};
    for (const auto& [constructor, value] : rec.rules) {
      const NameId name = terms_.ParseName(constructor);
      const Declaration* found = environment_.Find(name);
      recursor.rules.push_back({name, found->As<Constructor>()->fields, Term(value)});
    }
    declaration.info = std::move(recursor);
    Add(std::move(declaration));
  }
  return *this;
}

CheckReport TestEnvironment::Judge(Order order) const {
  CheckOptions options;
  options.order = order;
  options.limits.time = std::chrono::seconds(60);
  return Check(environment_, options);
}

std::string TestEnvironment::Print(const CheckReport& verdict) const {
  return std::string(Name(verdict.outcome)) + " " + terms_.Print(verdict.declaration) + ": " +
         verdict.reason;
}

InductiveText NatText() {
  const std::string motive = "(motive : Nat -> Sort u)";
  const std::string zero = "(zero : motive Nat.zero)";
  const std::string succ = "(succ : (n : Nat) -> motive n -> motive (Nat.succ n))";
  const std::string all = motive + zero + succ;
  return {.level_params = {},
          .types = {{"Nat", "Type", {{"Nat.zero", "Nat"}, {"Nat.succ", "Nat -> Nat"}}}},
          .rec_level_params = {"u"},
          .recs = {{"Nat.rec",
                    all + " (t : Nat) -> motive t",
                    {{"Nat.zero", "fun " + all + " => zero"},
                     {"Nat.succ",
                      "fun " + all + " (n : Nat) => succ n (Nat.rec.{u} motive zero succ n)"}}}},
          .recursive = true};
}

InductiveText EqText() {
  const std::string all =
      "(A : Sort v) (a : A) (motive : (b : A) -> Eq.{v} A a b -> Sort u)"
      "(refl : motive a (Eq.refl.{v} A a))";
  return {.level_params = {"v"},
          .types = {{"Eq",
                     "(A : Sort v) -> A -> A -> Prop",
                     {{"Eq.refl", "(A : Sort v) (a : A) -> Eq.{v} A a a"}},
                     1}},
          .rec_level_params = {"u", "v"},
          .recs = {{"Eq.rec",
                    all + " (b : A) (t : Eq.{v} A a b) -> motive b t",
                    {{"Eq.refl", "fun " + all + " => refl"}},
                    1}},
          .parameters = 2,
          .k = true};
}

InductiveText ProdText() {
  const std::string all =
      "(A : Type u) (B : Type v) (motive : Prod.{u,v} A B -> Sort w)"
      "(mk : (a : A) (b : B) -> motive (Prod.mk.{u,v} A B a b))";
  return {.level_params = {"u", "v"},
          .types = {{"Prod",
                     "Type u -> Type v -> Type (max u v)",
                     {{"Prod.mk", "(A : Type u) (B : Type v) -> A -> B -> Prod.{u,v} A B"}}}},
          .rec_level_params = {"w", "u", "v"},
          .recs = {{"Prod.rec",
                    all + " (t : Prod.{u,v} A B) -> motive t",
                    {{"Prod.mk", "fun " + all + " (a : A) (b : B) => mk a b"}}}},
          .parameters = 2};
}

InductiveText AndText() {
  const std::string all =
      "(a b : Prop) (motive : And a b -> Sort u)"
      "(intro : (l : a) (r : b) -> motive (And.intro a b l r))";
  return {.level_params = {},
          .types = {{"And",
                     "Prop -> Prop -> Prop",
                     {{"And.intro", "(a b : Prop) -> a -> b -> And a b"}}}},
          .rec_level_params = {"u"},
          .recs = {{"And.rec",
                    all + " (t : And a b) -> motive t",
                    {{"And.intro", "fun " + all + " (l : a) (r : b) => intro l r"}}}},
          .parameters = 2};
}

InductiveText ListText() {
  const std::string all =
      "(A : Type u) (motive : List.{u} A -> Sort v) (nil : motive (List.nil.{u} A))"
      "(cons : (h : A) (t : List.{u} A) -> motive t -> motive (List.cons.{u} A h t))";
  return {
      .level_params = {"u"},
      .types = {{"List",
                 "Type u -> Type u",
                 {{"List.nil", "(A : Type u) -> List.{u} A"},
                  {"List.cons", "(A : Type u) -> A -> List.{u} A -> List.{u} A"}}}},
      .rec_level_params = {"v", "u"},
      .recs =
          {{"List.rec",
            all + " (t : List.{u} A) -> motive t",
            {{"List.nil", "fun " + all + " => nil"},
             {"List.cons",
              "fun " + all +
                  " (h : A) (t : List.{u} A) => cons h t (List.rec.{v,u} A motive nil cons t)"}}}},
      .parameters = 1,
      .recursive = true};
}

TestEnvironment& TestEnvironment::AddPrelude() {
  Add(InductiveText{.types = {{"Empty", "Type", {}}},
                    .rec_level_params = {"u"},
                    .recs = {{"Empty.rec", "(motive : Empty -> Sort u) (t : Empty) -> motive t"}}});
  Add(InductiveText{
      .types = {{"Unit", "Type", {{"Unit.unit", "Unit"}}}},
      .rec_level_params = {"u"},
      .recs = {{"Unit.rec",
                "(motive : Unit -> Sort u) -> motive Unit.unit -> (t : Unit) -> motive t",
                {{"Unit.unit", "fun (motive : Unit -> Sort u) (m : motive Unit.unit) => m"}}}}});
  const std::string all =
      "(motive : Bool -> Sort u) (no : motive Bool.false) (yes : motive Bool.true)";
  Add(InductiveText{.types = {{"Bool", "Type", {{"Bool.false", "Bool"}, {"Bool.true", "Bool"}}}},
                    .rec_level_params = {"u"},
                    .recs = {{"Bool.rec",
                              all + " (t : Bool) -> motive t",
                              {{"Bool.false", "fun " + all + " => no"},
                               {"Bool.true", "fun " + all + " => yes"}}}}});
  Add(NatText());
  Add(EqText());
  Add(AndText());
  Add(ProdText());
  Add(ListText());
  return Define("Nat.add", "Nat -> Nat -> Nat",
                "fun (a b : Nat) => Nat.rec.{1} (fun (n : Nat) => Nat) a "
                "(fun (n ih : Nat) => Nat.succ ih) b");
}

TestEnvironment& TestEnvironment::AddQuotient() {
  const std::string relation = "(A : Sort u) (r : A -> A -> Prop)";
  const std::pair<const char*, std::string> constants[] = {
      {"Quot.{u}", relation + " -> Sort u"},
      {"Quot.mk.{u}", relation + " (a : A) -> Quot.{u} A r"},
      {"Quot.lift.{u, v}",
       relation + " (B : Sort v) (f : A -> B) -> ((a b : A) -> r a b -> Eq.{v} B (f a) (f b)) -> "
                  "Quot.{u} A r -> B"},
      {"Quot.ind.{u}", relation +
                           " (B : Quot.{u} A r -> Prop) -> ((a : A) -> B (Quot.mk.{u} A r a)) -> "
                           "(q : Quot.{u} A r) -> B q"}};
  for (uint8_t i = 0; i < 4; ++i) {
    Declaration declaration = Named(constants[i].first, constants[i].second);
    declaration.info = Quotient{static_cast<Quotient::Kind>(i)};
    Add(std::move(declaration));
  }
  return *this;
}

}  // namespace zermelo::kernel::testing
