structure Wrapped where
  value : Nat

instance : Coe Wrapped Nat := ⟨Wrapped.value⟩

instance (priority := high) : Coe Wrapped Nat := ⟨fun _ => 0⟩

theorem t (w : Wrapped) : (w : Nat) = 0 := by
  rfl
