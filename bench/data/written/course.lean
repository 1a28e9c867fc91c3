set_option autoImplicit false

namespace Calc

inductive Expr where
  | num (n : Int)
  | var (x : String)
  | add (a b : Expr)
  | div (a b : Expr)

inductive Instr where
  | push (n : Int)
  | load (x : String)
  | add
  | div

abbrev Env := String → Option Int

def eval (env : Env) : Expr → Except String Int
  | .num n => .ok n
  | .var x =>
    match env x with
    | some v => .ok v
    | none => .error "unbound"
  | .add a b => do
    let u ← eval env a
    let v ← eval env b
    return u + v
  | .div a b => do
    let u ← eval env a
    let v ← eval env b
    if v = 0 then .error "division by zero" else return u / v

def step (env : Env) : Instr → List Int → Except String (List Int)
  | .push n, s => .ok (n :: s)
  | .load x, s =>
    match env x with
    | some v => .ok (v :: s)
    | none => .error "unbound"
  | .add, v :: u :: s => .ok ((u + v) :: s)
  | .div, v :: u :: s => if v = 0 then .error "division by zero" else .ok ((u / v) :: s)
  | _, _ => .error "stack underflow"

def exec (env : Env) : List Instr → List Int → Except String (List Int)
  | [], s => .ok s
  | i :: p, s => do
    let s' ← step env i s
    exec env p s'

def compile : Expr → List Instr
  | .num n => [.push n]
  | .var x => [.load x]
  | .add a b => compile a ++ compile b ++ [.add]
  | .div a b => compile a ++ compile b ++ [.div]

def mkAdd : Expr → Expr → Expr
  | .num m, .num n => .num (m + n)
  | .num m, b => if m = 0 then b else .add (.num m) b
  | a, b => .add a b

def fold : Expr → Expr
  | .num n => .num n
  | .var x => .var x
  | .add a b => mkAdd (fold a) (fold b)
  | .div a b => .div (fold a) (fold b)

theorem exec_append (env : Env) (p q : List Instr) (s : List Int) :
    exec env (p ++ q) s = (exec env p s >>= exec env q) := by sorry

theorem fold_sound (env : Env) (e : Expr) : eval env (fold e) = eval env e := by sorry

theorem compile_correct (env : Env) (e : Expr) (s : List Int) :
    exec env (compile e) s = (eval env e >>= fun v => .ok (v :: s)) := by sorry

end Calc

namespace Typed

inductive Tm where
  | tru
  | fls
  | ite (c t e : Tm)
  | zro
  | scc (t : Tm)
  | prd (t : Tm)
  | iszro (t : Tm)

inductive NV : Tm → Prop where
  | zro : NV .zro
  | scc {t : Tm} : NV t → NV (.scc t)

inductive Value : Tm → Prop where
  | tru : Value .tru
  | fls : Value .fls
  | nv {t : Tm} : NV t → Value t

