class Grp (G : Type) where
  mul : G → G → G
  one : G
  inv : G → G
  assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)
  one_mul : ∀ a, mul one a = a
  inv_mul : ∀ a, mul (inv a) a = one

namespace Grp
variable {G : Type} [Grp G]

theorem mul_left_cancel' (a b c : G) (h : mul a b = mul a c) : b = c := by
  sorry

theorem mul_inv' (a : G) : mul a (inv a) = one := by
  sorry

theorem mul_one' (a : G) : mul a one = a := by
  sorry

theorem inv_inv' (a : G) : inv (inv a) = a := by
  sorry

theorem one_unique (e : G) (h : ∀ a : G, mul e a = a) : e = one := by
  sorry

theorem inv_unique (a b : G) (h : mul b a = one) : b = inv a := by
  sorry

theorem inv_one' : inv (one : G) = one := by
  sorry

theorem abelian_of_square (h : ∀ a : G, mul a a = one) (a b : G) : mul a b = mul b a := by
  sorry
end Grp

structure Mon where
  carrier : Type
  mul : carrier → carrier → carrier
  one : carrier
  assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)
  one_mul : ∀ a, mul one a = a
  mul_one : ∀ a, mul a one = a

theorem left_inverse_eq_right (M : Mon) (a b c : M.carrier) (h : M.mul a b = M.one) (k : M.mul c a = M.one) : b = c := by
  sorry

theorem unit_unique (M : Mon) (e : M.carrier) (h : ∀ a, M.mul e a = a) : e = M.one := by
  sorry

class Lat (L : Type) where
  sup : L → L → L
  inf : L → L → L
  sup_comm : ∀ a b, sup a b = sup b a
  inf_comm : ∀ a b, inf a b = inf b a
  sup_assoc : ∀ a b c, sup (sup a b) c = sup a (sup b c)
  inf_assoc : ∀ a b c, inf (inf a b) c = inf a (inf b c)
  absorb1 : ∀ a b, sup a (inf a b) = a
  absorb2 : ∀ a b, inf a (sup a b) = a

theorem sup_idem {L : Type} [Lat L] (a : L) : Lat.sup a a = a := by
  sorry

theorem sup_eq_iff {L : Type} [Lat L] (a b : L) : Lat.sup a b = b ↔ Lat.inf a b = a := by
  sorry

class Rg (R : Type) where
  add : R → R → R
  mul : R → R → R
  zero : R
  neg : R → R
  add_assoc : ∀ a b c, add (add a b) c = add a (add b c)
  add_comm : ∀ a b, add a b = add b a
  zero_add : ∀ a, add zero a = a
  neg_add : ∀ a, add (neg a) a = zero
  left_distrib : ∀ a b c, mul a (add b c) = add (mul a b) (mul a c)
  right_distrib : ∀ a b c, mul (add a b) c = add (mul a c) (mul b c)

theorem mul_zero' {R : Type} [Rg R] (a : R) : Rg.mul a Rg.zero = Rg.zero := by
  sorry

theorem neg_mul' {R : Type} [Rg R] (a b : R) : Rg.mul (Rg.neg a) b = Rg.neg (Rg.mul a b) := by
  sorry

theorem right_inverse {α : Type} (f : α → α → α) (e : α) (i : α → α)
    (assoc : ∀ a b c, f (f a b) c = f a (f b c))
    (le : ∀ a, f e a = a) (li : ∀ a, f (i a) a = e) (a : α) : f a (i a) = e := by
  sorry

theorem idem_comm {α : Type} (f : α → α → α) (assoc : ∀ a b c, f (f a b) c = f a (f b c))
    (comm : ∀ a b, f a b = f b a) (idem : ∀ a, f a a = a) (a b : α) : f (f a b) a = f a b := by
  sorry

theorem left_zero {α : Type} (f : α → α → α) (z w : α) (hz : ∀ a, f z a = z) (hw : ∀ a, f a w = w) : z = w := by
  sorry

class Act (G : Type) (X : Type) [Grp G] where
  act : G → X → X
  act_one : ∀ x, act Grp.one x = x
  act_mul : ∀ g h x, act (Grp.mul g h) x = act g (act h x)

theorem act_inv {G X : Type} [Grp G] [Act G X] (g : G) (x : X) :
    Act.act (Grp.inv g) (Act.act g x) = x := by
  sorry

theorem act_injective {G X : Type} [Grp G] [Act G X] (g : G) (x y : X)
    (h : Act.act g x = Act.act g y) : x = y := by
  sorry

structure Hom (A B : Type) [Grp A] [Grp B] where
  map : A → B
  map_mul : ∀ a b, map (Grp.mul a b) = Grp.mul (map a) (map b)

theorem hom_one {A B : Type} [Grp A] [Grp B] (f : Hom A B) : f.map Grp.one = Grp.one := by
  sorry

theorem hom_inv {A B : Type} [Grp A] [Grp B] (f : Hom A B) (a : A) :
    f.map (Grp.inv a) = Grp.inv (f.map a) := by
  sorry

class Ord' (α : Type) where
  le : α → α → Prop
  refl : ∀ a, le a a
  trans : ∀ a b c, le a b → le b c → le a c
  antisymm : ∀ a b, le a b → le b a → a = b

theorem le_cycle {α : Type} [Ord' α] (a b c : α) (h : Ord'.le a b) (k : Ord'.le b c) (l : Ord'.le c a) :
    a = c := by
  sorry
