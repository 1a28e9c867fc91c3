/-! Verified containers: a two-stack queue, run-length codes, a list zipper, search trees,
skew heaps, association maps, tries and insertion sort with its own notion of permutation. -/

namespace Containers

structure Queue (α : Type) where
  front : List α
  back : List α

def Queue.toList {α : Type} (q : Queue α) : List α := q.front ++ q.back.reverse

def Queue.push {α : Type} (q : Queue α) (x : α) : Queue α := { q with back := x :: q.back }

def Queue.pop? {α : Type} (q : Queue α) : Option (α × Queue α) :=
  match q.front with
  | x :: xs => some (x, ⟨xs, q.back⟩)
  | [] =>
    match q.back.reverse with
    | [] => none
    | x :: xs => some (x, ⟨xs, []⟩)

def emit {α : Type} [DecidableEq α] (x : α) : List (α × Nat) → List (α × Nat)
  | [] => [(x, 1)]
  | (y, n) :: rs => if x = y then (y, n + 1) :: rs else (x, 1) :: (y, n) :: rs

def rle {α : Type} [DecidableEq α] : List α → List (α × Nat)
  | [] => []
  | x :: xs => emit x (rle xs)

def unrle {α : Type} : List (α × Nat) → List α
  | [] => []
  | (x, n) :: rs => List.replicate n x ++ unrle rs

structure Zipper (α : Type) where
  left : List α
  focus : α
  right : List α

namespace Zipper
variable {α : Type}

def toList (z : Zipper α) : List α := z.left.reverse ++ z.focus :: z.right

def goRight : Zipper α → Option (Zipper α)
  | ⟨_, _, []⟩ => none
  | ⟨l, x, y :: r⟩ => some ⟨x :: l, y, r⟩

def goLeft : Zipper α → Option (Zipper α)
  | ⟨[], _, _⟩ => none
  | ⟨y :: l, x, r⟩ => some ⟨l, y, x :: r⟩

end Zipper

inductive Tree where
  | leaf : Tree
  | node : Tree → Nat → Tree → Tree

namespace Tree

def Mem (x : Nat) : Tree → Prop
  | leaf => False
  | node l y r => Mem x l ∨ x = y ∨ Mem x r

inductive Search : Tree → Prop where
  | leaf : Search leaf
  | node {l y r} : Search l → Search r → (∀ x, Mem x l → x < y) → (∀ x, Mem x r → y < x) →
      Search (node l y r)

def find (x : Nat) : Tree → Bool
  | leaf => false
  | node l y r => if x < y then find x l else if y < x then find x r else true

def insert (x : Nat) : Tree → Tree
  | leaf => node leaf x leaf
  | node l y r =>
    if x < y then node (insert x l) y r else if y < x then node l y (insert x r)
    else node l y r

def toList : Tree → List Nat
  | leaf => []
  | node l y r => toList l ++ y :: toList r

/-- flattening with an accumulator -/
def flat : Tree → List Nat → List Nat
  | leaf, acc => acc
  | node l y r, acc => flat l (y :: flat r acc)

def size : Tree → Nat
  | leaf => 0
  | node l _ r => size l + 1 + size r

