#include "retrieve/statements/signature.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/text.h"
#include "retrieve/statements/notation.h"
#include "retrieve/statements/type_text.h"

namespace zermelo::retrieve {

namespace {

constexpr int kLowest = 0;
constexpr int kLead = 1023;  // precedence of an application; its arguments need kMax
constexpr int kMax = 1024;
constexpr int kArrow = 25;
constexpr int kMaxPrintedDepth = 200;

class Printer {
 public:
  Printer(const TypeReader& types, const Shapes& shapes) : types_(types), shapes_(shapes) {}

  std::string Signature(TypeId type) {
    bool first = true;
    while (!Full()) {
      const TypeNode& node = types_[type];
      if (node.kind != TypeKind::kForall || !IsNamed(node)) break;
      if (!first) out_ += ' ';
      first = false;
      type = PrintGroup(type);
    }
    out_ += first ? ": " : " : ";
    Print(type, kLowest);
    return Finish();
  }

 private:
  bool Full() const { return out_.size() > kMaxSignature; }

  std::string Finish() {
    if (!Full()) return std::move(out_);
    return out_.substr(0, core::CharacterBegin(out_, kMaxSignature)) + "…";
  }

  // ---- variables

  /// Whether the variable is written as a binder: it is named, not explicit, or occurs later.
  bool IsNamed(const TypeNode& node) {
    if (node.info != BinderInfo::kExplicit) return true;
    return !IsAnonymous(types_, node.name) || Occurs(types_, node.b);
  }

  std::string FreshName(NameId name) const {
    const std::string base = BaseName(types_, name);
    std::string fresh = base;
    const auto taken = [&] {
      return std::find(variables_.begin(), variables_.end(), fresh) != variables_.end();
    };
    for (int i = 1; taken(); ++i) fresh = fmt::format("{}_{}", base, i);
    return fresh;
  }

  // ---- binders

  /// Prints `(a b : T)`, consecutive binders of one kind and type; returns the rest of the type.
  TypeId PrintGroup(TypeId type) {
    constexpr const char* kOpen[] = {"(", "{", "⦃", "["};
    constexpr const char* kClose[] = {")", "}", "⦄", "]"};
    const TypeNode& first = types_[type];
    const auto info = static_cast<size_t>(first.info);
    out_ += kOpen[info];
    if (first.info == BinderInfo::kInstance && IsAnonymousInstance(first.name)) {
      Print(first.a, kLowest);
      out_ += kClose[info];
      variables_.push_back(FreshName(first.name));
      return first.b;
    }
    std::vector<std::string> names;
    TypeId at = type;
    const size_t scope = variables_.size();
    while (names.size() < 12) {
      const TypeNode& node = types_[at];
      names.push_back(FreshName(node.name));
      variables_.push_back(names.back());
      at = node.b;
      const TypeNode& next = types_[at];
      const bool continues =
          next.kind == TypeKind::kForall && next.info == first.info &&
          next.info != BinderInfo::kInstance && IsNamed(next) &&
          SameShifted(types_, first.a, next.a, static_cast<uint32_t>(names.size()));
      if (!continues) break;
    }
    out_ += fmt::format("{} : ", fmt::join(names, " "));
    // The names are not in scope in their own type.
    std::vector<std::string> inside(variables_.begin() + static_cast<std::ptrdiff_t>(scope),
                                    variables_.end());
    variables_.resize(scope);
    Print(first.a, kLowest);
    variables_.insert(variables_.end(), inside.begin(), inside.end());
    out_ += kClose[info];
    return at;
  }

  bool IsAnonymousInstance(NameId name) const {
    return IsAnonymous(types_, name) || BaseName(types_, name).starts_with("inst");
  }

  // ---- expressions

  class Parens {
   public:
    Parens(std::string* out, bool wanted) : out_(out), wanted_(wanted) {
      if (wanted_) *out_ += '(';
    }
    Parens(const Parens&) = delete;
    Parens& operator=(const Parens&) = delete;
    ~Parens() {
      if (wanted_) *out_ += ')';
    }

   private:
    std::string* out_;
    bool wanted_;
  };

  void Print(TypeId id, int precedence) {
    if (Full()) return;
    if (depth_ > kMaxPrintedDepth) {
      out_ += "…";
      return;
    }
    ++depth_;
    const TypeNode& node = types_[id];
    switch (node.kind) {
      case TypeKind::kBound:
        out_ += node.a < variables_.size() ? variables_[variables_.size() - 1 - node.a] : "?";
        break;
      case TypeKind::kSort:
        PrintSort(node, precedence);
        break;
      case TypeKind::kConst:
      case TypeKind::kApp:
        PrintApplication(id, precedence);
        break;
      case TypeKind::kLambda:
        PrintLambda(id, precedence);
        break;
      case TypeKind::kForall:
        PrintForall(id, precedence);
        break;
      case TypeKind::kLet:
        PrintLet(node, precedence);
        break;
      case TypeKind::kNat:
        out_ += types_.terms().PrintNat(kernel::StringId{node.a});
        break;
      case TypeKind::kString:
        out_ += fmt::format("\"{}\"", types_.terms().Text(kernel::StringId{node.a}));
        break;
      case TypeKind::kProj:
        Print(node.a, kMax);
        out_ += fmt::format(".{}", node.b + 1);
        break;
      case TypeKind::kOther:
        out_ += "…";
        break;
    }
    --depth_;
  }

