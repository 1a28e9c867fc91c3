// The kinds of a constant's parameters, read from its type: enough to print applications and to
// decide which arguments matter for retrieval.
#pragma once

#include <string>
#include <vector>

#include "retrieve/statements/type_reader.h"

namespace zermelo::retrieve {

/// One character per parameter.
enum Param : char {
  kExplicit = 'e',
  kObject = 'o',  // explicit, the first one whose type is the constant's namespace: `x` of `x.f`
  kImplicit = 'i',
  kInstance = 'c',
  kProof = 'p',  // explicit; a proof of a proposition
  kImplicitProof = 'q',
};

struct Shape {
  std::string params;        // one Param per parameter
  bool proposition = false;  // a Prop when applied to all its parameters
  bool known = false;
};

/// Shapes by constant. A module's constants must be added after those of its imports.
class Shapes {
 public:
  void Add(NameId name, Shape shape);
  /// Computes the shape of a constant with this type.
  Shape Of(const TypeReader& types, NameId name, TypeId type) const;
  /// The shape of a constant; without parameters if unknown.
  const Shape& Find(NameId name) const;
  /// Whether a type is a proposition, judged by the heads of applications only. `context` has the
  /// types of the enclosing bound variables, innermost last.
  bool IsProposition(const TypeReader& types, TypeId type,
                     const std::vector<TypeId>& context) const;

 private:
  std::vector<Shape> shapes_;  // by NameId
};

/// Returns the head function of an application and appends its arguments in order to `arguments`,
/// which must be empty.
TypeId Spine(const TypeReader& types, TypeId application, std::vector<TypeId>* arguments);

}  // namespace zermelo::retrieve
