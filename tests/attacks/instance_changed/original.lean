structure Point where
  x : Nat
  y : Nat

instance : Add Point := ⟨fun a b => ⟨a.x + b.x, 1⟩⟩

theorem t (a b : Point) : a + b = a := by
  sorry