  void PrintSort(const TypeNode& node, int precedence) {
    const TypeLevel& level = types_.level(node.a);
    if (level.kind == kernel::LevelKind::kZero) {
      out_ += "Prop";
      return;
    }
    const bool type = level.kind == kernel::LevelKind::kSucc;
    const std::string of = LevelText(types_, type ? level.a : node.a);
    if (type && of == "0") {
      out_ += "Type";
      return;
    }
    const Parens parens(&out_, precedence > kLead);
    out_ += fmt::format("{} {}", type ? "Type" : "Sort", of);
  }

  void PrintForall(TypeId id, int precedence) {
    const Parens parens(&out_, precedence > kArrow);
    const TypeNode& node = types_[id];
    const bool dependent = Occurs(types_, node.b);
    if (!dependent && node.info == BinderInfo::kExplicit) {
      Print(node.a, kArrow + 1);
      out_ += " → ";
      variables_.push_back(FreshName(node.name));
      Print(node.b, kArrow);
      variables_.pop_back();
      return;
    }
    const size_t scope = variables_.size();
    out_ += "∀ ";
    bool first = true;
    while (!Full() && types_[id].kind == TypeKind::kForall &&
           (types_[id].info != BinderInfo::kExplicit || Occurs(types_, types_[id].b))) {
      if (!first) out_ += ' ';
      first = false;
      id = PrintGroup(id);
    }
    out_ += ", ";
    Print(id, kLowest);
    variables_.resize(std::min(scope, variables_.size()));
  }

  void PrintLambda(TypeId id, int precedence) {
    const Parens parens(&out_, precedence > kLowest);
    const size_t scope = variables_.size();
    out_ += "fun";
    while (types_[id].kind == TypeKind::kLambda) {
      const TypeNode& node = types_[id];
      const std::string name = Occurs(types_, node.b) ? FreshName(node.name) : "_";
      if (node.info == BinderInfo::kExplicit) out_ += " " + name;
      variables_.push_back(name);
      id = node.b;
    }
    out_ += " => ";
    Print(id, kLowest);
    variables_.resize(scope);
  }

  void PrintLet(const TypeNode& node, int precedence) {
    const Parens parens(&out_, precedence > kLowest);
    const std::string name = FreshName(node.name);
    out_ += fmt::format("let {} := ", name);
    Print(node.b, kLowest);
    out_ += "; ";
    variables_.push_back(name);
    Print(node.c, kLowest);
    variables_.pop_back();
  }

  // ---- applications

  void PrintApplication(TypeId id, int precedence) {
    std::vector<TypeId> all;
    const TypeId function = Spine(types_, id, &all);
    const TypeNode& head = types_[function];
    if (head.kind != TypeKind::kConst) return PrintCall(function, all, precedence);
    const std::string name = types_.terms().Print(head.name);
    const Shape& shape = shapes_.Find(head.name);
    std::vector<TypeId> arguments;
    for (size_t i = 0; i < all.size(); ++i) {
      const char param = i < shape.params.size() ? shape.params[i] : char{kExplicit};
      if (param == kExplicit || param == kObject || param == kProof) arguments.push_back(all[i]);
    }
    // With fewer arguments than parameters it is a function, printed by its name.
    const bool saturated = all.size() >= shape.params.size();
    if (saturated && PrintSpecial(name, all, arguments, precedence)) return;
    if (saturated && PrintNotation(name, arguments, precedence)) return;
    if (saturated && PrintField(head.name, shape, arguments, all.size(), precedence)) return;
    PrintNamed(ShortName(name), arguments, precedence);
  }

  /// Short names for constants that core exports or that have a symbol.
  static std::string ShortName(const std::string& name) {
    constexpr std::pair<std::string_view, std::string_view> kShort[] = {
        {"Max.max", "max"},      {"Min.min", "min"},
        {"Bool.true", "true"},   {"Bool.false", "false"},
        {"Option.some", "some"}, {"Option.none", "none"},
        {"Unit.unit", "()"},     {"EmptyCollection.emptyCollection", "∅"},
        {"Nat.zero", "0"},       {"Array.empty", "#[]"},
    };
    for (const auto& [full, brief] : kShort) {
      if (full == name) return std::string(brief);
    }
    return name;
  }

