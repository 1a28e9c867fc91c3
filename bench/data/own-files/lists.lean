-- Functions on lists; later theorems need earlier ones.
namespace Lists

def snoc : List α → α → List α
  | [], a => [a]
  | x :: xs, a => x :: snoc xs a

def flip : List α → List α
  | [] => []
  | x :: xs => snoc (flip xs) x

def flipOnto : List α → List α → List α
  | [], acc => acc
  | x :: xs, acc => flipOnto xs (x :: acc)

def total : List Nat → Nat
  | [] => 0
  | x :: xs => x + total xs

def every (p : α → Bool) : List α → Bool
  | [] => true
  | x :: xs => p x && every p xs

theorem snoc_eq_append (xs : List α) (a : α) : snoc xs a = xs ++ [a] := by
  sorry

theorem flip_snoc (xs : List α) (a : α) : flip (snoc xs a) = a :: flip xs := by
  sorry

theorem flip_flip (xs : List α) : flip (flip xs) = xs := by
  sorry

theorem flipOnto_eq (xs acc : List α) : flipOnto xs acc = flip xs ++ acc := by
  sorry

theorem flipOnto_nil (xs : List α) : flipOnto xs [] = flip xs := by
  sorry

theorem total_snoc (xs : List Nat) (n : Nat) : total (snoc xs n) = total xs + n := by
  sorry

theorem total_flip (xs : List Nat) : total (flip xs) = total xs := by
  sorry

theorem every_append (p : α → Bool) (xs ys : List α) :
    every p (xs ++ ys) = (every p xs && every p ys) := by
  sorry

end Lists
