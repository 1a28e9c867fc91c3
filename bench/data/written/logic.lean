-- Logic, functions, relations.
theorem l1 (p q r : Prop) : (p → q → r) ↔ (p ∧ q → r) := by
  sorry

theorem l2 (α : Type) (P : α → Prop) : (¬ ∀ x, P x) ↔ ∃ x, ¬ P x := by
  sorry

theorem l3 (α : Type) (P Q : α → Prop) : (∃ x, P x ∨ Q x) ↔ (∃ x, P x) ∨ ∃ x, Q x := by
  sorry

theorem l4 (p q : Prop) : ((p → q) → p) → p := by
  sorry

theorem l5 (α : Type) (P : α → Prop) (a : α) (h : ∀ x, P x → x = a) (h' : ∃ x, P x) : P a := by
  sorry

theorem l6 (f g : Nat → Nat) (hf : ∀ x y, f x = f y → x = y) (hg : ∀ x y, g x = g y → x = y) : ∀ x y, f (g x) = f (g y) → x = y := by
  sorry

theorem l7 (α β : Type) (f : α → β) (g : β → α) (h : ∀ x, g (f x) = x) : ∀ x y, f x = f y → x = y := by
  sorry

theorem l8 (α : Type) (R : α → α → Prop) (sym : ∀ x y, R x y → R y x) (tr : ∀ x y z, R x y → R y z → R x z) (h : ∀ x, ∃ y, R x y) : ∀ x, R x x := by
  sorry

theorem l9 (p q r : Prop) : (p ∧ (q ∨ r)) ↔ ((p ∧ q) ∨ (p ∧ r)) := by
  sorry

theorem l10 (α : Type) (A B C : α → Prop) (h : ∀ x, A x → B x) (h' : ∀ x, B x → C x) : ∀ x, A x → C x := by
  sorry

theorem l11 (barber : Nat) (shaves : Nat → Nat → Prop) (h : ∀ x, shaves barber x ↔ ¬ shaves x x) : False := by
  sorry

theorem l12 (f : Nat → Nat) (h : ∀ n, f (n + 1) = f n + 2) (h0 : f 0 = 3) : ∀ n, f n = 2 * n + 3 := by
  sorry

theorem l13 (f : Nat → Nat) (h : ∀ n, f n < f (n + 1)) : ∀ n, n ≤ f n := by
  sorry

theorem l14 (α : Type) (s : α → Prop) [DecidablePred s] (x : α) : (if s x then 1 else 0) = 1 ↔ s x := by
  sorry

theorem l15 (P : Nat → Prop) (h0 : P 0) (h1 : P 1) (h : ∀ n, P n → P (n + 1) → P (n + 2)) : ∀ n, P n := by
  sorry

theorem l16 (α : Type) (f : α → α) (h : ∀ x, f (f x) = x) : ∀ y, ∃ x, f x = y := by
  sorry

theorem l17 (x y : Nat × Nat) (h : x.1 = y.1) (h' : x.2 = y.2) : x = y := by
  sorry

theorem l18 (a b : Bool) : (a && b) = !(!a || !b) := by
  sorry

theorem l19 (α : Type) (o : Option α) (h : o ≠ none) : ∃ a, o = some a := by
  sorry

theorem l20 (n : Nat) (f : Fin n → Nat) (i : Fin n) : f i ≤ f i + i.val := by
  sorry
