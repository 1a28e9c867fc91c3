theorem helper (α β : Type) : α = β := by sorry

theorem to_nat : String = Nat := helper String Nat

def steps : Nat := cast to_nat "x"

theorem t : 2 + 2 = 4 := by rfl
