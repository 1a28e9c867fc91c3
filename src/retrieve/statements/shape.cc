#include "retrieve/statements/shape.h"

#include <algorithm>

namespace zermelo::retrieve {

namespace {

constexpr size_t kMaxParams = 200;
constexpr int kMaxSteps = 64;

}  // namespace

void Shapes::Add(NameId name, Shape shape) {
  const size_t at = kernel::Index(name);
  if (shapes_.size() <= at) shapes_.resize(std::max(at + 1, shapes_.size() * 2));
  shapes_[at] = std::move(shape);
}

const Shape& Shapes::Find(NameId name) const {
  static const Shape kUnknown;
  const size_t at = kernel::Index(name);
  return at < shapes_.size() ? shapes_[at] : kUnknown;
}

TypeId Spine(const TypeReader& types, TypeId application, std::vector<TypeId>* arguments) {
  while (types[application].kind == TypeKind::kApp) {
    arguments->push_back(types[application].b);
    application = types[application].a;
  }
  std::reverse(arguments->begin(), arguments->end());
  return application;
}

bool Shapes::IsProposition(const TypeReader& types, TypeId type,
                           const std::vector<TypeId>& context) const {
  // `inside` counts the binders of `type` itself; only outer variables are looked up in `context`.
  size_t inside = 0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const TypeNode& node = types[type];
    switch (node.kind) {
      case TypeKind::kForall:
        ++inside;
        type = node.b;
        continue;
      case TypeKind::kApp:
        type = node.a;
        continue;
      case TypeKind::kConst:
        return Find(node.name).proposition;
      case TypeKind::kBound: {
        if (node.a < inside || node.a - inside >= context.size()) return false;
        // A variable whose own type ends in Prop.
        TypeId of = context[context.size() - 1 - (node.a - inside)];
        while (types[of].kind == TypeKind::kForall) of = types[of].b;
        return types[of].kind == TypeKind::kSort &&
               types.level(types[of].a).kind == kernel::LevelKind::kZero;
      }
      default:
        return false;
    }
  }
  return false;
}

Shape Shapes::Of(const TypeReader& types, NameId name, TypeId type) const {
  Shape shape;
  shape.known = true;
  const NameId space = types.terms()[name].prefix;
  std::vector<TypeId> context;
  bool has_object = false;
  while (types[type].kind == TypeKind::kForall && shape.params.size() < kMaxParams) {
    const TypeNode& node = types[type];
    const bool proof = IsProposition(types, node.a, context);
    char param = proof ? kProof : kExplicit;
    if (node.info == BinderInfo::kInstance) {
      param = kInstance;
    } else if (node.info != BinderInfo::kExplicit) {
      param = proof ? kImplicitProof : kImplicit;
    } else if (!has_object && space != NameId::kAnonymous) {
      std::vector<TypeId> ignored;
      const TypeNode& head = types[Spine(types, node.a, &ignored)];
      if (head.kind == TypeKind::kConst && head.name == space && !proof) {
        param = kObject;
        has_object = true;
      }
    }
    shape.params += param;
    context.push_back(node.a);
    type = node.b;
  }
  shape.proposition = types[type].kind == TypeKind::kSort &&
                      types.level(types[type].a).kind == kernel::LevelKind::kZero;
  return shape;
}

}  // namespace zermelo::retrieve
