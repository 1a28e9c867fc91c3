def half (n : Nat) (h : n % 2 = 0) : { m : Nat // m * 2 = n } :=
  ⟨n / 2, sorry⟩

def first (xs : List Nat) (h : xs ≠ []) : Nat := xs.head sorry

theorem t (n : Nat) (h : n % 2 = 0) : (half n h).val = n / 2 := by
  sorry
