import Lean

register_option a.b : Nat := { defValue := (← do IO.FS.writeFile "/dev/null" "x"; pure 3) }

theorem t (p : Prop) (h : p) : p := by exact h
