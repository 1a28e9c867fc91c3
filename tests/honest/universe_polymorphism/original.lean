universe u

theorem t.{v} {α : Type u} {β : Type v} (p : α × β) : p = (p.1, p.2) := by
  sorry

theorem w {α : Sort _} (a : α) : a = a := by
  sorry
