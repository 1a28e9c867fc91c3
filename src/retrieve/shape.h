// What a constant's type says about how the constant is applied: enough to print applications and
// to tell which of their arguments matter for retrieval.
#pragma once

#include <string>
#include <vector>

#include "retrieve/type_reader.h"

namespace zermelo::retrieve {

/// One character a parameter.
enum Param : char {
  kExplicit = 'e',
  kObject = 'o',  // explicit, and what the constant's namespace is about: `x` of `x.f`
  kImplicit = 'i',
  kInstance = 'c',
  kProof = 'p',  // explicit; of a proposition
  kImplicitProof = 'q',
};

struct Shape {
  std::string params;
  bool proposition = false;  // applied to all its parameters it is a Prop
  bool known = false;
};

/// Shapes by name. A module's constants must be added after those of its imports.
class Shapes {
 public:
  void Add(NameId name, Shape shape);
  /// The shape of a constant of this type.
  Shape Of(const TypeReader& types, NameId name, TypeId type) const;
  /// An unknown constant has no parameters.
  const Shape& Find(NameId name) const;
  /// Whether a type is a proposition, as far as heads of applications tell; `context` are the types
  /// of the variables that it stands under, innermost last.
  bool IsProposition(const TypeReader& types, TypeId type,
                     const std::vector<TypeId>& context) const;

 private:
  std::vector<Shape> shapes_;  // by NameId
};

/// The function of an application, and its arguments in order.
TypeId Spine(const TypeReader& types, TypeId application, std::vector<TypeId>* arguments);

}  // namespace zermelo::retrieve
