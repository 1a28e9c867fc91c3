axiom anAxiom : 2 = 3

def double (n : Nat) : Nat := n + n

theorem big : double 123456789012345678901234567890 = 246913578024691357802469135780 := rfl

opaque secret : Nat

inductive Tree (α : Type u) : Nat → Type u
  | leaf : Tree α 0
  | node {n : Nat} : Tree α n → α → Tree α n → Tree α (n + 1)

structure Pair where
  first : String := "ünï"
  second : Nat

theorem second_of (p : Pair) : p.second = (let q := p; q.second) := rfl

unsafe def danger (n : Nat) : Nat := n

partial def loop (n : Nat) : Nat := loop n

@[implemented_by danger] def safe (n : Nat) : Nat := n

@[extern "foreign"] def foreign (n : Nat) : Nat := n
