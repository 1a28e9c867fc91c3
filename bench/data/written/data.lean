-- Functions on data types of one's own: lists, numbers, search trees, queues.
inductive Color where
  | red | green | blue
  deriving DecidableEq

def Color.next : Color → Color
  | red => green
  | green => blue
  | blue => red

theorem h1 (c : Color) : c.next.next.next = c := by
  sorry

theorem h2 (c : Color) : c.next ≠ c := by
  sorry

def count (x : Nat) : List Nat → Nat
  | [] => 0
  | y :: ys => (if x = y then 1 else 0) + count x ys

theorem h3 (x : Nat) (xs ys : List Nat) : count x (xs ++ ys) = count x xs + count x ys := by
  sorry

theorem h4 (x : Nat) (xs : List Nat) : count x xs ≤ xs.length := by
  sorry

theorem h5 (x : Nat) (xs : List Nat) : count x xs.reverse = count x xs := by
  sorry

def evens : List Nat → List Nat
  | [] => []
  | x :: xs => if x % 2 = 0 then x :: evens xs else evens xs

theorem h6 (xs : List Nat) : (evens xs).length ≤ xs.length := by
  sorry

theorem h7 (xs : List Nat) (y : Nat) (h : y ∈ evens xs) : y % 2 = 0 := by
  sorry

theorem h8 (xs : List Nat) : evens (evens xs) = evens xs := by
  sorry

def zipAdd : List Nat → List Nat → List Nat
  | x :: xs, y :: ys => (x + y) :: zipAdd xs ys
  | _, _ => []

theorem h9 (xs ys : List Nat) : zipAdd xs ys = zipAdd ys xs := by
  sorry

theorem h10 (xs ys : List Nat) : (zipAdd xs ys).length = min xs.length ys.length := by
  sorry

def maxList : List Nat → Nat
  | [] => 0
  | x :: xs => max x (maxList xs)

theorem h11 (xs : List Nat) (x : Nat) (h : x ∈ xs) : x ≤ maxList xs := by
  sorry

theorem h12 (xs ys : List Nat) : maxList (xs ++ ys) = max (maxList xs) (maxList ys) := by
  sorry

inductive Nat' where
  | zero : Nat'
  | succ : Nat' → Nat'

namespace Nat'
def add : Nat' → Nat' → Nat'
  | n, zero => n
  | n, succ m => succ (add n m)

def mul : Nat' → Nat' → Nat'
  | _, zero => zero
  | n, succ m => add (mul n m) n

theorem h13 (n : Nat') : add zero n = n := by
  sorry

theorem h14 (n m : Nat') : add (succ n) m = succ (add n m) := by
  sorry

theorem h15 (n m : Nat') : add n m = add m n := by
  sorry

theorem h16 (a b c : Nat') : add (add a b) c = add a (add b c) := by
  sorry

theorem h17 (n : Nat') : mul zero n = zero := by
  sorry

theorem h18 (a b c : Nat') : mul a (add b c) = add (mul a b) (mul a c) := by
  sorry
end Nat'

inductive Le : Nat → Nat → Prop where
  | refl : ∀ n, Le n n
  | step : ∀ m n, Le m n → Le m (n + 1)

theorem h19 (m n : Nat) (h : Le m n) : m ≤ n := by
  sorry

theorem h20 (m n k : Nat) (h : Le m n) (h' : Le n k) : Le m k := by
  sorry

theorem h21 (n : Nat) : Le 0 n := by
  sorry

inductive BST : Type where
  | nil : BST
  | node : BST → Nat → BST → BST

def BST.insert (x : Nat) : BST → BST
  | nil => node nil x nil
  | node l y r => if x < y then node (l.insert x) y r else if y < x then node l y (r.insert x) else node l y r

def BST.has (x : Nat) : BST → Bool
  | nil => false
  | node l y r => x == y || l.has x || r.has x

def BST.size : BST → Nat
  | nil => 0
  | node l _ r => l.size + 1 + r.size

theorem h22 (x : Nat) (t : BST) : (t.insert x).has x = true := by
  sorry

theorem h23 (x : Nat) (t : BST) : (t.insert x).size ≤ t.size + 1 := by
  sorry

theorem h24 (x y : Nat) (t : BST) (h : t.has y = true) : (t.insert x).has y = true := by
  sorry

structure Queue where
  front : List Nat
  back : List Nat

def Queue.toList (q : Queue) : List Nat := q.front ++ q.back.reverse
def Queue.push (q : Queue) (x : Nat) : Queue := { q with back := x :: q.back }
def Queue.pop (q : Queue) : Option (Nat × Queue) := match q.front with
  | x :: f => some (x, { q with front := f })
  | [] => match q.back.reverse with
    | x :: f => some (x, { front := f, back := [] })
    | [] => none

theorem h25 (q : Queue) (x : Nat) : (q.push x).toList = q.toList ++ [x] := by
  sorry

theorem h26 (q : Queue) (h : q.pop = none) : q.toList = [] := by
  sorry

def isPrefix : List Nat → List Nat → Bool
  | [], _ => true
  | x :: xs, y :: ys => x == y && isPrefix xs ys
  | _, _ => false

theorem h27 (xs ys : List Nat) : isPrefix xs (xs ++ ys) = true := by
  sorry

theorem h28 (xs ys : List Nat) (h : isPrefix xs ys = true) : ∃ zs, ys = xs ++ zs := by
  sorry

def pow (b : Nat) : Nat → Nat
  | 0 => 1
  | n + 1 => b * pow b n

theorem h29 (b m n : Nat) : pow b (m + n) = pow b m * pow b n := by
  sorry

theorem h30 (b n : Nat) (h : 0 < b) : 0 < pow b n := by
  sorry

def myTake : Nat → List Nat → List Nat
  | 0, _ => []
  | _, [] => []
  | n + 1, x :: xs => x :: myTake n xs

theorem i1 (n : Nat) (xs : List Nat) : (myTake n xs).length ≤ n := by
  sorry

theorem i2 (n : Nat) (xs : List Nat) (x : Nat) (h : x ∈ myTake n xs) : x ∈ xs := by
  sorry

def member (x : Nat) : List Nat → Bool
  | [] => false
  | y :: ys => x == y || member x ys

theorem i3 (x : Nat) (xs : List Nat) (h : member x xs = true) : x ∈ xs := by
  sorry

theorem i4 (x : Nat) (xs ys : List Nat) (h : member x xs = true) : member x (xs ++ ys) = true := by
  sorry
