-- run-length codes, binary numbers, zippers
def encode {α : Type} [DecidableEq α] : List α → List (α × Nat)
  | [] => []
  | x :: xs => match encode xs with
    | [] => [(x, 1)]
    | (y, n) :: rest => if x = y then (y, n + 1) :: rest else (x, 1) :: (y, n) :: rest

def decode {α : Type} : List (α × Nat) → List α
  | [] => []
  | (x, n) :: rest => List.replicate n x ++ decode rest

theorem decode_encode {α : Type} [DecidableEq α] (xs : List α) : decode (encode xs) = xs := by
  sorry

theorem decode_append {α : Type} (a b : List (α × Nat)) : decode (a ++ b) = decode a ++ decode b := by
  sorry

def bits : List Bool → Nat
  | [] => 0
  | b :: bs => (if b then 1 else 0) + 2 * bits bs

def inc : List Bool → List Bool
  | [] => [true]
  | false :: bs => true :: bs
  | true :: bs => false :: inc bs

theorem bits_inc (bs : List Bool) : bits (inc bs) = bits bs + 1 := by
  sorry

theorem bits_lt (bs : List Bool) : bits bs < 2 ^ bs.length := by
  sorry

theorem bits_append (a b : List Bool) : bits (a ++ b) = bits a + 2 ^ a.length * bits b := by
  sorry

structure Zipper (α : Type) where
  left : List α
  focus : α
  right : List α

namespace Zipper
def toList {α} (z : Zipper α) : List α := z.left.reverse ++ z.focus :: z.right
def moveRight {α} (z : Zipper α) : Zipper α :=
  match z.right with
  | [] => z
  | x :: xs => ⟨z.focus :: z.left, x, xs⟩
def moveLeft {α} (z : Zipper α) : Zipper α :=
  match z.left with
  | [] => z
  | x :: xs => ⟨xs, x, z.focus :: z.right⟩
def modify {α} (f : α → α) (z : Zipper α) : Zipper α := { z with focus := f z.focus }

theorem toList_moveRight {α} (z : Zipper α) : z.moveRight.toList = z.toList := by
  sorry

theorem toList_moveLeft {α} (z : Zipper α) : z.moveLeft.toList = z.toList := by
  sorry

theorem length_modify {α} (f : α → α) (z : Zipper α) : (z.modify f).toList.length = z.toList.length := by
  sorry

theorem moveLeft_moveRight {α} (z : Zipper α) (h : z.right ≠ []) : z.moveRight.moveLeft = z := by
  sorry
end Zipper

-- sorting
def ins (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: ins x ys
def isort : List Nat → List Nat
  | [] => []
  | x :: xs => ins x (isort xs)
def Sorted : List Nat → Prop
  | [] => True
  | [_] => True
  | x :: y :: ys => x ≤ y ∧ Sorted (y :: ys)
def count (a : Nat) : List Nat → Nat
  | [] => 0
  | x :: xs => (if x = a then 1 else 0) + count a xs

theorem sorted_insert (x : Nat) (l : List Nat) (h : Sorted l) : Sorted (ins x l) := by
  sorry

theorem sorted_isort (l : List Nat) : Sorted (isort l) := by
  sorry

theorem count_insert (a x : Nat) (l : List Nat) : count a (ins x l) = (if x = a then 1 else 0) + count a l := by
  sorry

theorem count_isort (a : Nat) (l : List Nat) : count a (isort l) = count a l := by
  sorry

theorem isort_of_sorted (l : List Nat) (h : Sorted l) : isort l = l := by
  sorry

-- a small imperative language
inductive Aexp
  | num (n : Int)
  | var (x : String)
  | plus (a b : Aexp)

def State := String → Int

def Aexp.eval (s : State) : Aexp → Int
  | num n => n
  | var x => s x
  | plus a b => a.eval s + b.eval s

def Aexp.fold : Aexp → Aexp
  | num n => num n
  | var x => var x
  | plus a b => match a.fold, b.fold with
    | num m, num n => num (m + n)
    | num 0, b' => b'
    | a', num 0 => a'
    | a', b' => plus a' b'

def Aexp.subst (x : String) (e : Aexp) : Aexp → Aexp
  | num n => num n
  | var y => if y = x then e else var y
  | plus a b => plus (subst x e a) (subst x e b)

def update (s : State) (x : String) (v : Int) : State := fun y => if y = x then v else s y

theorem eval_fold (s : State) (a : Aexp) : a.fold.eval s = a.eval s := by
  sorry

theorem eval_subst (s : State) (x : String) (e a : Aexp) : (Aexp.subst x e a).eval s = a.eval (update s x (e.eval s)) := by
  sorry

theorem update_same (s : State) (x : String) (v w : Int) : update (update s x v) x w = update s x w := by
  sorry

theorem update_comm (s : State) (x y : String) (v w : Int) (h : x ≠ y) :
    update (update s x v) y w = update (update s y w) x v := by
  sorry

theorem update_id (s : State) (x : String) : update s x (s x) = s := by
  sorry

inductive Com
  | skip
  | assign (x : String) (a : Aexp)
  | seq (c d : Com)
  | choice (c d : Com)

inductive Exec : Com → State → State → Prop
  | skip (s : State) : Exec .skip s s
  | assign (x : String) (a : Aexp) (s : State) : Exec (.assign x a) s (update s x (a.eval s))
  | seq {c d : Com} {s t u : State} : Exec c s t → Exec d t u → Exec (.seq c d) s u
  | left {c d : Com} {s t : State} : Exec c s t → Exec (.choice c d) s t
  | right {c d : Com} {s t : State} : Exec d s t → Exec (.choice c d) s t

theorem exec_skip_iff (s t : State) : Exec .skip s t ↔ s = t := by
  sorry

theorem exec_seq_iff (c d : Com) (s u : State) : Exec (.seq c d) s u ↔ ∃ t, Exec c s t ∧ Exec d t u := by
  sorry

theorem exec_seq_assoc (a b c : Com) (s t : State) : Exec (.seq (.seq a b) c) s t ↔ Exec (.seq a (.seq b c)) s t := by
  sorry

theorem exec_choice_comm (c d : Com) (s t : State) : Exec (.choice c d) s t ↔ Exec (.choice d c) s t := by
  sorry

theorem exec_seq_choice (a b c : Com) (s t : State) :
    Exec (.seq a (.choice b c)) s t ↔ Exec (.choice (.seq a b) (.seq a c)) s t := by
  sorry

theorem exec_total (c : Com) (s : State) : ∃ t, Exec c s t := by
  sorry
