theorem t : ∀ n : Nat, n = 0 ∨ ∃ m, n = m + 1
  | 0 => Or.inl rfl
  | m + 1 => Or.inr ⟨m, rfl⟩

theorem u (p q : Prop) (h : p ∨ q) : q ∨ p :=
  match h with
  | .inl hp => .inr hp
  | .inr hq => .inl hq
