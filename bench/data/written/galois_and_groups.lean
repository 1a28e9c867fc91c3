/-! Order and algebra: partial orders with Galois connections, least fixed points, rewriting
relations, groups, monoid actions, Boolean algebras, 2×2 matrices, polynomials as coefficient
lists, integers as pairs of naturals, and weighted graph paths. -/

namespace AlgebraOrder

class Order (α : Type) where
  le : α → α → Prop
  refl : ∀ a, le a a
  trans : ∀ {a b c}, le a b → le b c → le a c
  antisymm : ∀ {a b}, le a b → le b a → a = b

def Galois {α β : Type} [Order α] [Order β] (f : α → β) (g : β → α) : Prop :=
  ∀ a b, Order.le (f a) b ↔ Order.le a (g b)

def Monotone {α : Type} (F : (α → Prop) → α → Prop) : Prop :=
  ∀ P Q : α → Prop, (∀ x, P x → Q x) → ∀ x, F P x → F Q x

def lfp {α : Type} (F : (α → Prop) → α → Prop) : α → Prop :=
  fun x => ∀ P : α → Prop, (∀ y, F P y → P y) → P x

inductive Reach {α : Type} (r : α → α → Prop) : α → α → Prop where
  | refl (a) : Reach r a a
  | step {a b c} : r a b → Reach r b c → Reach r a c

def Diamond {α : Type} (r : α → α → Prop) : Prop :=
  ∀ a b c, r a b → r a c → ∃ d, r b d ∧ r c d

/-- groups, from the one-sided axioms -/
class Grp (G : Type) where
  op : G → G → G
  e : G
  inv : G → G
  assoc : ∀ a b c, op (op a b) c = op a (op b c)
  e_left : ∀ a, op e a = a
  inv_left : ∀ a, op (inv a) a = e

class Action (M X : Type) where
  mul : M → M → M
  one : M
  act : M → X → X
  act_one : ∀ x, act one x = x
  act_mul : ∀ m n x, act (mul m n) x = act m (act n x)

def Action.pow {M : Type} (X : Type) [Action M X] (m : M) : Nat → M
  | 0 => Action.one X
  | n + 1 => Action.mul X m (Action.pow X m n)

class BoolAlg (B : Type) where
  meet : B → B → B
  join : B → B → B
  compl : B → B
  top : B
  bot : B
  meet_comm : ∀ a b, meet a b = meet b a
  join_comm : ∀ a b, join a b = join b a
  meet_join : ∀ a b c, meet a (join b c) = join (meet a b) (meet a c)
  join_meet : ∀ a b c, join a (meet b c) = meet (join a b) (join a c)
  meet_top : ∀ a, meet a top = a
  join_bot : ∀ a, join a bot = a
  meet_compl : ∀ a, meet a (compl a) = bot
  join_compl : ∀ a, join a (compl a) = top

structure Mat where
  a : Int
  b : Int
  c : Int
  d : Int

def Mat.mul (m n : Mat) : Mat :=
  ⟨m.a * n.a + m.b * n.c, m.a * n.b + m.b * n.d, m.c * n.a + m.d * n.c, m.c * n.b + m.d * n.d⟩

def Mat.det (m : Mat) : Int := m.a * m.d - m.b * m.c

def Mat.pow (m : Mat) : Nat → Mat
  | 0 => ⟨1, 0, 0, 1⟩
  | n + 1 => (m.pow n).mul m

def peval : List Int → Int → Int
  | [], _ => 0
  | a :: p, x => a + x * peval p x

def padd : List Int → List Int → List Int
  | [], q => q
  | p, [] => p
  | a :: p, b :: q => (a + b) :: padd p q

def pmul : List Int → List Int → List Int
  | [], _ => []
  | a :: p, q => padd (q.map (a * ·)) (0 :: pmul p q)

/-- the pair (a, b) stands for the integer a - b -/
def Same (p q : Nat × Nat) : Prop := p.1 + q.2 = q.1 + p.2

def pairMul (p q : Nat × Nat) : Nat × Nat :=
  (p.1 * q.1 + p.2 * q.2, p.1 * q.2 + p.2 * q.1)

inductive Path {V : Type} (w : V → V → Option Nat) : V → V → Nat → Prop where
  | here (u) : Path w u u 0
  | edge {u v x n k} : w u v = some k → Path w v x n → Path w u x (k + n)

theorem galois_unit {α β : Type} [Order α] [Order β] {f : α → β} {g : β → α}
    (h : Galois f g) (a : α) : Order.le a (g (f a)) := by
  sorry

theorem galois_mono {α β : Type} [Order α] [Order β] {f : α → β} {g : β → α}
    (h : Galois f g) {a a' : α} (haa : Order.le a a') : Order.le (f a) (f a') := by
  sorry

theorem galois_fgf {α β : Type} [Order α] [Order β] {f : α → β} {g : β → α}
    (h : Galois f g) (a : α) : f (g (f a)) = f a := by
  sorry

theorem lfp_fixed {α : Type} {F : (α → Prop) → α → Prop} (hF : Monotone F) (x : α) :
    F (lfp F) x ↔ lfp F x := by
  sorry

theorem lfp_reach {α : Type} (r : α → α → Prop) (b x : α) :
    lfp (fun P y => y = b ∨ ∃ z, r y z ∧ P z) x ↔ Reach r x b := by
  sorry

theorem reach_reach {α : Type} (r : α → α → Prop) (a b : α) :
    Reach (Reach r) a b ↔ Reach r a b := by
  sorry

theorem diamond_reach {α : Type} {r : α → α → Prop} (h : Diamond r) : Diamond (Reach r) := by
  sorry

theorem normal_form_unique {α : Type} {r : α → α → Prop} (h : Diamond r) {a b c : α}
    (hab : Reach r a b) (hac : Reach r a c) (hb : ∀ x, ¬ r b x) (hc : ∀ x, ¬ r c x) :
    b = c := by
  sorry

namespace Grp

theorem inv_right {G : Type} [Grp G] (a : G) : op a (inv a) = e := by
  sorry

theorem e_right {G : Type} [Grp G] (a : G) : op a e = a := by
  sorry

theorem comm_of_involutive {G : Type} [Grp G] (h : ∀ a : G, op a a = e) (a b : G) :
    op a b = op b a := by
  sorry

end Grp

theorem act_pow_fixed {M X : Type} [Action M X] (m : M) (x : X) (h : Action.act m x = x)
    (n : Nat) : Action.act (Action.pow X m n) x = x := by
  sorry

namespace BoolAlg

theorem join_idem {B : Type} [BoolAlg B] (a : B) : join a a = a := by
  sorry

theorem absorb {B : Type} [BoolAlg B] (a b : B) : join a (meet a b) = a := by
  sorry

end BoolAlg

theorem det_pow (m : Mat) (n : Nat) : (m.pow n).det = m.det ^ n := by
  sorry

theorem peval_pmul (p q : List Int) (x : Int) : peval (pmul p q) x = peval p x * peval q x := by
  sorry

theorem pairMul_congr {p p' q q' : Nat × Nat} (hp : Same p p') (hq : Same q q') :
    Same (pairMul p q) (pairMul p' q') := by
  sorry

theorem path_potential {V : Type} {w : V → V → Option Nat} (d : V → Nat)
    (h : ∀ u v k, w u v = some k → d v ≤ d u + k) {u v : V} {n : Nat} (p : Path w u v n) :
    d v ≤ d u + n := by
  sorry

end AlgebraOrder
