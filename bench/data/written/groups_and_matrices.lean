/-! Groups, maps and matrices of one's own. -/
class Gp (G : Type) where
  op : G → G → G
  one : G
  inv : G → G
  assoc : ∀ a b c, op (op a b) c = op a (op b c)
  one_op : ∀ a, op one a = a
  inv_op : ∀ a, op (inv a) a = one

namespace Gp
variable {G H : Type} [Gp G] [Gp H]

theorem op_left_cancel (a b c : G) (h : op a b = op a c) : b = c := by sorry
theorem op_inv (a : G) : op a (inv a) = one := by sorry
theorem op_one (a : G) : op a one = a := by sorry
theorem inv_inv (a : G) : inv (inv a) = a := by sorry
theorem inv_one : inv (one : G) = one := by sorry
theorem inv_unique (a b : G) (h : op a b = one) : b = inv a := by sorry
theorem one_unique (e : G) (h : ∀ a : G, op e a = a) : e = one := by sorry
theorem inv_of_op (a b : G) : inv (op a b) = op (inv b) (inv a) := by sorry
theorem comm_of_square (h : ∀ a : G, op a a = one) (a b : G) : op a b = op b a := by sorry
theorem idem (a : G) (h : op a a = a) : a = one := by sorry

structure Hom (G H : Type) [Gp G] [Gp H] where
  f : G → H
  map_op : ∀ a b, f (op a b) = op (f a) (f b)

theorem hom_one (φ : Hom G H) : φ.f one = one := by sorry
theorem hom_inv (φ : Hom G H) (a : G) : φ.f (inv a) = inv (φ.f a) := by sorry
theorem hom_injective (φ : Hom G H) (h : ∀ a, φ.f a = one → a = one) (a b : G) (e : φ.f a = φ.f b) : a = b := by sorry

def npow (a : G) : Nat → G
  | 0 => one
  | n + 1 => op (npow a n) a

theorem npow_one (a : G) : npow a 1 = a := by sorry
theorem npow_add (a : G) (m n : Nat) : npow a (m + n) = op (npow a m) (npow a n) := by sorry
theorem npow_mul (a : G) (m n : Nat) : npow a (m * n) = npow (npow a m) n := by sorry
theorem one_npow (n : Nat) : npow (one : G) n = one := by sorry
end Gp

structure M2 where
  a : Int
  b : Int
  c : Int
  d : Int

namespace M2
def mul (x y : M2) : M2 := ⟨x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d⟩
def one : M2 := ⟨1, 0, 0, 1⟩
def det (x : M2) : Int := x.a * x.d - x.b * x.c
def tr (x : M2) : Int := x.a + x.d
def transpose (x : M2) : M2 := ⟨x.a, x.c, x.b, x.d⟩
def adj (x : M2) : M2 := ⟨x.d, -x.b, -x.c, x.a⟩
def pow (x : M2) : Nat → M2
  | 0 => one
  | n + 1 => mul (pow x n) x

theorem mul_assoc (x y z : M2) : mul (mul x y) z = mul x (mul y z) := by sorry
theorem one_mul (x : M2) : mul one x = x := by sorry
theorem det_mul (x y : M2) : det (mul x y) = det x * det y := by sorry
theorem tr_mul_comm (x y : M2) : tr (mul x y) = tr (mul y x) := by sorry
theorem transpose_mul (x y : M2) : transpose (mul x y) = mul (transpose y) (transpose x) := by sorry
theorem mul_adj (x : M2) : mul x (adj x) = ⟨det x, 0, 0, det x⟩ := by sorry
theorem det_pow (x : M2) (n : Nat) : det (pow x n) = det x ^ n := by sorry
theorem pow_add (x : M2) (m n : Nat) : pow x (m + n) = mul (pow x m) (pow x n) := by sorry
theorem pow_shear (n : Nat) : pow ⟨1, 1, 0, 1⟩ n = ⟨1, n, 0, 1⟩ := by sorry
theorem cayley (x : M2) : mul x x = ⟨tr x * x.a - det x, tr x * x.b, tr x * x.c, tr x * x.d - det x⟩ := by sorry
end M2
