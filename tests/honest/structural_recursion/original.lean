def sum : List Nat → Nat
  | [] => 0
  | x :: xs => x + sum xs

theorem t (xs ys : List Nat) : sum (xs ++ ys) = sum xs + sum ys := by
  sorry
