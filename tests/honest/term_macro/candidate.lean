macro "pred! " n:term : term => `(Nat.pred $n)
macro "finish" : tactic =>
  `(tactic| omega)

theorem t (n : Nat) (h : 0 < n) : ∃ m, n = m + 1 := by
  refine ⟨pred! n, ?_⟩
  simp only [Nat.pred_eq_sub_one]
  finish
