-- States as functions, and a small imperative language.
abbrev Var := String
def State := Var → Nat

def State.set (s : State) (x : Var) (v : Nat) : State := fun y => if y = x then v else s y

inductive Expr where
  | num (n : Nat)
  | var (x : Var)
  | add (a b : Expr)

def Expr.eval (s : State) : Expr → Nat
  | .num n => n
  | .var x => s x
  | .add a b => a.eval s + b.eval s

def Expr.subst (x : Var) (e : Expr) : Expr → Expr
  | .num n => .num n
  | .var y => if y = x then e else .var y
  | .add a b => .add (subst x e a) (subst x e b)

inductive Cmd where
  | skip
  | assign (x : Var) (e : Expr)
  | seq (c d : Cmd)

inductive Exec : Cmd → State → State → Prop where
  | skip (s : State) : Exec .skip s s
  | assign (x : Var) (e : Expr) (s : State) : Exec (.assign x e) s (s.set x (e.eval s))
  | seq {c d : Cmd} {s t u : State} : Exec c s t → Exec d t u → Exec (.seq c d) s u

theorem set_same (s : State) (x : Var) (v : Nat) : (s.set x v) x = v := by
  sorry

theorem set_other (s : State) {x y : Var} (v : Nat) (h : y ≠ x) : (s.set x v) y = s y := by
  sorry

theorem set_set (s : State) (x : Var) (u v : Nat) : (s.set x u).set x v = s.set x v := by
  sorry

theorem set_comm (s : State) {x y : Var} (u v : Nat) (h : x ≠ y) :
    (s.set x u).set y v = (s.set y v).set x u := by
  sorry

theorem set_self (s : State) (x : Var) : s.set x (s x) = s := by
  sorry

theorem eval_subst (s : State) (x : Var) (e a : Expr) :
    (Expr.subst x e a).eval s = a.eval (s.set x (e.eval s)) := by
  sorry

theorem exec_skip {s t : State} (h : Exec .skip s t) : t = s := by
  sorry

theorem exec_det {c : Cmd} {s t u : State} (h₁ : Exec c s t) (h₂ : Exec c s u) : t = u := by
  sorry

theorem skip_seq {c : Cmd} {s t : State} : Exec (.seq .skip c) s t ↔ Exec c s t := by
  sorry
