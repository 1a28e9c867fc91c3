prelude
import Init.Core

theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  exact And.intro hp hq
