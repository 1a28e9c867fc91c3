axiom _x : Nat
axiom _y : Nat
axiom _different : _x ≠ _y

theorem same : _x = _y := by
  sorry
