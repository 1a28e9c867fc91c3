def Small := { n : Nat // n < 10 }

instance : Coe Small Nat := ⟨Subtype.val⟩

theorem t (s : Small) : (s : Nat) < 10 := by
  exact s.property

theorem u (a b : Small) (h : (a : Nat) = b) : a = b := by
  exact Subtype.ext h
