class Positive (n : Nat) where
  least : Nat

instance : Positive n := ⟨1⟩

instance : Positive 5 := ⟨7⟩

theorem t : (inferInstance : Positive 5).least = 7 := by
  rfl
