-- Inductive predicates, a compiler, an optimiser, states, recursive functions.
inductive Even : Nat → Prop where
  | zero : Even 0
  | step : ∀ n, Even n → Even (n + 2)

theorem d1 (n : Nat) (h : Even n) : ∃ k, n = 2 * k := by
  sorry

theorem d2 (k : Nat) : Even (2 * k) := by
  sorry

theorem d3 (m n : Nat) (hm : Even m) (hn : Even n) : Even (m + n) := by
  sorry

theorem d4 : ¬ Even 7 := by
  sorry

inductive Star {α : Type} (R : α → α → Prop) : α → α → Prop where
  | refl : ∀ x, Star R x x
  | step : ∀ x y z, R x y → Star R y z → Star R x z

theorem d5 {α : Type} (R : α → α → Prop) (x y z : α) (h : Star R x y) (h' : Star R y z) : Star R x z := by
  sorry

theorem d6 {α : Type} (R : α → α → Prop) (x y : α) (h : R x y) : Star R x y := by
  sorry

theorem d7 {α : Type} (R S : α → α → Prop) (sub : ∀ x y, R x y → S x y) (x y : α) (h : Star R x y) : Star S x y := by
  sorry

inductive Exp where
  | num : Nat → Exp
  | plus : Exp → Exp → Exp
  | times : Exp → Exp → Exp

def eval : Exp → Nat
  | .num n => n
  | .plus a b => eval a + eval b
  | .times a b => eval a * eval b

def opt : Exp → Exp
  | .num n => .num n
  | .plus a b => match opt a, opt b with
    | .num 0, e => e
    | e, .num 0 => e
    | x, y => .plus x y
  | .times a b => .times (opt a) (opt b)

theorem d8 (e : Exp) : eval (opt e) = eval e := by
  sorry

inductive Instr where
  | push : Nat → Instr
  | add : Instr
  | mul : Instr

def exec : List Instr → List Nat → List Nat
  | [], s => s
  | .push n :: p, s => exec p (n :: s)
  | .add :: p, a :: b :: s => exec p (a + b :: s)
  | .mul :: p, a :: b :: s => exec p (a * b :: s)
  | _ :: p, s => exec p s

def compile : Exp → List Instr
  | .num n => [.push n]
  | .plus a b => compile a ++ compile b ++ [.add]
  | .times a b => compile a ++ compile b ++ [.mul]

theorem d9 (p q : List Instr) (s : List Nat) : exec (p ++ q) s = exec q (exec p s) := by
  sorry

theorem d10 (e : Exp) (s : List Nat) : exec (compile e) s = eval e :: s := by
  sorry

abbrev State := String → Nat

def update (s : State) (x : String) (v : Nat) : State := fun y => if y = x then v else s y
theorem d11 (s : State) (x : String) (v w : Nat) : update (update s x v) x w = update s x w := by
  sorry

theorem d12 (s : State) (x y : String) (v w : Nat) (h : x ≠ y) : update (update s x v) y w = update (update s y w) x v := by
  sorry

theorem d13 (s : State) (x : String) : update s x (s x) = s := by
  sorry

def fact : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * fact n

def factAcc : Nat → Nat → Nat
  | 0, a => a
  | n + 1, a => factAcc n ((n + 1) * a)

theorem d14 (n : Nat) : 0 < fact n := by
  sorry

theorem d15 (n a : Nat) : factAcc n a = fact n * a := by
  sorry

def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

theorem d16 (n : Nat) : fib (n + 2) ≥ fib (n + 1) := by
  sorry

theorem d17 (n : Nat) (h : 0 < n) : 0 < fib n := by
  sorry

theorem d18 (n : Nat) : n ≤ fib (n + 1) + 1 := by
  sorry

structure Account where
  balance : Nat
  open' : Bool

def withdraw (a : Account) (n : Nat) : Account := if n ≤ a.balance then { a with balance := a.balance - n } else a
theorem d19 (a : Account) (n : Nat) : (withdraw a n).balance ≤ a.balance := by
  sorry

theorem d20 (a : Account) (n : Nat) : (withdraw a n).open' = a.open' := by
  sorry
