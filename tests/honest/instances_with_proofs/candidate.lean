structure Even where
  val : Nat
  even : val % 2 = 0

instance : Add Even where
  add a b := ⟨a.val + (b.val + 2), by have := a.even; have := b.even; omega⟩

instance : Std.Commutative (α := Nat) (fun a b => a + b + 0) := ⟨by intro a b; omega⟩

instance lawful : LawfulBEq Bool where
  eq_of_beq := by intro a b; cases a <;> cases b <;> simp
  rfl := by intro a; cases a <;> rfl