  void PrintCall(TypeId function, const std::vector<TypeId>& arguments, int precedence) {
    const Parens parens(&out_, !arguments.empty() && precedence > kLead);
    Print(function, arguments.empty() ? precedence : kMax);
    for (const TypeId argument : arguments) {
      out_ += ' ';
      Print(argument, kMax);
    }
  }

  void PrintNamed(const std::string& name, const std::vector<TypeId>& arguments, int precedence) {
    const Parens parens(&out_, !arguments.empty() && precedence > kLead);
    out_ += name;
    for (const TypeId argument : arguments) {
      out_ += ' ';
      Print(argument, kMax);
    }
  }

  bool PrintNotation(const std::string& name, const std::vector<TypeId>& arguments,
                     int precedence) {
    const Notation* const notation = FindNotation(name);
    if (notation == nullptr) return false;
    const bool infix =
        notation->fixity == Fixity::kInfix || notation->fixity == Fixity::kInfixFlipped;
    if (arguments.size() != (infix ? 2U : 1U)) return false;
    if (name == "Not" && PrintNotRelation(arguments[0], precedence)) return true;
    const Parens parens(&out_, precedence > notation->precedence);
    if (infix) {
      const bool flipped = notation->fixity == Fixity::kInfixFlipped;
      Print(arguments[flipped ? 1 : 0], notation->left);
      out_ += fmt::format(" {} ", notation->symbol);
      Print(arguments[flipped ? 0 : 1], notation->right);
    } else if (notation->fixity == Fixity::kPostfix) {
      Print(arguments[0], notation->left);
      out_ += notation->symbol;
    } else {
      out_ += notation->symbol;
      Print(arguments[0], notation->right);
    }
    return true;
  }

  /// Prints ¬x ∈ s as x ∉ s.
  bool PrintNotRelation(TypeId inner, int precedence) {
    std::vector<TypeId> arguments;
    const TypeNode& head = types_[Spine(types_, inner, &arguments)];
    if (head.kind != TypeKind::kConst || arguments.size() != 5 ||
        types_.terms().Print(head.name) != "Membership.mem") {
      return false;
    }
    const Parens parens(&out_, precedence > 50);
    Print(arguments[4], 51);
    out_ += " ∉ ";
    Print(arguments[3], 51);
    return true;
  }

  /// Prints `C.f x y` as `x.f y` if x is the first explicit argument.
  bool PrintField(NameId name, const Shape& shape, const std::vector<TypeId>& arguments,
                  size_t count, int precedence) {
    size_t explicits = 0;
    for (size_t i = 0; i < std::min(count, shape.params.size()); ++i) {
      const char param = shape.params[i];
      if (param == kObject) break;
      if (param == kExplicit || param == kProof) return false;
      ++explicits;
    }
    const bool has_object = explicits < std::min(count, shape.params.size());
    if (!has_object || arguments.empty()) return false;
    const TypeNode& object = types_[arguments[0]];
    if (object.kind == TypeKind::kNat || object.kind == TypeKind::kLambda) return false;
    const Parens parens(&out_, arguments.size() > 1 && precedence > kLead);
    Print(arguments[0], kMax);
    const kernel::Terms& terms = types_.terms();
    out_ += fmt::format(".{}", terms.Text(terms[name].part));
    for (size_t i = 1; i < arguments.size(); ++i) {
      out_ += ' ';
      Print(arguments[i], kMax);
    }
    return true;
  }

  /// Prints constants with their own syntax.
  bool PrintSpecial(const std::string& name, const std::vector<TypeId>& all,
                    const std::vector<TypeId>& arguments, int precedence) {
    if (name == "OfNat.ofNat" && all.size() == 3 && types_[all[1]].kind == TypeKind::kNat) {
      Print(all[1], precedence);
      return true;
    }
    if (name == "Exists" && all.size() == 2) return PrintExists(all[1], precedence);
    if ((name == "ite" || name == "dite") && all.size() == 5) {
      return PrintIf(name == "dite", all, precedence);
    }
    if (name == "Prod.mk" && arguments.size() == 2) {
      PrintTuple(arguments[0], arguments[1]);
      return true;
    }
    if ((name == "List.nil" && all.size() == 1) || (name == "List.cons" && all.size() == 3)) {
      return PrintList(all);
    }
    if (name == "DFunLike.coe" && all.size() >= 5) {
      PrintCall(all[4], {all.begin() + 5, all.end()}, precedence);
      return true;
    }
    if ((name == "Finset.sum" || name == "Finset.prod") && arguments.size() == 2 &&
        types_[arguments[1]].kind == TypeKind::kLambda) {
      return PrintBigOperator(name == "Finset.sum" ? "∑" : "∏", arguments, precedence);
    }
    return PrintIndexing(name, all);
  }

