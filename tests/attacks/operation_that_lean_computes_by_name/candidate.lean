module
prelude
public import Init.Core
@[expose] public section

def Nat.gcd (a _b : Nat) : Nat := a

theorem unfolded (n : Nat) : 2 = Nat.gcd 2 n := rfl

attribute [irreducible] Nat.gcd

theorem computed : Nat.gcd 2 1 = 1 := Eq.refl 1

theorem t : 1 = 2 := by
  exact Eq.trans (Eq.symm computed) (Eq.symm (unfolded 1))
