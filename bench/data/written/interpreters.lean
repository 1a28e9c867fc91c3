/-! Programs with loops and state. -/
inductive Op where
  | push (n : Int) | add | mul | dup | swap | pop
deriving Repr, DecidableEq

def exec : List Op → List Int → Option (List Int)
  | [], s => some s
  | .push n :: p, s => exec p (n :: s)
  | .add :: p, a :: b :: s => exec p ((b + a) :: s)
  | .mul :: p, a :: b :: s => exec p ((b * a) :: s)
  | .dup :: p, a :: s => exec p (a :: a :: s)
  | .swap :: p, a :: b :: s => exec p (b :: a :: s)
  | .pop :: p, _ :: s => exec p s
  | _, _ => none

theorem exec_append (p q : List Op) (s : List Int) : exec (p ++ q) s = (exec p s).bind (exec q) := by sorry
theorem exec_push_pop (n : Int) (p : List Op) (s : List Int) : exec (.push n :: .pop :: p) s = exec p s := by sorry
theorem exec_swap_swap (p : List Op) (a b : Int) (s : List Int) :
    exec (.swap :: .swap :: p) (a :: b :: s) = exec p (a :: b :: s) := by sorry
theorem exec_swap_add (p : List Op) (s : List Int) : exec (.swap :: .add :: p) s = exec (.add :: p) s := by sorry

inductive Ex where
  | const (n : Int) | plus (a b : Ex) | times (a b : Ex)

def Ex.eval : Ex → Int
  | const n => n
  | plus a b => a.eval + b.eval
  | times a b => a.eval * b.eval
noncomputable def Ex.compile : Ex → List Op
  | const n => [.push n]
  | plus a b => a.compile ++ b.compile ++ [.add]
  | times a b => a.compile ++ b.compile ++ [.mul]
def Ex.swapAll : Ex → Ex
  | const n => const n
  | plus a b => plus b.swapAll a.swapAll
  | times a b => times b.swapAll a.swapAll
def Ex.depth : Ex → Nat
  | const _ => 0
  | plus a b => max a.depth b.depth + 1
  | times a b => max a.depth b.depth + 1
def Ex.leaves : Ex → Nat
  | const _ => 1
  | plus a b => a.leaves + b.leaves
  | times a b => a.leaves + b.leaves
def Ex.opt : Ex → Ex
  | const n => const n
  | plus a b => match a.opt, b.opt with
    | const 0, b' => b'
    | a', const 0 => a'
    | a', b' => plus a' b'
  | times a b => match a.opt, b.opt with
    | const 1, b' => b'
    | a', const 1 => a'
    | a', b' => times a' b'

theorem compile_correct (e : Ex) (p : List Op) (s : List Int) :
    exec (e.compile ++ p) s = exec p (e.eval :: s) := by sorry
theorem compile_correct' (e : Ex) : exec e.compile [] = some [e.eval] := by sorry
theorem swapAll_eval (e : Ex) : e.swapAll.eval = e.eval := by sorry
theorem swapAll_swapAll (e : Ex) : e.swapAll.swapAll = e := by sorry
theorem leaves_pos (e : Ex) : 0 < e.leaves := by sorry
theorem leaves_le (e : Ex) : e.leaves ≤ 2 ^ e.depth := by sorry
theorem depth_lt_leaves (e : Ex) : e.depth < e.leaves := by sorry
theorem compile_length (e : Ex) : e.compile.length = 2 * e.leaves - 1 := by sorry
theorem opt_eval (e : Ex) : e.opt.eval = e.eval := by sorry
theorem opt_depth (e : Ex) : e.opt.depth ≤ e.depth := by sorry

def countdown : Nat → List Nat
  | 0 => []
  | n + 1 => n :: countdown n
theorem countdown_length (n : Nat) : (countdown n).length = n := by sorry
theorem countdown_mem (n m : Nat) : m ∈ countdown n ↔ m < n := by sorry
theorem countdown_reverse (n : Nat) : (countdown n).reverse = List.range n := by sorry

def collatz (n : Nat) : Nat := if n % 2 = 0 then n / 2 else 3 * n + 1
theorem collatz_pos (n : Nat) (h : 0 < n) : 0 < collatz n := by sorry
theorem collatz_lt (n : Nat) (h : 0 < n) (e : n % 2 = 0) : collatz n < n := by sorry

def sumDigits (n : Nat) : Nat := if n < 10 then n else n % 10 + sumDigits (n / 10)
theorem sumDigits_mod9 (n : Nat) : sumDigits n % 9 = n % 9 := by sorry
theorem sumDigits_le (n : Nat) : sumDigits n ≤ n := by sorry
theorem sumDigits_pos (n : Nat) (h : 0 < n) : 0 < sumDigits n := by sorry

def pow2 (b : Nat) (e : Nat) : Nat :=
  if e = 0 then 1 else if e % 2 = 0 then pow2 (b * b) (e / 2) else b * pow2 (b * b) (e / 2)
theorem pow2_eq (b e : Nat) : pow2 b e = b ^ e := by sorry

def gcd' (a b : Nat) : Nat := if h : b = 0 then a else gcd' b (a % b)
termination_by b
decreasing_by exact Nat.mod_lt _ (Nat.pos_of_ne_zero h)
theorem gcd'_zero (a : Nat) : gcd' a 0 = a := by sorry
theorem gcd'_dvd_left (a b : Nat) : gcd' a b ∣ a ∧ gcd' a b ∣ b := by sorry
theorem gcd'_eq (a b : Nat) : gcd' a b = Nat.gcd b a := by sorry

def insertSorted (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: insertSorted x ys
def sort : List Nat → List Nat
  | [] => []
  | x :: xs => insertSorted x (sort xs)
theorem insertSorted_length (x : Nat) (xs : List Nat) : (insertSorted x xs).length = xs.length + 1 := by sorry
theorem mem_insertSorted (x y : Nat) (xs : List Nat) : y ∈ insertSorted x xs ↔ y = x ∨ y ∈ xs := by sorry
theorem sort_length (xs : List Nat) : (sort xs).length = xs.length := by sorry
theorem mem_sort (y : Nat) (xs : List Nat) : y ∈ sort xs ↔ y ∈ xs := by sorry
theorem insertSorted_pairwise (x : Nat) (xs : List Nat) (h : xs.Pairwise (· ≤ ·)) :
    (insertSorted x xs).Pairwise (· ≤ ·) := by sorry
theorem sort_pairwise (xs : List Nat) : (sort xs).Pairwise (· ≤ ·) := by sorry
theorem sort_perm (xs : List Nat) : (sort xs).Perm xs := by sorry
theorem sort_sum (xs : List Nat) : (sort xs).sum = xs.sum := by sorry
theorem sort_idem (xs : List Nat) (h : xs.Pairwise (· ≤ ·)) : sort xs = xs := by sorry
