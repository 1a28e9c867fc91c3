def gcd (a b : Nat) : Nat :=
  if h : b = 0 then a else gcd b (a % b)
termination_by b
decreasing_by sorry

def halve (n : Nat) : Nat := if n = 0 then 0 else halve (n / 2) + 1
decreasing_by
  sorry

theorem t (a : Nat) : gcd a 0 = a := by
  sorry
