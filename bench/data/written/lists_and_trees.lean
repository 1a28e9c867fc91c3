-- Lists, trees, sorting.
theorem c1 {α : Type} (xs ys : List α) : (xs ++ ys).reverse = ys.reverse ++ xs.reverse := by
  sorry

theorem c2 {α β : Type} (f : α → β) (xs : List α) : (xs.map f).length = xs.length := by
  sorry

theorem c3 {α : Type} (p : α → Bool) (xs : List α) : (xs.filter p).length ≤ xs.length := by
  sorry

def sumList : List Nat → Nat
  | [] => 0
  | x :: xs => x + sumList xs

def range' : Nat → List Nat
  | 0 => []
  | n + 1 => range' n ++ [n]

theorem c4 (xs ys : List Nat) : sumList (xs ++ ys) = sumList xs + sumList ys := by
  sorry

theorem c5 (n : Nat) : 2 * sumList (range' n) + n = n * n := by
  sorry

theorem c6 (n : Nat) : (range' n).length = n := by
  sorry

theorem c7 (xs : List Nat) : sumList xs.reverse = sumList xs := by
  sorry

theorem c8 (xs : List Nat) (k : Nat) : sumList (xs.map (k * ·)) = k * sumList xs := by
  sorry

inductive Tree (α : Type) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

namespace Tree
def size {α : Type} : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + 1 + size r

def mirror {α : Type} : Tree α → Tree α
  | leaf => leaf
  | node l x r => node (mirror r) x (mirror l)

def toList {α : Type} : Tree α → List α
  | leaf => []
  | node l x r => toList l ++ [x] ++ toList r

def height {α : Type} : Tree α → Nat
  | leaf => 0
  | node l _ r => max (height l) (height r) + 1

def mem (x : Nat) : Tree Nat → Prop
  | leaf => False
  | node l y r => mem x l ∨ x = y ∨ mem x r

theorem c9 {α : Type} (t : Tree α) : t.mirror.mirror = t := by
  sorry

theorem c10 {α : Type} (t : Tree α) : t.mirror.size = t.size := by
  sorry

theorem c11 {α : Type} (t : Tree α) : t.toList.length = t.size := by
  sorry

theorem c12 {α : Type} (t : Tree α) : t.mirror.toList = t.toList.reverse := by
  sorry

theorem c13 {α : Type} (t : Tree α) : t.height ≤ t.size := by
  sorry

theorem c14 (x : Nat) (t : Tree Nat) : mem x t.mirror ↔ mem x t := by
  sorry

theorem c15 (x : Nat) (t : Tree Nat) : mem x t ↔ x ∈ t.toList := by
  sorry

theorem c16 {α : Type} (t : Tree α) : t.size < 2 ^ t.height := by
  sorry
end Tree

def insert' (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: insert' x ys

def isort : List Nat → List Nat
  | [] => []
  | x :: xs => insert' x (isort xs)

def Sorted : List Nat → Prop
  | [] => True
  | [_] => True
  | x :: y :: ys => x ≤ y ∧ Sorted (y :: ys)

theorem c17 (x : Nat) (xs : List Nat) : (insert' x xs).length = xs.length + 1 := by
  sorry

theorem c18 (xs : List Nat) : (isort xs).length = xs.length := by
  sorry

theorem c19 (x : Nat) (xs : List Nat) (h : Sorted xs) : Sorted (insert' x xs) := by
  sorry

theorem c20 (xs : List Nat) : Sorted (isort xs) := by
  sorry
