attribute [default_instance 2000] instOfNat
@[default_instance 3000] instance intLiteral (n : Nat) : OfNat Int n := ⟨Int.ofNat n⟩

theorem t : (2 - 3) + 3 = 2 := by
  decide
