import Lean

register_option a.b : Nat := { defValue := (← do IO.FS.writeFile "stolen" "x"; pure 3) }

theorem t (p : Prop) (h : p) : p := by exact h
