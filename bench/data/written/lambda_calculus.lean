/-! Functional programming and types: a typed lambda calculus with type safety, a printer and
parser, a stack compiler, first-order substitutions and the occurs check, monads of our own,
continuation-passing style, and streams as functions. -/

namespace LambdaMonads

inductive Ty where
  | bool : Ty
  | arrow : Ty → Ty → Ty

inductive Tm where
  | var : String → Tm
  | app : Tm → Tm → Tm
  | lam : String → Ty → Tm → Tm
  | tru : Tm
  | fls : Tm
  | ite : Tm → Tm → Tm → Tm

inductive Value : Tm → Prop where
  | lam (x A t) : Value (.lam x A t)
  | tru : Value .tru
  | fls : Value .fls

/-- substitution of a closed term -/
def subst (x : String) (s : Tm) : Tm → Tm
  | .var y => if x = y then s else .var y
  | .app t u => .app (subst x s t) (subst x s u)
  | .lam y A t => .lam y A (if x = y then t else subst x s t)
  | .tru => .tru
  | .fls => .fls
  | .ite t u v => .ite (subst x s t) (subst x s u) (subst x s v)

inductive Step : Tm → Tm → Prop where
  | beta {x A t v} : Value v → Step (.app (.lam x A t) v) (subst x v t)
  | app1 {t t' u} : Step t t' → Step (.app t u) (.app t' u)
  | app2 {v u u'} : Value v → Step u u' → Step (.app v u) (.app v u')
  | iteT (u v) : Step (.ite .tru u v) u
  | iteF (u v) : Step (.ite .fls u v) v
  | ite {t t' u v} : Step t t' → Step (.ite t u v) (.ite t' u v)

inductive Steps : Tm → Tm → Prop where
  | refl (t) : Steps t t
  | head {t u v} : Step t u → Steps u v → Steps t v

abbrev Ctx := String → Option Ty

def none' : Ctx := fun _ => none

def ext (G : Ctx) (x : String) (A : Ty) : Ctx := fun y => if x = y then some A else G y

inductive Typed : Ctx → Tm → Ty → Prop where
  | var {G x A} : G x = some A → Typed G (.var x) A
  | lam {G x A B t} : Typed (ext G x A) t B → Typed G (.lam x A t) (.arrow A B)
  | app {G A B t u} : Typed G t (.arrow A B) → Typed G u A → Typed G (.app t u) B
  | tru {G} : Typed G .tru .bool
  | fls {G} : Typed G .fls .bool
  | ite {G A t u v} : Typed G t .bool → Typed G u A → Typed G v A → Typed G (.ite t u v) A

inductive Exp where
  | lit : Nat → Exp
  | neg : Exp → Exp
  | add : Exp → Exp → Exp

inductive Tok where
  | num : Nat → Tok
  | minus : Tok
  | plus : Tok

def print : Exp → List Tok
  | .lit n => [.num n]
  | .neg e => .minus :: print e
  | .add e f => .plus :: (print e ++ print f)

def parse : Nat → List Tok → Option (Exp × List Tok)
  | 0, _ => none
  | _ + 1, [] => none
  | _ + 1, .num n :: ts => some (.lit n, ts)
  | k + 1, .minus :: ts =>
    match parse k ts with
    | none => none
    | some (e, ts) => some (.neg e, ts)
  | k + 1, .plus :: ts =>
    match parse k ts with
    | none => none
    | some (e, ts) =>
      match parse k ts with
      | none => none
      | some (f, ts) => some (.add e f, ts)

def evalE : Exp → Int
  | .lit n => n
  | .neg e => -evalE e
  | .add e f => evalE e + evalE f

inductive Instr where
  | push : Nat → Instr
  | neg : Instr
  | add : Instr

def exec : List Instr → List Int → Option (List Int)
  | [], st => some st
  | .push n :: is, st => exec is (n :: st)
  | .neg :: is, a :: st => exec is ((-a) :: st)
  | .add :: is, a :: b :: st => exec is ((b + a) :: st)
  | _, _ => none

def compile : Exp → List Instr
  | .lit n => [.push n]
  | .neg e => compile e ++ [.neg]
  | .add e f => compile e ++ compile f ++ [.add]

/-- evaluation in continuation-passing style -/
def evalK {R : Type} : Exp → (Int → R) → R
  | .lit n, k => k n
  | .neg e, k => evalK e fun a => k (-a)
  | .add e f, k => evalK e fun a => evalK f fun b => k (a + b)

inductive Term where
  | var : Nat → Term
  | const : String → Term
  | pair : Term → Term → Term

def Term.sub (s : Nat → Term) : Term → Term
  | .var x => s x
  | .const c => .const c
  | .pair t u => .pair (t.sub s) (u.sub s)

def Term.Occurs (x : Nat) : Term → Prop
  | .var y => x = y
  | .const _ => False
  | .pair t u => t.Occurs x ∨ u.Occurs x

def St (S α : Type) := S → α × S

def St.ret {S α : Type} (a : α) : St S α := fun s => (a, s)

def St.bind {S α β : Type} (m : St S α) (f : α → St S β) : St S β :=
  fun s => f (m s).1 (m s).2

def St.each {S α : Type} (f : α → St S Unit) : List α → St S Unit
  | [] => St.ret ()
  | a :: as => St.bind (f a) fun _ => St.each f as

def Stream' (α : Type) := Nat → α

def evens {α : Type} (s : Stream' α) : Stream' α := fun n => s (2 * n)

def odds {α : Type} (s : Stream' α) : Stream' α := fun n => s (2 * n + 1)

def weave {α : Type} (s t : Stream' α) : Stream' α :=
  fun n => if n % 2 = 0 then s (n / 2) else t (n / 2)

def iterate {α : Type} (f : α → α) (a : α) : Stream' α
  | 0 => a
  | n + 1 => f (iterate f a n)

theorem value_no_step {v t : Tm} (hv : Value v) : ¬ Step v t := by
  sorry

theorem step_deterministic {t u v : Tm} (h₁ : Step t u) (h₂ : Step t v) : u = v := by
  sorry

theorem typed_unique {G : Ctx} {t : Tm} {A B : Ty} (h₁ : Typed G t A) (h₂ : Typed G t B) :
    A = B := by
  sorry

theorem progress {t : Tm} {A : Ty} (h : Typed none' t A) : Value t ∨ ∃ u, Step t u := by
  sorry

theorem weakening {G D : Ctx} {t : Tm} {A : Ty} (h : Typed G t A)
    (hGD : ∀ x B, G x = some B → D x = some B) : Typed D t A := by
  sorry

theorem subst_typed {G : Ctx} {x : String} {s t : Tm} {A B : Ty}
    (ht : Typed (ext G x A) t B) (hs : Typed none' s A) : Typed G (subst x s t) B := by
  sorry

theorem preservation {t u : Tm} {A : Ty} (ht : Typed none' t A) (h : Step t u) :
    Typed none' u A := by
  sorry

theorem safety {t u : Tm} {A : Ty} (ht : Typed none' t A) (h : Steps t u) :
    Value u ∨ ∃ v, Step u v := by
  sorry

theorem no_self_application (x : String) (A B : Ty) :
    ¬ Typed none' (.lam x A (.app (.var x) (.var x))) B := by
  sorry

theorem parse_print (e : Exp) (rest : List Tok) (k : Nat) (hk : (print e).length ≤ k) :
    parse k (print e ++ rest) = some (e, rest) := by
  sorry

theorem exec_compile (e : Exp) (st : List Int) : exec (compile e) st = some (evalE e :: st) := by
  sorry

theorem evalK_eq {R : Type} (e : Exp) (k : Int → R) : evalK e k = k (evalE e) := by
  sorry

theorem sub_sub (s r : Nat → Term) (t : Term) :
    (t.sub s).sub r = t.sub (fun x => (s x).sub r) := by
  sorry

theorem sub_congr_iff (s r : Nat → Term) (t : Term) :
    t.sub s = t.sub r ↔ ∀ x, t.Occurs x → s x = r x := by
  sorry

theorem occurs_check (s : Nat → Term) (x : Nat) (t : Term) (hx : t.Occurs x)
    (h : s x = t.sub s) : t = .var x := by
  sorry

theorem each_append {S α : Type} (f : α → St S Unit) (as bs : List α) :
    St.each f (as ++ bs) = St.bind (St.each f as) fun _ => St.each f bs := by
  sorry

theorem weave_evens_odds {α : Type} (s : Stream' α) : weave (evens s) (odds s) = s := by
  sorry

theorem evens_iterate {α : Type} (f : α → α) (a : α) :
    evens (iterate f a) = iterate (fun x => f (f x)) a := by
  sorry

end LambdaMonads
