structure Wrapped where
  value : Nat

instance : Coe Wrapped Nat := ⟨Wrapped.value⟩

theorem t (w : Wrapped) : (w : Nat) = 0 := by
  sorry
