import Init

-- DO NOT MODIFY the theorem statement below.
theorem fake : ∃ n : Nat, n + 1 = n := by
  sorry
