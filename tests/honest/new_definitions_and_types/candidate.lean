/-- helper -/
structure Box (α : Type) where
  get : α
deriving Inhabited

inductive Size : Nat → Type
  | zero : Size 0
  | succ : Size n → Size (n + 1)

def Size.toList : Size n → List Nat
  | .zero => []
  | .succ s => n :: s.toList

abbrev three : Size 3 := .succ (.succ (.succ .zero))

@[irreducible] def boxed : Box (List Nat) := ⟨three.toList⟩

theorem t : ∃ s : List Nat, s.length = 3 := by
  exact ⟨boxed.get, by unfold boxed; rfl⟩
