inductive Colour where
  | red | green | blue
  deriving DecidableEq, Inhabited

structure Pair (α : Type) where
  first : α
  second : α
  deriving DecidableEq, BEq

deriving instance Inhabited for Pair

theorem t (a b : Colour) : a = b ∨ a ≠ b := by
  sorry

theorem u : (Pair.mk 1 2) ≠ Pair.mk 2 1 := by
  sorry
