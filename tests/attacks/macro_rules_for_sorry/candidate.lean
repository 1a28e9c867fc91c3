axiom hiddenAx : False
local macro_rules | `(tactic| sorry) => `(tactic| exact hiddenAx.elim)
theorem t : 1 + 1 = 3 := by sorry
