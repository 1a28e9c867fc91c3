def collatz (fuel n : Nat) : Nat :=
  if fuel = 0 then n else if n % 2 = 0 then collatz (fuel - 1) (n / 2) else collatz (fuel - 1) (3 * n + 1)
termination_by fuel
decreasing_by all_goals omega

def log2 (n : Nat) : Nat :=
  if h : n < 2 then 0 else log2 (n / 2) + 1

theorem t : log2 1 = 0 := by
  rw [log2]; simp

theorem u (n : Nat) : collatz 0 n = n := by
  unfold collatz
  rfl
