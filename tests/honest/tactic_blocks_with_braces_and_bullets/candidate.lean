theorem t (p q : Prop) : (p → q) → (¬q → ¬p) ∧ (p ∨ q → q) := by {
  intro h
  refine ⟨?left, ?right⟩
  case left => exact fun hq hp => hq (h hp)
  case right =>
    rintro (hp | hq)
    · exact h hp
    . exact hq
}
