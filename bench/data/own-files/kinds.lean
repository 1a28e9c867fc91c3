-- Enumerations, structures, options, classes of one's own.
inductive Light | red | green | yellow

namespace Light
def next : Light → Light
  | red => green
  | green => yellow
  | yellow => red

def prev : Light → Light
  | red => yellow
  | green => red
  | yellow => green

theorem prev_next (l : Light) : l.next.prev = l := by
  sorry

theorem next_three (l : Light) : l.next.next.next = l := by
  sorry

theorem next_injective (k l : Light) (h : k.next = l.next) : k = l := by
  sorry

theorem next_surjective : ∀ l : Light, ∃ k : Light, k.next = l := by
  sorry
end Light

structure Point where
  x : Int
  y : Int

namespace Point
def swap (p : Point) : Point := ⟨p.y, p.x⟩
def plus (p q : Point) : Point := ⟨p.x + q.x, p.y + q.y⟩

theorem swap_swap (p : Point) : p.swap.swap = p := by
  sorry

theorem plus_comm (p q : Point) : p.plus q = q.plus p := by
  sorry

theorem swap_plus (p q : Point) : (p.plus q).swap = p.swap.plus q.swap := by
  sorry

theorem eq_of_swap_eq {p q : Point} (h : p.swap = q.swap) : p = q := by
  sorry
end Point

class Group' (G : Type) where
  mul : G → G → G
  one : G
  inv : G → G
  assoc : ∀ a b c : G, mul (mul a b) c = mul a (mul b c)
  one_mul : ∀ a : G, mul one a = a
  inv_mul : ∀ a : G, mul (inv a) a = one

namespace Group'
variable {G : Type} [Group' G]

theorem left_cancel (a b c : G) (h : mul a b = mul a c) : b = c := by
  sorry

theorem mul_inv (a : G) : mul a (inv a) = one := by
  sorry

theorem mul_one (a : G) : mul a one = a := by
  sorry
end Group'

def andThen (o : Option α) (f : α → Option β) : Option β :=
  match o with
  | none => none
  | some a => f a

theorem andThen_some (o : Option α) : andThen o some = o := by
  sorry

theorem andThen_assoc (o : Option α) (f : α → Option β) (g : β → Option γ) :
    andThen (andThen o f) g = andThen o (fun a => andThen (f a) g) := by
  sorry
