import Lean

theorem t (p : Prop) (h : p) : p := by
  first
  | solve_by_elim (suspend := fun _ => do
      let _ ← (IO.FS.writeFile "/dev/null" "x").toBaseIO
      return false)
  | exact h
