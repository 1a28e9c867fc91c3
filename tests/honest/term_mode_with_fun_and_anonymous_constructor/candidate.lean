theorem t : ∃ f : Nat → Nat → Nat, ∀ a b, f a b = f b a :=
  ⟨(· + ·), fun a b ↦ by
    dsimp only
    ac_rfl⟩
