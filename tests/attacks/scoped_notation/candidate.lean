namespace Evil
scoped notation (priority := high) a " ∣ " b => a ≤ b
end Evil
open Evil

theorem t : (2 : Nat) ∣ 3 := by
  decide
