def double (n : Nat) : Nat := n + n
structure Pt where
  x : Nat
  y : Nat
instance : Add Pt := ⟨fun a b => ⟨a.x + b.x, a.y + b.y⟩⟩
theorem two (n : Nat) : double n = 2 * n :=  by unfold double; omega
theorem half (p : Pt) (i : Fin 3) (h : i.val < 2 + 1) : (⟨i.val, by omega⟩ : Fin 3) = i ∧ p = p :=  by
  have : 10000 % 7 = 4 := by native_decide
  exact ⟨rfl, rfl⟩
