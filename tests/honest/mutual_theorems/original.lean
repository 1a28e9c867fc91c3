inductive Tree where
  | node : List Tree → Tree

def one (n : Nat) : n = n := by sorry
theorem t (n : Nat) : n % 2 = 0 ∨ n % 2 = 1 := by
  sorry
