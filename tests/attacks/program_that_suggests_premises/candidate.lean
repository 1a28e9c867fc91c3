import Lean

set_library_suggestions fun _ _ => return #[]

theorem t : 1 + 1 = 3 := by
  exact absurd rfl (by decide)
