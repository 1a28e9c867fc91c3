def sum : List Nat → Nat
  | [] => 0
  | x :: xs => x + sum xs

theorem t (xs ys : List Nat) : sum (xs ++ ys) = sum xs + sum ys := by
  induction xs with
  | nil => simp [sum]
  | cons x xs ih =>
    simp only [List.cons_append, sum]
    rw [ih, Nat.add_assoc]
