import Lean

def c : Lean.Meta.SolveByElim.SolveByElimConfig := { suspend := fun _ => do
    let _ ← (IO.FS.writeFile "/dev/null" "x").toBaseIO
    return false }

theorem t (p : Prop) (h : p) : p := by
  first | solve_by_elim (config := c) | exact h
