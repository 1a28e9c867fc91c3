-- Mutual and nested recursion, sorting, logic, numbers.
mutual
def evens : List α → List α
  | [] => []
  | x :: xs => x :: odds xs
def odds : List α → List α
  | [] => []
  | _ :: xs => evens xs
end

theorem length_evens_odds (xs : List α) : (evens xs).length + (odds xs).length = xs.length := by
  sorry

def insert' (a : Nat) : List Nat → List Nat
  | [] => [a]
  | x :: xs => if a ≤ x then a :: x :: xs else x :: insert' a xs

def sort' : List Nat → List Nat
  | [] => []
  | x :: xs => insert' x (sort' xs)

def Sorted : List Nat → Prop
  | [] => True
  | [_] => True
  | x :: y :: ys => x ≤ y ∧ Sorted (y :: ys)

theorem length_insert' (a : Nat) (xs : List Nat) : (insert' a xs).length = xs.length + 1 := by
  sorry

theorem length_sort' (xs : List Nat) : (sort' xs).length = xs.length := by
  sorry

theorem mem_insert' (a b : Nat) (xs : List Nat) : b ∈ insert' a xs ↔ b = a ∨ b ∈ xs := by
  sorry

theorem mem_sort' (b : Nat) (xs : List Nat) : b ∈ sort' xs ↔ b ∈ xs := by
  sorry

theorem sorted_insert' (a : Nat) (xs : List Nat) (h : Sorted xs) : Sorted (insert' a xs) := by
  sorry

theorem sorted_sort' (xs : List Nat) : Sorted (sort' xs) := by
  sorry

inductive Rose where
  | node : Nat → List Rose → Rose

def Rose.sum : Rose → Nat
  | node n ts => n + (ts.attach.map fun ⟨t, _⟩ => t.sum).sum

theorem rose_sum_pos (n : Nat) (ts : List Rose) : n ≤ (Rose.node n ts).sum := by
  sorry

def fact : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * fact n

theorem fact_pos (n : Nat) : 0 < fact n := by
  sorry

theorem fact_le_succ (n : Nat) : fact n ≤ fact (n + 1) := by
  sorry

def gauss : Nat → Nat
  | 0 => 0
  | n + 1 => gauss n + (n + 1)

theorem two_gauss (n : Nat) : 2 * gauss n = n * (n + 1) := by
  sorry

theorem forall_or {p : Prop} {q : α → Prop} : (∀ x, p ∨ q x) ↔ p ∨ ∀ x, q x := by
  sorry

theorem drinker [Inhabited α] (p : α → Prop) : ∃ x, p x → ∀ y, p y := by
  sorry

theorem exists_swap {p : α → β → Prop} (h : ∃ x, ∀ y, p x y) : ∀ y, ∃ x, p x y := by
  sorry
