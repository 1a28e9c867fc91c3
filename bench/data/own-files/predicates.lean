-- Inductive predicates on numbers and lists.
inductive Even' : Nat → Prop where
  | zero : Even' 0
  | add_two (n : Nat) : Even' n → Even' (n + 2)

inductive Odd' : Nat → Prop where
  | one : Odd' 1
  | add_two (n : Nat) : Odd' n → Odd' (n + 2)

theorem even_four : Even' 4 := by
  sorry

theorem not_even_three : ¬ Even' 3 := by
  sorry

theorem even_add {m n : Nat} (hm : Even' m) (hn : Even' n) : Even' (m + n) := by
  sorry

theorem odd_of_even {n : Nat} (h : Even' n) : Odd' (n + 1) := by
  sorry

theorem even_of_odd {n : Nat} (h : Odd' n) : Even' (n + 1) := by
  sorry

theorem even_inv {n : Nat} (h : Even' (n + 2)) : Even' n := by
  sorry

theorem even_double (n : Nat) : Even' (2 * n) := by
  sorry

theorem even_cancel {m n : Nat} (hs : Even' (m + n)) (hm : Even' m) : Even' n := by
  sorry

inductive Sub : List α → List α → Prop where
  | nil : Sub [] []
  | skip (x : α) : Sub xs ys → Sub xs (x :: ys)
  | keep (x : α) : Sub xs ys → Sub (x :: xs) (x :: ys)

theorem Sub.refl (xs : List α) : Sub xs xs := by
  sorry

theorem Sub.length_le {xs ys : List α} (h : Sub xs ys) : xs.length ≤ ys.length := by
  sorry

theorem Sub.mem {xs ys : List α} {a : α} (h : Sub xs ys) (ha : a ∈ xs) : a ∈ ys := by
  sorry

theorem Sub.of_nil {xs : List α} (h : Sub xs ([] : List α)) : xs = [] := by
  sorry
