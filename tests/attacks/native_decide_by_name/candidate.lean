def claim : Bool := decide (10 < 20)
theorem t : 10 < 20 := of_decide_eq_true (Lean.ofReduceBool claim true rfl)
