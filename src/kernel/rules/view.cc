#include "kernel/rules/view.h"

namespace zermelo::kernel {

// Literals: lean4lean, inferType', rawNatLitExt? and isNatSuccOf? (Nat.zero, Nat.succ), and
// strLitToConstructor (the names around String; older versions of Lean have `String.mk` instead of
// `String.ofList`). Nat.pred: the equations of Nat.sub in lean4lean, Primitive.lean. Eq:
// checkEqType. Quot: addQuot and quotReduceRec. Lean.reduceBool and Lean.reduceNat: reduceNative,
// which refuses them, too. eagerReduce: inferType', application case. The annotations:
// withLocalDecl (inductive_block.h).
KnownNames::KnownNames(Terms& terms)
    : nat(terms.ParseName("Nat")),
      zero(terms.ParseName("Nat.zero")),
      succ(terms.ParseName("Nat.succ")),
      pred(terms.ParseName("Nat.pred")),
      boolean(terms.ParseName("Bool")),
      yes(terms.ParseName("Bool.true")),
      no(terms.ParseName("Bool.false")),
      character(terms.ParseName("Char")),
      string(terms.ParseName("String")),
      list(terms.ParseName("List")),
      nil(terms.ParseName("List.nil")),
      cons(terms.ParseName("List.cons")),
      of_nat(terms.ParseName("Char.ofNat")),
      of_list(terms.ParseName("String.ofList")),
      make(terms.ParseName("String.mk")),
      eq(terms.ParseName("Eq")),
      refl(terms.ParseName("Eq.refl")),
      quot(terms.ParseName("Quot")),
      quot_make(terms.ParseName("Quot.mk")),
      quot_lift(terms.ParseName("Quot.lift")),
      quot_ind(terms.ParseName("Quot.ind")),
      reduce_bool(terms.ParseName("Lean.reduceBool")),
      reduce_nat(terms.ParseName("Lean.reduceNat")),
      eager_reduce(terms.ParseName("eagerReduce")),
      opt_param(terms.ParseName("optParam")),
      auto_param(terms.ParseName("autoParam")),
      out_param(terms.ParseName("outParam")),
      semi_out_param(terms.ParseName("semiOutParam")),
      le(terms.ParseName("Nat.le")),
      le_refl(terms.ParseName("Nat.le.refl")),
      le_step(terms.ParseName("Nat.le.step")) {
  constexpr const char* kOperations[kNatOperations] = {
      "Nat.add", "Nat.sub", "Nat.mul",  "Nat.pow", "Nat.beq", "Nat.ble",       "Nat.div",
      "Nat.mod", "Nat.gcd", "Nat.land", "Nat.lor", "Nat.xor", "Nat.shiftLeft", "Nat.shiftRight"};
  constexpr const char* kTheorems[kNatTheorems] = {
      "Nat.div_add_mod",     "Nat.mod_lt",   "Nat.div_zero", "Nat.mod_zero", "Nat.gcd_zero_left",
      "Nat.gcd_rec",         "Nat.zero_and", "Nat.and_zero", "Nat.and_self", "Nat.and_div_two",
      "Nat.and_mod_two_pow", "Nat.zero_or",  "Nat.or_zero",  "Nat.or_self",  "Nat.or_div_two",
      "Nat.or_mod_two_pow",  "Nat.zero_xor", "Nat.xor_zero", "Nat.xor_self", "Nat.xor_div_two",
      "Nat.xor_mod_two_pow"};
  for (size_t i = 0; i < kNatOperations; ++i) nat_operations[i] = terms.ParseName(kOperations[i]);
  for (size_t i = 0; i < kNatTheorems; ++i) nat_theorems[i] = terms.ParseName(kTheorems[i]);
}

// Whoever declares the other name must not change what literals mean to those who knew one only.
// Source: lean4#11016 and #11048, which replaced the constructor `String.mk` by a function.
NameId KnownNames::MakerOfStrings(const Environment& environment) const {
  const Declaration* constructor = environment.Find(make);
  if (constructor != nullptr && constructor->As<Constructor>() != nullptr) return make;
  const uint32_t of_lists = environment.IndexOf(of_list), makes = environment.IndexOf(make);
  if (of_lists == Environment::kAbsent)
    return makes == Environment::kAbsent ? NameId::kAnonymous : make;
  const bool only_make_is_trusted = makes != Environment::kAbsent &&
                                    environment.OriginOf(makes) == Origin::kTrusted &&
                                    environment.OriginOf(of_lists) != Origin::kTrusted;
  return only_make_is_trusted ? make : of_list;
}

}  // namespace zermelo::kernel