inductive Step : Tm → Tm → Prop where
  | iteTru {t e : Tm} : Step (.ite .tru t e) t
  | iteFls {t e : Tm} : Step (.ite .fls t e) e
  | ite {c c' t e : Tm} : Step c c' → Step (.ite c t e) (.ite c' t e)
  | scc {t t' : Tm} : Step t t' → Step (.scc t) (.scc t')
  | prdZro : Step (.prd .zro) .zro
  | prdScc {t : Tm} : NV t → Step (.prd (.scc t)) t
  | prd {t t' : Tm} : Step t t' → Step (.prd t) (.prd t')
  | iszroZro : Step (.iszro .zro) .tru
  | iszroScc {t : Tm} : NV t → Step (.iszro (.scc t)) .fls
  | iszro {t t' : Tm} : Step t t' → Step (.iszro t) (.iszro t')

inductive Ty where
  | bool
  | nat

inductive HasType : Tm → Ty → Prop where
  | tru : HasType .tru .bool
  | fls : HasType .fls .bool
  | ite {c t e : Tm} {T : Ty} : HasType c .bool → HasType t T → HasType e T → HasType (.ite c t e) T
  | zro : HasType .zro .nat
  | scc {t : Tm} : HasType t .nat → HasType (.scc t) .nat
  | prd {t : Tm} : HasType t .nat → HasType (.prd t) .nat
  | iszro {t : Tm} : HasType t .nat → HasType (.iszro t) .bool

theorem value_normal (t t' : Tm) (hv : Value t) : ¬ Step t t' := by sorry

theorem preservation (t t' : Tm) (T : Ty) (ht : HasType t T) (hs : Step t t') :
    HasType t' T := by sorry

theorem progress (t : Tm) (T : Ty) (ht : HasType t T) : Value t ∨ ∃ t', Step t t' := by sorry

end Typed

namespace Closure

inductive Star {α : Type} (R : α → α → Prop) : α → α → Prop where
  | refl (x : α) : Star R x x
  | head {x y z : α} : R x y → Star R y z → Star R x z

def Diamond {α : Type} (R : α → α → Prop) : Prop :=
  ∀ x y z, R x y → R x z → ∃ w, R y w ∧ R z w

def Reach (g : List (Nat × Nat)) : Nat → Nat → Prop :=
  Star (fun a b => (a, b) ∈ g)

theorem star_symm {α : Type} (R : α → α → Prop) (h : ∀ x y, R x y → R y x) (x y : α)
    (hs : Star R x y) : Star R y x := by sorry

theorem not_reach : ¬ Reach [(0, 1), (1, 2), (2, 0), (3, 0), (3, 4)] 0 3 := by sorry

theorem diamond_star {α : Type} (R : α → α → Prop) (h : Diamond R) : Diamond (Star R) := by sorry

end Closure

namespace Trees

inductive Tree where
  | leaf
  | node (l : Tree) (x : Nat) (r : Tree)

def mirror : Tree → Tree
  | .leaf => .leaf
  | .node l x r => .node (mirror r) x (mirror l)

def inorder : Tree → List Nat
  | .leaf => []
  | .node l x r => inorder l ++ x :: inorder r

def All (p : Nat → Prop) : Tree → Prop
  | .leaf => True
  | .node l x r => All p l ∧ p x ∧ All p r

def BST : Tree → Prop
  | .leaf => True
  | .node l x r => BST l ∧ BST r ∧ All (fun y => y < x) l ∧ All (fun y => x < y) r

def ins (k : Nat) : Tree → Tree
  | .leaf => .node .leaf k .leaf
  | .node l x r =>
    if k < x then .node (ins k l) x r
    else if x < k then .node l x (ins k r)
    else .node l x r

theorem inorder_mirror (t : Tree) : inorder (mirror t) = (inorder t).reverse := by sorry

theorem bst_ins (k : Nat) (t : Tree) (h : BST t) : BST (ins k t) := by sorry

theorem bst_inorder_sorted (t : Tree) (h : BST t) :
    (inorder t).Pairwise (fun a b => a < b) := by sorry

end Trees

namespace Binary

inductive Bin where
  | z
  | dbl (b : Bin)
  | dbl1 (b : Bin)

def toNat : Bin → Nat
  | .z => 0
  | .dbl b => 2 * toNat b
  | .dbl1 b => 2 * toNat b + 1

def incr : Bin → Bin
  | .z => .dbl1 .z
  | .dbl b => .dbl1 b
  | .dbl1 b => .dbl (incr b)

def ofNat : Nat → Bin
  | 0 => .z
  | n + 1 => incr (ofNat n)

def add : Bin → Bin → Bin
  | .z, b => b
  | a, .z => a
  | .dbl a, .dbl b => .dbl (add a b)
  | .dbl a, .dbl1 b => .dbl1 (add a b)
  | .dbl1 a, .dbl b => .dbl1 (add a b)
  | .dbl1 a, .dbl1 b => .dbl (incr (add a b))

def double : Bin → Bin
  | .z => .z
  | b => .dbl b

def norm : Bin → Bin
  | .z => .z
  | .dbl b => double (norm b)
  | .dbl1 b => .dbl1 (norm b)

theorem toNat_ofNat (n : Nat) : toNat (ofNat n) = n := by sorry

theorem toNat_add (a b : Bin) : toNat (add a b) = toNat a + toNat b := by sorry

theorem ofNat_toNat (b : Bin) : ofNat (toNat b) = norm b := by sorry

end Binary

namespace Logic

inductive Form where
  | var (n : Nat)
  | neg (f : Form)
  | and (f g : Form)
  | or (f g : Form)
  | imp (f g : Form)

def sat (v : Nat → Prop) : Form → Prop
  | .var n => v n
  | .neg f => ¬ sat v f
  | .and f g => sat v f ∧ sat v g
  | .or f g => sat v f ∨ sat v g
  | .imp f g => sat v f → sat v g

def subst (s : Nat → Form) : Form → Form
  | .var n => s n
  | .neg f => .neg (subst s f)
  | .and f g => .and (subst s f) (subst s g)
  | .or f g => .or (subst s f) (subst s g)
  | .imp f g => .imp (subst s f) (subst s g)

def nnf : Bool → Form → Form
  | true, .var n => .var n
  | false, .var n => .neg (.var n)
  | p, .neg f => nnf (!p) f
  | true, .and f g => .and (nnf true f) (nnf true g)
  | false, .and f g => .or (nnf false f) (nnf false g)
  | true, .or f g => .or (nnf true f) (nnf true g)
  | false, .or f g => .and (nnf false f) (nnf false g)
  | true, .imp f g => .or (nnf false f) (nnf true g)
  | false, .imp f g => .and (nnf true f) (nnf false g)

theorem drinker {α : Type} [Nonempty α] (P : α → Prop) : ∃ x, P x → ∀ y, P y := by sorry

theorem sat_subst (v : Nat → Prop) (s : Nat → Form) (f : Form) :
    sat v (subst s f) ↔ sat (fun n => sat v (s n)) f := by sorry

theorem sat_nnf (v : Nat → Prop) (f : Form) : sat v (nnf true f) ↔ sat v f := by sorry

end Logic

namespace Imp

abbrev State := String → Nat

def upd (s : State) (x : String) (n : Nat) : State :=
  fun y => if y = x then n else s y

inductive Com where
  | skip
  | assign (x : String) (a : State → Nat)
  | seq (c d : Com)
  | ite (b : State → Bool) (c d : Com)
  | loop (b : State → Bool) (c : Com)

inductive Big : Com → State → State → Prop where
  | skip (s : State) : Big .skip s s
  | assign (x : String) (a : State → Nat) (s : State) : Big (.assign x a) s (upd s x (a s))
  | seq {c d : Com} {s t u : State} : Big c s t → Big d t u → Big (.seq c d) s u
  | iteTrue {b : State → Bool} {c d : Com} {s t : State} :
      b s = true → Big c s t → Big (.ite b c d) s t
  | iteFalse {b : State → Bool} {c d : Com} {s t : State} :
      b s = false → Big d s t → Big (.ite b c d) s t
  | loopFalse {b : State → Bool} {c : Com} {s : State} : b s = false → Big (.loop b c) s s
  | loopTrue {b : State → Bool} {c : Com} {s t u : State} :
      b s = true → Big c s t → Big (.loop b c) t u → Big (.loop b c) s u

def Hoare (P : State → Prop) (c : Com) (Q : State → Prop) : Prop :=
  ∀ s t, P s → Big c s t → Q t

theorem upd_comm (s : State) (x y : String) (m n : Nat) (h : x ≠ y) :
    upd (upd s x m) y n = upd (upd s y n) x m := by sorry

theorem hoare_loop (P : State → Prop) (b : State → Bool) (c : Com)
    (h : Hoare (fun s => P s ∧ b s = true) c P) :
    Hoare P (.loop b c) (fun s => P s ∧ b s = false) := by sorry

theorem big_deterministic (c : Com) (s t u : State) (h1 : Big c s t) (h2 : Big c s u) :
    t = u := by sorry

end Imp

namespace Sorting

inductive Perm : List Nat → List Nat → Prop where
  | nil : Perm [] []
  | cons (x : Nat) {l m : List Nat} : Perm l m → Perm (x :: l) (x :: m)
  | swap (x y : Nat) (l : List Nat) : Perm (x :: y :: l) (y :: x :: l)
  | trans {l m n : List Nat} : Perm l m → Perm m n → Perm l n

inductive Sorted : List Nat → Prop where
  | nil : Sorted []
  | one (x : Nat) : Sorted [x]
  | cons (x y : Nat) (l : List Nat) : x ≤ y → Sorted (y :: l) → Sorted (x :: y :: l)

def insert (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: l => if x ≤ y then x :: y :: l else y :: insert x l

def isort : List Nat → List Nat
  | [] => []
  | x :: l => insert x (isort l)

theorem isort_perm (l : List Nat) : Perm l (isort l) := by sorry

theorem isort_sorted (l : List Nat) : Sorted (isort l) := by sorry

theorem sorted_perm_unique (l m : List Nat) (hl : Sorted l) (hm : Sorted m) (h : Perm l m) :
    l = m := by sorry

end Sorting

namespace Lists

structure Queue (α : Type) where
  front : List α
  back : List α

def Queue.toList {α : Type} (q : Queue α) : List α := q.front ++ q.back.reverse

def Queue.push {α : Type} (q : Queue α) (a : α) : Queue α := ⟨q.front, a :: q.back⟩

def Queue.pop {α : Type} (q : Queue α) : Option (α × Queue α) :=
  match q.front with
  | a :: f => some (a, ⟨f, q.back⟩)
  | [] =>
    match q.back.reverse with
    | [] => none
    | a :: f => some (a, ⟨f, []⟩)

def bump {α : Type} [DecidableEq α] (x : α) : List (α × Nat) → List (α × Nat)
  | [] => [(x, 1)]
  | (y, n) :: r => if x = y then (y, n + 1) :: r else (x, 1) :: (y, n) :: r

def encode {α : Type} [DecidableEq α] : List α → List (α × Nat)
  | [] => []
  | x :: l => bump x (encode l)

def decode {α : Type} : List (α × Nat) → List α
  | [] => []
  | (x, n) :: r => List.replicate n x ++ decode r

theorem pop_toList {α : Type} (q : Queue α) :
    q.pop.map (fun p => p.1 :: p.2.toList) = if q.toList.isEmpty then none else some q.toList := by sorry

theorem push_all {α : Type} (q : Queue α) (l : List α) :
    (l.foldl Queue.push q).toList = q.toList ++ l := by sorry

theorem decode_encode {α : Type} [DecidableEq α] (l : List α) : decode (encode l) = l := by sorry

end Lists

namespace Algebra

structure Group (G : Type) where
  mul : G → G → G
  one : G
  inv : G → G
  assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)
  one_mul : ∀ a, mul one a = a
  inv_mul : ∀ a, mul (inv a) a = one

structure Hom {G H : Type} (A : Group G) (B : Group H) where
  map : G → H
  map_mul : ∀ a b, map (A.mul a b) = B.mul (map a) (map b)

theorem mul_inv {G : Type} (A : Group G) (a : G) : A.mul a (A.inv a) = A.one := by sorry

theorem inv_mul_rev {G : Type} (A : Group G) (a b : G) :
    A.inv (A.mul a b) = A.mul (A.inv b) (A.inv a) := by sorry

theorem hom_inv {G H : Type} (A : Group G) (B : Group H) (f : Hom A B) (a : G) :
    f.map (A.inv a) = B.inv (f.map a) := by sorry

end Algebra
