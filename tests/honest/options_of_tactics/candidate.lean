def settings : Lean.Meta.Simp.Config := { maxSteps := 1000, decide := true }

theorem t (a b : Nat) (h : a = b) : b = a := by
  let oracle := a
  simp (config := settings) [h]

theorem u (n : Nat) (h : 0 < n) : n / n + 0 = 1 := by
  simp (config := { maxSteps := 5000 }) (disch := first | assumption | (intros; omega)) [Nat.div_self]
