local macro "answer" : term => `(42)
notation "‖" x "‖" => Nat.succ x
macro "declare_helper" n:ident : command => `(theorem $n : True ∧ True := by
  have h : True := trivial
  exact ⟨h, h⟩)
declare_helper helper

theorem t : ‖41‖ = answer := by
  sorry
