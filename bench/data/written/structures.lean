structure Cx where
  re : Int
  im : Int

namespace Cx
def mul (z w : Cx) : Cx := ⟨z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re⟩
def add (z w : Cx) : Cx := ⟨z.re + w.re, z.im + w.im⟩
def conj (z : Cx) : Cx := ⟨z.re, -z.im⟩
def norm (z : Cx) : Int := z.re * z.re + z.im * z.im

theorem mul_comm' (z w : Cx) : mul z w = mul w z := by
  sorry

theorem mul_assoc' (z w v : Cx) : mul (mul z w) v = mul z (mul w v) := by
  sorry

theorem norm_mul (z w : Cx) : norm (mul z w) = norm z * norm w := by
  sorry

theorem conj_mul (z w : Cx) : conj (mul z w) = mul (conj z) (conj w) := by
  sorry

theorem norm_nonneg (z : Cx) : 0 ≤ norm z := by
  sorry

theorem norm_eq_zero (z : Cx) (h : norm z = 0) : z = ⟨0, 0⟩ := by
  sorry
end Cx

structure M2 where
  a : Int
  b : Int
  c : Int
  d : Int

def M2.mul (x y : M2) : M2 := ⟨x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d⟩
def M2.det (x : M2) : Int := x.a * x.d - x.b * x.c
def M2.one : M2 := ⟨1, 0, 0, 1⟩
def M2.pow (x : M2) : Nat → M2 | 0 => M2.one | n + 1 => M2.mul (x.pow n) x

theorem M2.det_mul (x y : M2) : (M2.mul x y).det = x.det * y.det := by
  sorry

theorem M2.det_pow (x : M2) (n : Nat) : (x.pow n).det = x.det ^ n := by
  sorry

theorem M2.mul_one (x : M2) : M2.mul x M2.one = x := by
  sorry

def insert' (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: insert' x ys

def isort : List Nat → List Nat
  | [] => []
  | x :: xs => insert' x (isort xs)

def Sorted' : List Nat → Prop
  | [] => True
  | [_] => True
  | x :: y :: ys => x ≤ y ∧ Sorted' (y :: ys)

theorem insert'_length (x : Nat) (ys : List Nat) : (insert' x ys).length = ys.length + 1 := by
  sorry

theorem insert'_sum (x : Nat) (ys : List Nat) : (insert' x ys).sum = x + ys.sum := by
  sorry

theorem mem_insert' (x y : Nat) (ys : List Nat) : y ∈ insert' x ys ↔ y = x ∨ y ∈ ys := by
  sorry

theorem insert'_sorted (x : Nat) (ys : List Nat) (h : Sorted' ys) : Sorted' (insert' x ys) := by
  sorry

theorem isort_sorted (xs : List Nat) : Sorted' (isort xs) := by
  sorry

def evalPoly (x : Int) : List Int → Int
  | [] => 0
  | a :: p => a + x * evalPoly x p

def addPoly : List Int → List Int → List Int
  | [], q => q
  | p, [] => p
  | a :: p, b :: q => (a + b) :: addPoly p q

def scalePoly (c : Int) (p : List Int) : List Int := p.map (c * ·)

theorem eval_add (x : Int) (p q : List Int) : evalPoly x (addPoly p q) = evalPoly x p + evalPoly x q := by
  sorry

theorem eval_scale (x c : Int) (p : List Int) : evalPoly x (scalePoly c p) = c * evalPoly x p := by
  sorry

def iter {α : Type} (f : α → α) : Nat → α → α
  | 0, x => x
  | n + 1, x => iter f n (f x)

theorem iter_add {α : Type} (f : α → α) (m n : Nat) (x : α) : iter f (m + n) x = iter f n (iter f m x) := by
  sorry

theorem iter_comm {α : Type} (f : α → α) (n : Nat) (x : α) : iter f n (f x) = f (iter f n x) := by
  sorry

theorem injective_of_left_inverse {α β : Type} (f : α → β) (g : β → α) (h : ∀ x, g (f x) = x) :
    ∀ x y, f x = f y → x = y := by
  sorry

theorem cantor {α : Type} (f : α → α → Prop) : ∃ p : α → Prop, ∀ x, f x ≠ p := by
  sorry

theorem galois {α β : Type} (le : α → α → Prop) (le' : β → β → Prop) (l : α → β) (u : β → α)
    (refl : ∀ a, le a a) (refl' : ∀ b, le' b b) (trans : ∀ a b c, le a b → le b c → le a c)
    (gc : ∀ a b, le' (l a) b ↔ le a (u b)) (a : α) : le a (u (l a)) := by
  sorry

theorem galois_mono {α β : Type} (le : α → α → Prop) (le' : β → β → Prop) (l : α → β) (u : β → α)
    (refl' : ∀ b, le' b b) (trans : ∀ a b c, le a b → le b c → le a c)
    (gc : ∀ a b, le' (l a) b ↔ le a (u b)) (a b : α) (h : le a b) : le' (l a) (l b) := by
  sorry

theorem kernel_equiv {α β : Type} (f : α → β) : Equivalence (fun x y => f x = f y) := by
  sorry

theorem gcd_self_add (a b : Nat) : Nat.gcd a (a + b) = Nat.gcd a b := by
  sorry

theorem dvd_gcd_of_dvd (a b d : Nat) (h : d ∣ a) (k : d ∣ b) : d ∣ Nat.gcd a b := by
  sorry
