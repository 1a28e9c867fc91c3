-- A compiler to a stack machine, and an optimiser.
inductive Exp where
  | lit (n : Nat)
  | plus (a b : Exp)
  | times (a b : Exp)

inductive Instr where
  | push (n : Nat)
  | add
  | mul

def Exp.value : Exp → Nat
  | lit n => n
  | plus a b => a.value + b.value
  | times a b => a.value * b.value

def step : Instr → List Nat → List Nat
  | .push n, st => n :: st
  | .add, a :: b :: st => (b + a) :: st
  | .mul, a :: b :: st => (b * a) :: st
  | _, st => st

def run : List Instr → List Nat → List Nat
  | [], st => st
  | i :: is, st => run is (step i st)

def compile : Exp → List Instr
  | .lit n => [.push n]
  | .plus a b => compile a ++ compile b ++ [.add]
  | .times a b => compile a ++ compile b ++ [.mul]

def simplify : Exp → Exp
  | .plus (.lit 0) b => simplify b
  | .plus a b => .plus (simplify a) (simplify b)
  | .times a b => .times (simplify a) (simplify b)
  | e => e

def double : Exp → Exp
  | .lit n => .lit (2 * n)
  | .plus a b => .plus (double a) (double b)
  | .times a b => .times (double a) b

theorem run_append (p q : List Instr) (st : List Nat) : run (p ++ q) st = run q (run p st) := by
  sorry

theorem run_compile (e : Exp) (st : List Nat) : run (compile e) st = e.value :: st := by
  sorry

theorem compile_correct (e : Exp) : run (compile e) [] = [e.value] := by
  sorry

theorem value_simplify (e : Exp) : (simplify e).value = e.value := by
  sorry

theorem value_double (e : Exp) : (double e).value = 2 * e.value := by
  sorry

theorem compile_double (e : Exp) : run (compile (double e)) [] = [2 * e.value] := by
  sorry
