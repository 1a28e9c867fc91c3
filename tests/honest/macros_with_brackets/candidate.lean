macro "both(" x:term ", " y:term ")" : term => `(And.intro $x $y)
syntax "finish" (" with " term)? : tactic
macro_rules
  | `(tactic| finish) => `(tactic| (first | assumption | trivial))
  | `(tactic| finish with $h:term) => `(tactic| (exact $h))

theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  have h := both(hp, hq)
  finish with h