def merge : Tree → Tree → Tree
  | leaf, t => t
  | t, leaf => t
  | node l x r, node l' y r' =>
    if x ≤ y then node (merge r (node l' y r')) x l else node (merge r' (node l x r)) y l'
termination_by s t => s.size + t.size
decreasing_by all_goals simp only [size]; omega

def Above (x : Nat) : Tree → Prop
  | leaf => True
  | node _ y _ => x ≤ y

def Heap : Tree → Prop
  | leaf => True
  | node l x r => Above x l ∧ Above x r ∧ Heap l ∧ Heap r

end Tree

def lookup {β : Type} (k : String) : List (String × β) → Option β
  | [] => none
  | (k', v) :: m => if k = k' then some v else lookup k m

def erase {β : Type} (k : String) : List (String × β) → List (String × β)
  | [] => []
  | (k', v) :: m => if k = k' then erase k m else (k', v) :: erase k m

inductive Trie where
  | empty : Trie
  | fork : Bool → Trie → Trie → Trie

namespace Trie

def has : Trie → List Bool → Bool
  | empty, _ => false
  | fork b _ _, [] => b
  | fork _ l _, false :: w => has l w
  | fork _ _ r, true :: w => has r w

def add : Trie → List Bool → Trie
  | empty, [] => fork true empty empty
  | fork _ l r, [] => fork true l r
  | empty, false :: w => fork false (add empty w) empty
  | empty, true :: w => fork false empty (add empty w)
  | fork b l r, false :: w => fork b (add l w) r
  | fork b l r, true :: w => fork b l (add r w)

end Trie

inductive Shuffle : List Nat → List Nat → Prop where
  | nil : Shuffle [] []
  | skip (x) {xs ys} : Shuffle xs ys → Shuffle (x :: xs) (x :: ys)
  | swap (x y xs) : Shuffle (x :: y :: xs) (y :: x :: xs)
  | trans {xs ys zs} : Shuffle xs ys → Shuffle ys zs → Shuffle xs zs

inductive Sorted : List Nat → Prop where
  | nil : Sorted []
  | one (x) : Sorted [x]
  | cons {x y ys} : x ≤ y → Sorted (y :: ys) → Sorted (x :: y :: ys)

def place (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: place x ys

def isort : List Nat → List Nat
  | [] => []
  | x :: xs => place x (isort xs)

theorem push_toList {α : Type} (q : Queue α) (x : α) :
    (q.push x).toList = q.toList ++ [x] := by
  sorry

theorem pop_toList {α : Type} (q : Queue α) :
    q.pop?.map (fun p => p.1 :: p.2.toList) = if q.toList.isEmpty then none else some q.toList := by
  sorry

theorem unrle_rle {α : Type} [DecidableEq α] (xs : List α) : unrle (rle xs) = xs := by
  sorry

theorem rle_replicate {α : Type} [DecidableEq α] (x : α) (n : Nat) :
    rle (List.replicate (n + 1) x) = [(x, n + 1)] := by
  sorry

theorem goRight_toList {α : Type} {z z' : Zipper α} (h : z.goRight = some z') :
    z'.toList = z.toList := by
  sorry

theorem goLeft_iff_goRight {α : Type} (z z' : Zipper α) :
    z.goRight = some z' ↔ z'.goLeft = some z := by
  sorry

theorem mem_insert (x y : Nat) (t : Tree) : (t.insert y).Mem x ↔ x = y ∨ t.Mem x := by
  sorry

theorem search_insert (x : Nat) {t : Tree} (h : t.Search) : (t.insert x).Search := by
  sorry

theorem find_iff (x : Nat) {t : Tree} (h : t.Search) : t.find x = true ↔ t.Mem x := by
  sorry

theorem flat_eq (t : Tree) (acc : List Nat) : t.flat acc = t.toList ++ acc := by
  sorry

theorem size_merge (s t : Tree) : (s.merge t).size = s.size + t.size := by
  sorry

theorem heap_merge {s t : Tree} (hs : s.Heap) (ht : t.Heap) : (s.merge t).Heap := by
  sorry

theorem heap_root_least {l r : Tree} {x y : Nat} (h : (Tree.node l x r).Heap)
    (hy : (Tree.node l x r).Mem y) : x ≤ y := by
  sorry

theorem lookup_erase {β : Type} (k k' : String) (m : List (String × β)) :
    lookup k' (erase k m) = if k' = k then none else lookup k' m := by
  sorry

theorem has_add (t : Trie) (u w : List Bool) : (t.add u).has w = (t.has w || u == w) := by
  sorry

theorem shuffle_reverse (xs : List Nat) : Shuffle xs xs.reverse := by
  sorry

theorem isort_sorted (xs : List Nat) : Sorted (isort xs) := by
  sorry

theorem isort_unique {xs ys : List Nat} (h : Shuffle xs ys) : isort xs = isort ys := by
  sorry

end Containers
