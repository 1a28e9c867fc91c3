// Terms and environments from a small text language, for tests:
//
//   fun (A : Sort u) (a : A) => a        (A : Type) -> A -> A        let x : Nat := 2; f x
//   id.{u+1} Nat 3      "text"      Sort (max u 1)      Type u      Prop      #Prod.1 p (a
//   projection)
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/check.h"
#include "kernel/environment.h"

namespace zermelo::kernel::testing {

/// Ends the program if the text is not of the language.
ExprId ParseTerm(Terms& terms, std::string_view text);

/// What a test states of a block of inductive types; counts and flags that are not given are what
/// Lean would compute for the simplest types.
struct InductiveText {
  struct Type {
    std::string name, type;
    std::vector<std::pair<std::string, std::string>> constructors;  // name, type
    uint64_t indices = 0;
  };
  struct Rec {
    std::string name, type;                                  // `Nat.rec`
    std::vector<std::pair<std::string, std::string>> rules;  // constructor, value
    uint64_t indices = 0;
  };
  std::vector<std::string> level_params;
  std::vector<Type> types;
  std::vector<std::string> rec_level_params;
  std::vector<Rec> recs;
  uint64_t parameters = 0;
  uint64_t nested = 0;
  bool recursive = false;
  bool reflexive = false;
  bool k = false;
};

/// Builds an environment and checks it in the order in which declarations were added.
class TestEnvironment {
 public:
  TestEnvironment() : environment_(terms_) {}

  /// `name.{u, v}` declares universe parameters.
  TestEnvironment& Axiom(std::string_view name, std::string_view type);
  TestEnvironment& Define(std::string_view name, std::string_view type, std::string_view value,
                          Safety safety = Safety::kSafe);
  TestEnvironment& Prove(std::string_view name, std::string_view type, std::string_view value);
  TestEnvironment& Add(const InductiveText& text);
  TestEnvironment& Add(Declaration declaration) { return Add(std::move(declaration), origin_); }
  TestEnvironment& Add(Declaration declaration, Origin origin);
  /// Of what is added afterwards.
  TestEnvironment& From(Origin origin) {
    origin_ = origin;
    return *this;
  }
  /// Empty, Unit, Bool, Nat, Eq, And, Prod, List with their recursors, and `Nat.add`.
  TestEnvironment& AddPrelude();
  TestEnvironment& AddQuotient();

  /// A declaration of this name without its info.
  Declaration Named(std::string_view name, std::string_view type);
  ExprId Term(std::string_view text) { return ParseTerm(terms_, text); }
  CheckReport Judge(Order order = Order::kAsAdded) const;
  std::string Print(const CheckReport& verdict) const;
  Terms& terms() { return terms_; }
  Environment& environment() { return environment_; }

 private:
  Terms terms_;
  Environment environment_;
  Origin origin_ = Origin::kChecked;
};

/// The declarations of AddPrelude, to be changed by a test.
InductiveText NatText();
InductiveText EqText();
InductiveText ProdText();
InductiveText ListText();
InductiveText AndText();

}  // namespace zermelo::kernel::testing
