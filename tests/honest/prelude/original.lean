prelude
import Init.Core

theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  sorry
