class MyGroup (G : Type) extends Mul G, One G, Inv G where
  mul_assoc : ∀ a b c : G, a * b * c = a * (b * c)
  one_mul : ∀ a : G, 1 * a = a
  inv_mul : ∀ a : G, a⁻¹ * a = 1

namespace MyGroup
variable {G : Type} [MyGroup G]

theorem mul_left_cancel {a b c : G} (h : a * b = a * c) : b = c := by
  sorry

theorem mul_inv (a : G) : a * a⁻¹ = 1 := by
  sorry

theorem mul_one (a : G) : a * 1 = a := by
  sorry

theorem inv_inv (a : G) : a⁻¹⁻¹ = a := by
  sorry

theorem mul_inv_rev (a b : G) : (a * b)⁻¹ = b⁻¹ * a⁻¹ := by
  sorry

theorem comm_of_square (h : ∀ a : G, a * a = 1) (a b : G) : a * b = b * a := by
  sorry
end MyGroup

class MyRing (R : Type) extends Add R, Mul R, Neg R, Zero R where
  add_assoc : ∀ a b c : R, a + b + c = a + (b + c)
  add_comm : ∀ a b : R, a + b = b + a
  zero_add : ∀ a : R, 0 + a = a
  neg_add : ∀ a : R, -a + a = 0
  left_distrib : ∀ a b c : R, a * (b + c) = a * b + a * c
  right_distrib : ∀ a b c : R, (a + b) * c = a * c + b * c

theorem my_mul_zero {R : Type} [MyRing R] (a : R) : a * 0 = 0 := by
  sorry

theorem my_zero_mul {R : Type} [MyRing R] (a : R) : 0 * a = 0 := by
  sorry

theorem my_neg_neg {R : Type} [MyRing R] (a : R) : - -a = a := by
  sorry

theorem my_neg_mul {R : Type} [MyRing R] (a b : R) : -a * b = -(a * b) := by
  sorry


class Poset (P : Type) extends LE P where
  refl : ∀ a : P, a ≤ a
  trans : ∀ a b c : P, a ≤ b → b ≤ c → a ≤ c
  antisymm : ∀ a b : P, a ≤ b → b ≤ a → a = b

def IsLub {P : Type} [Poset P] (s : P → Prop) (x : P) : Prop :=
  (∀ y, s y → y ≤ x) ∧ ∀ z, (∀ y, s y → y ≤ z) → x ≤ z

theorem lub_unique {P : Type} [Poset P] (s : P → Prop) (x y : P) (hx : IsLub s x) (hy : IsLub s y) : x = y := by
  sorry
