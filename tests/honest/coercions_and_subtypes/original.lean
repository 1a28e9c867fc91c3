def Small := { n : Nat // n < 10 }

instance : Coe Small Nat := ⟨Subtype.val⟩

theorem t (s : Small) : (s : Nat) < 10 := by
  sorry

theorem u (a b : Small) (h : (a : Nat) = b) : a = b := by
  sorry
