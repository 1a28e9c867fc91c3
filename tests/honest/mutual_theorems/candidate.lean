inductive Tree where
  | node : List Tree → Tree

def one (n : Nat) : n = n := by rfl

mutual
theorem even_case (n : Nat) (h : n % 2 = 0) : n % 2 = 0 ∨ n % 2 = 1 := Or.inl h
theorem odd_case (n : Nat) (h : n % 2 = 1) : n % 2 = 0 ∨ n % 2 = 1 := Or.inr h
end

theorem t (n : Nat) : n % 2 = 0 ∨ n % 2 = 1 := by
  rcases Nat.mod_two_eq_zero_or_one n with h | h
  · exact even_case n h
  · exact odd_case n h
