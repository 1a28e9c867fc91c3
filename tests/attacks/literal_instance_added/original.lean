def Residue := Nat

instance : OfNat Residue n := ⟨(n : Nat)⟩

theorem t : (7 : Residue) = (0 : Residue) := by
  sorry
