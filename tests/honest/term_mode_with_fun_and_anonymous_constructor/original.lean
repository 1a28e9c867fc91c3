theorem t : ∃ f : Nat → Nat → Nat, ∀ a b, f a b = f b a := by
  sorry
