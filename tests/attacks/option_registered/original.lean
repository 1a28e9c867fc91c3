import Lean

theorem t (p : Prop) (h : p) : p := by sorry