  /// Prints xs[i], xs[i]?, xs[i]!.
  bool PrintIndexing(const std::string& name, const std::vector<TypeId>& all) {
    constexpr size_t kCollection = 5;  // after three types, the validity predicate and an instance
    const bool plain = name == "GetElem.getElem" && all.size() == 8;
    const bool option = name == "GetElem?.getElem?" && all.size() == 7;
    const bool bang = name == "GetElem?.getElem!" && all.size() == 8;
    if (!plain && !option && !bang) return false;
    Print(all[kCollection + (bang ? 1 : 0)], kMax);
    out_ += '[';
    Print(all[kCollection + (bang ? 2 : 1)], kLowest);
    out_ += option ? "]?" : bang ? "]!" : "]";
    return true;
  }

  bool PrintExists(TypeId predicate, int precedence) {
    if (types_[predicate].kind != TypeKind::kLambda) return false;
    const Parens parens(&out_, precedence > kLowest);
    const size_t scope = variables_.size();
    out_ += "∃";
    TypeId body = predicate;
    while (types_[body].kind == TypeKind::kLambda) {
      const std::string name = FreshName(types_[body].name);
      out_ += " " + name;
      variables_.push_back(name);
      body = types_[body].b;
      std::vector<TypeId> arguments;
      const TypeNode& head = types_[Spine(types_, body, &arguments)];
      const bool again = head.kind == TypeKind::kConst && arguments.size() == 2 &&
                         types_[arguments[1]].kind == TypeKind::kLambda &&
                         types_.terms().Print(head.name) == "Exists";
      if (!again) break;
      body = arguments[1];
    }
    out_ += ", ";
    Print(body, kLowest);
    variables_.resize(scope);
    return true;
  }

  bool PrintIf(bool dependent, const std::vector<TypeId>& all, int precedence) {
    const TypeNode& yes = types_[all[3]];
    const TypeNode& no = types_[all[4]];
    if (dependent && (yes.kind != TypeKind::kLambda || no.kind != TypeKind::kLambda)) return false;
    const Parens parens(&out_, precedence > kLowest);
    const std::string name = dependent ? FreshName(yes.name) : "";
    out_ += dependent ? fmt::format("if {} : ", name) : "if ";
    Print(all[1], kLowest);
    out_ += " then ";
    if (dependent) variables_.push_back(name);
    Print(dependent ? yes.b : all[3], kLowest);
    out_ += " else ";
    Print(dependent ? no.b : all[4], kLowest);
    if (dependent) variables_.pop_back();
    return true;
  }

  void PrintTuple(TypeId first, TypeId second) {
    out_ += '(';
    Print(first, kLowest);
    for (;;) {
      out_ += ", ";
      std::vector<TypeId> arguments;
      const TypeNode& head = types_[Spine(types_, second, &arguments)];
      const bool again = head.kind == TypeKind::kConst && arguments.size() == 4 &&
                         types_.terms().Print(head.name) == "Prod.mk";
      if (!again) break;
      Print(arguments[2], kLowest);
      second = arguments[3];
    }
    Print(second, kLowest);
    out_ += ')';
  }

  /// Prints [a, b, c]; false if the list does not end in [].
  bool PrintList(std::vector<TypeId> cell) {
    std::vector<TypeId> elements;
    while (cell.size() == 3) {
      elements.push_back(cell[1]);
      const TypeId tail = cell[2];
      cell.clear();
      const TypeNode& head = types_[Spine(types_, tail, &cell)];
      if (head.kind != TypeKind::kConst || elements.size() > 200) return false;
      const std::string name = types_.terms().Print(head.name);
      if (name != "List.cons" && name != "List.nil") return false;
    }
    if (cell.size() != 1) return false;
    out_ += '[';
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) out_ += ", ";
      Print(elements[i], kLowest);
    }
    out_ += ']';
    return true;
  }

  bool PrintBigOperator(const char* symbol, const std::vector<TypeId>& arguments, int precedence) {
    const Parens parens(&out_, precedence > 67);
    const TypeNode& lambda = types_[arguments[1]];
    const std::string name = FreshName(lambda.name);
    out_ += fmt::format("{} {} ∈ ", symbol, name);
    Print(arguments[0], 51);
    out_ += ", ";
    variables_.push_back(name);
    Print(lambda.b, 67);
    variables_.pop_back();
    return true;
  }

  const TypeReader& types_;
  const Shapes& shapes_;
  std::string out_;
  std::vector<std::string> variables_;  // innermost last
  int depth_ = 0;
};

}  // namespace

std::string PrintSignature(const TypeReader& types, const Shapes& shapes, TypeId type) {
  return Printer(types, shapes).Signature(type);
}

}  // namespace zermelo::retrieve
