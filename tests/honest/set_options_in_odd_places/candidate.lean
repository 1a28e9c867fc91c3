set_option autoImplicit false
set_option linter.unusedVariables false in
/-- An option before a docstring. -/
theorem t (f : Nat → Nat) (h : ∀ n, f n = n + 1) : f (f 0) = 2 := by
  set_option maxRecDepth 2000 in
  simp (config := { contextual := true }) (maxSteps := 5000) only [h]
