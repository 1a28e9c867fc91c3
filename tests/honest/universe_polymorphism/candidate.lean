universe u w

theorem help.{x} {α : Sort x} (a : α) : a = a := rfl

theorem t.{v} {α : Type u} {β : Type v} (p : α × β) : p = (p.1, p.2) := by
  cases p
  exact help _

theorem w {α : Sort _} (a : α) : a = a := by
  exact help.{_} a
