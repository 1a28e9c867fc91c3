prelude

universe u

inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat

inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a b : α) : Eq a b

theorem t : Eq Nat.zero (Nat.succ Nat.zero) := Eq.refl Nat.zero (Nat.succ Nat.zero)
