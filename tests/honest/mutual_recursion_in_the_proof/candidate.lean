inductive Even : Nat → Prop
  | zero : Even 0
  | step : Even n → Even (n + 2)

mutual
def evens : Nat → List Nat
  | 0 => []
  | n + 1 => n :: odds n
def odds : Nat → List Nat
  | 0 => []
  | n + 1 => evens n
end

mutual
theorem evens_short (n : Nat) : (evens n).length ≤ n := by
  cases n with
  | zero => simp [evens]
  | succ n => simp only [evens, List.length_cons]; have := odds_short n; omega
theorem odds_short (n : Nat) : (odds n).length ≤ n := by
  cases n with
  | zero => simp [odds]
  | succ n => simp only [odds]; have := evens_short n; omega
end

theorem t : True := by
  have := evens_short 3
  trivial
