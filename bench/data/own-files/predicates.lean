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

inductive SubList {α : Type} : List α → List α → Prop where
  | nil : SubList [] []
  | skip {xs ys : List α} (x : α) : SubList xs ys → SubList xs (x :: ys)
  | keep {xs ys : List α} (x : α) : SubList xs ys → SubList (x :: xs) (x :: ys)

theorem SubList.refl {α : Type} (xs : List α) : SubList xs xs := by
  sorry

theorem SubList.length_le {α : Type} {xs ys : List α} (h : SubList xs ys) : xs.length ≤ ys.length := by
  sorry

theorem SubList.mem {α : Type} {xs ys : List α} {a : α} (h : SubList xs ys) (ha : a ∈ xs) : a ∈ ys := by
  sorry

theorem SubList.of_nil {α : Type} {xs : List α} (h : SubList xs ([] : List α)) : xs = [] := by
  sorry
