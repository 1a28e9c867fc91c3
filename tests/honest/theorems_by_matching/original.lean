theorem t : ∀ n : Nat, n = 0 ∨ ∃ m, n = m + 1
  | 0 => sorry
  | m + 1 => sorry

theorem u (p q : Prop) (h : p ∨ q) : q ∨ p :=
  match h with
  | .inl hp => sorry
  | .inr hq => .inl hq
