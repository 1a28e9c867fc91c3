theorem t (a b c : Nat) (h : a < b) (h' : b < c) : a + 1 < c := by
  have key : a + 1 ≤ b := by
    have inner : a + 1 ≤ b := by
      have : a < b := h
      exact this
    exact inner
  obtain ⟨d, rfl⟩ : ∃ d, c = b + d := by
    exact ⟨c - b, by omega⟩
  suffices a + 1 < b + d from this
  exact Nat.lt_of_le_of_lt key (by omega)
