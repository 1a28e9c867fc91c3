module
prelude
@[expose] public section
noncomputable section
set_option genCtorIdx false
set_option bootstrap.inductiveCheckResultingUniverse false
universe u

inductive PUnit : Sort u where
  | unit : PUnit

inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a

inductive Bool where
  | false | true

inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat

class OfNat (α : Type u) (_ : Nat) where
  ofNat : α

instance (n : Nat) : OfNat Nat n where
  ofNat := n

-- What Lean makes of `sorry` mentions these.
inductive String where
  | empty : String

inductive Lean.Name where
  | anonymous : Lean.Name
  | str (pre : Lean.Name) (s : String) : Lean.Name
  | num (pre : Lean.Name) (i : Nat) : Lean.Name

axiom sorryAx (α : Sort u) (synthetic : Bool) : α

theorem t : Eq (α := Nat) 1 2 := sorry
