/-! The imperative language Imp: states as functions, big-step semantics, substitution,
constant folding, partial correctness, and a sound and complete Hoare calculus. -/

namespace ImpHoare

abbrev State := String → Int

def upd (s : State) (x : String) (v : Int) : State := fun y => if y = x then v else s y

inductive AExp where
  | num : Int → AExp
  | var : String → AExp
  | plus : AExp → AExp → AExp
  | minus : AExp → AExp → AExp
  | times : AExp → AExp → AExp

def aval : AExp → State → Int
  | .num n, _ => n
  | .var x, s => s x
  | .plus a b, s => aval a s + aval b s
  | .minus a b, s => aval a s - aval b s
  | .times a b, s => aval a s * aval b s

inductive BExp where
  | tt : BExp
  | le : AExp → AExp → BExp
  | not : BExp → BExp
  | and : BExp → BExp → BExp

def bval : BExp → State → Bool
  | .tt, _ => true
  | .le a b, s => decide (aval a s ≤ aval b s)
  | .not b, s => !bval b s
  | .and b c, s => bval b s && bval c s

inductive Com where
  | skip : Com
  | assign : String → AExp → Com
  | seq : Com → Com → Com
  | ite : BExp → Com → Com → Com
  | loop : BExp → Com → Com

inductive Big : Com → State → State → Prop where
  | skip (s) : Big .skip s s
  | assign (x a s) : Big (.assign x a) s (upd s x (aval a s))
  | seq {c d s t u} : Big c s t → Big d t u → Big (.seq c d) s u
  | iteT {b c d s t} : bval b s = true → Big c s t → Big (.ite b c d) s t
  | iteF {b c d s t} : bval b s = false → Big d s t → Big (.ite b c d) s t
  | loopF {b c s} : bval b s = false → Big (.loop b c) s s
  | loopT {b c s t u} : bval b s = true → Big c s t → Big (.loop b c) t u →
      Big (.loop b c) s u

def Equiv (c d : Com) : Prop := ∀ s t, Big c s t ↔ Big d s t

def asubst (x : String) (e : AExp) : AExp → AExp
  | .num n => .num n
  | .var y => if y = x then e else .var y
  | .plus a b => .plus (asubst x e a) (asubst x e b)
  | .minus a b => .minus (asubst x e a) (asubst x e b)
  | .times a b => .times (asubst x e a) (asubst x e b)

def smartPlus : AExp → AExp → AExp
  | .num m, .num n => .num (m + n)
  | .num m, b => if m = 0 then b else .plus (.num m) b
  | a, .num n => if n = 0 then a else .plus a (.num n)
  | a, b => .plus a b

def fold : AExp → AExp
  | .num n => .num n
  | .var x => .var x
  | .plus a b => smartPlus (fold a) (fold b)
  | .minus a b => .minus (fold a) (fold b)
  | .times a b => .times (fold a) (fold b)

def assigned : Com → List String
  | .skip => []
  | .assign x _ => [x]
  | .seq c d => assigned c ++ assigned d
  | .ite _ c d => assigned c ++ assigned d
  | .loop _ c => assigned c

abbrev Assn := State → Prop

def Valid (P : Assn) (c : Com) (Q : Assn) : Prop := ∀ s t, P s → Big c s t → Q t

def wp (c : Com) (Q : Assn) : Assn := fun s => ∀ t, Big c s t → Q t

inductive Hoare : Assn → Com → Assn → Prop where
  | skip (P) : Hoare P .skip P
  | assign (Q x a) : Hoare (fun s => Q (upd s x (aval a s))) (.assign x a) Q
  | seq {P Q R c d} : Hoare P c Q → Hoare Q d R → Hoare P (.seq c d) R
  | ite {P Q b c d} : Hoare (fun s => P s ∧ bval b s = true) c Q →
      Hoare (fun s => P s ∧ bval b s = false) d Q → Hoare P (.ite b c d) Q
  | loop {P b c} : Hoare (fun s => P s ∧ bval b s = true) c P →
      Hoare P (.loop b c) (fun s => P s ∧ bval b s = false)
  | conseq {P P' Q Q' c} : (∀ s, P' s → P s) → Hoare P c Q → (∀ s, Q s → Q' s) →
      Hoare P' c Q'

theorem upd_comm (s : State) (x y : String) (v w : Int) (h : x ≠ y) :
    upd (upd s x v) y w = upd (upd s y w) x v := by
  sorry

theorem upd_self (s : State) (x : String) : upd s x (s x) = s := by
  sorry

theorem aval_asubst (x : String) (e a : AExp) (s : State) :
    aval (asubst x e a) s = aval a (upd s x (aval e s)) := by
  sorry

theorem aval_smartPlus (a b : AExp) (s : State) :
    aval (smartPlus a b) s = aval a s + aval b s := by
  sorry

theorem aval_fold (a : AExp) (s : State) : aval (fold a) s = aval a s := by
  sorry

theorem big_deterministic {c : Com} {s t u : State} (h₁ : Big c s t) (h₂ : Big c s u) :
    t = u := by
  sorry

theorem seq_assoc (c d e : Com) : Equiv (.seq (.seq c d) e) (.seq c (.seq d e)) := by
  sorry

theorem ite_not (b : BExp) (c d : Com) : Equiv (.ite (.not b) c d) (.ite b d c) := by
  sorry

theorem loop_unfold (b : BExp) (c : Com) :
    Equiv (.loop b c) (.ite b (.seq c (.loop b c)) .skip) := by
  sorry

theorem loop_congr {b : BExp} {c d : Com} (h : Equiv c d) :
    Equiv (.loop b c) (.loop b d) := by
  sorry

theorem loop_tt_diverges (c : Com) (s t : State) : ¬ Big (.loop .tt c) s t := by
  sorry

theorem unassigned_unchanged {c : Com} {s t : State} (h : Big c s t) (x : String)
    (hx : x ∉ assigned c) : t x = s x := by
  sorry

theorem valid_swap (a b : Int) :
    Valid (fun s => s "x" = a ∧ s "y" = b)
      (.seq (.assign "x" (.plus (.var "x") (.var "y")))
        (.seq (.assign "y" (.minus (.var "x") (.var "y")))
          (.assign "x" (.minus (.var "x") (.var "y")))))
      (fun s => s "x" = b ∧ s "y" = a) := by
  sorry

theorem wp_seq (c d : Com) (Q : Assn) : wp (.seq c d) Q = wp c (wp d Q) := by
  sorry

theorem valid_loop {I : Assn} {b : BExp} {c : Com}
    (h : Valid (fun s => I s ∧ bval b s = true) c I) :
    Valid I (.loop b c) (fun s => I s ∧ bval b s = false) := by
  sorry

theorem hoare_sound {P Q : Assn} {c : Com} (h : Hoare P c Q) : Valid P c Q := by
  sorry

theorem hoare_wp (c : Com) (Q : Assn) : Hoare (wp c Q) c Q := by
  sorry

theorem hoare_complete {P Q : Assn} {c : Com} (h : Valid P c Q) : Hoare P c Q := by
  sorry

end ImpHoare
