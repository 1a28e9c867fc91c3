local macro "both" : tactic => `(tactic| (constructor))
syntax "close_with " term (" or " term)? : tactic
macro_rules
  | `(tactic| close_with $h) => `(tactic| exact $h)
  | `(tactic| close_with $h or $h') => `(tactic| first | exact $h | exact $h')

theorem t (p q r : Prop) (hp : p) (hq : q) (hr : r) : p ∧ q ∧ r := by
  both
  · close_with hr or hp
  · both
    · close_with hp or hq
    · close_with hr
