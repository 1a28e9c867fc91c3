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

def Nat.add (a _b : Nat) : Nat := a

theorem unfolded (n : Nat) : Eq 1 (Nat.add 1 n) := Eq.refl 1

attribute [irreducible] Nat.add

theorem computed : Eq (Nat.add 1 1) 2 := Eq.refl 2

theorem trans {a b c : Nat} (f : Eq a b) (g : Eq b c) : Eq a c :=
  Eq.rec (motive := fun c _ => Eq a c) f g

theorem t : Eq (α := Nat) 1 2 := trans (unfolded 1) computed
