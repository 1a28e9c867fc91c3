structure Even where
  val : Nat
  even : val % 2 = 0

instance : Add Even where
  add a b := ⟨a.val + (b.val + 2), by sorry⟩

instance : Std.Commutative (α := Nat) (fun a b => a + b + 0) := ⟨by sorry⟩

instance lawful : LawfulBEq Bool where
  eq_of_beq := by sorry
  rfl := by sorry
