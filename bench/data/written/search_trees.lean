/-! Search trees; mutually inductive even and odd numbers. -/
inductive Tr where
  | e : Tr
  | n : Tr → Nat → Tr → Tr

namespace Tr
def size : Tr → Nat
  | e => 0
  | n l _ r => l.size + 1 + r.size

def depth : Tr → Nat
  | e => 0
  | n l _ r => max l.depth r.depth + 1

def insert (x : Nat) : Tr → Tr
  | e => n e x e
  | n l y r => if x < y then n (l.insert x) y r else if y < x then n l y (r.insert x) else n l y r

def Mem (x : Nat) : Tr → Prop
  | e => False
  | n l y r => Mem x l ∨ x = y ∨ Mem x r

def has (x : Nat) : Tr → Bool
  | e => false
  | n l y r => if x < y then l.has x else if y < x then r.has x else true

def All (p : Nat → Prop) : Tr → Prop
  | e => True
  | n l y r => All p l ∧ p y ∧ All p r

def Ordered : Tr → Prop
  | e => True
  | n l y r => Ordered l ∧ Ordered r ∧ All (fun z => z < y) l ∧ All (fun z => y < z) r

def toList : Tr → List Nat
  | e => []
  | n l y r => l.toList ++ y :: r.toList

def flip : Tr → Tr
  | e => e
  | n l y r => n r.flip y l.flip

theorem flip_flip (t : Tr) : t.flip.flip = t := by sorry
theorem toList_flip (t : Tr) : t.flip.toList = t.toList.reverse := by sorry
theorem length_toList (t : Tr) : t.toList.length = t.size := by sorry
theorem depth_le_size (t : Tr) : t.depth ≤ t.size := by sorry
theorem size_lt_pow (t : Tr) : t.size < 2 ^ t.depth := by sorry
theorem mem_toList (x : Nat) (t : Tr) : x ∈ t.toList ↔ Mem x t := by sorry
theorem all_iff (p : Nat → Prop) (t : Tr) : All p t ↔ ∀ x, Mem x t → p x := by sorry
theorem all_insert (p : Nat → Prop) (x : Nat) (t : Tr) (h : p x) (ht : All p t) : All p (t.insert x) := by sorry
theorem mem_insert (x y : Nat) (t : Tr) : Mem y (t.insert x) ↔ y = x ∨ Mem y t := by sorry
theorem ordered_insert (x : Nat) (t : Tr) (ht : Ordered t) : Ordered (t.insert x) := by sorry
theorem has_iff (x : Nat) (t : Tr) (ht : Ordered t) : t.has x = true ↔ Mem x t := by sorry
theorem all_imp (p q : Nat → Prop) (h : ∀ x, p x → q x) (t : Tr) (ht : All p t) : All q t := by sorry
theorem size_insert_le (x : Nat) (t : Tr) : (t.insert x).size ≤ t.size + 1 := by sorry
theorem depth_flip (t : Tr) : t.flip.depth = t.depth := by sorry
end Tr

-- mutually inductive even and odd
mutual
inductive Ev : Nat → Prop
  | zero : Ev 0
  | succ : Od n → Ev (n + 1)
inductive Od : Nat → Prop
  | succ : Ev n → Od (n + 1)
end

theorem od_one : Od 1 := by sorry
theorem ev_two : Ev 2 := by sorry
theorem not_od_zero : ¬ Od 0 := by sorry
theorem ev_succ_succ (n : Nat) (h : Ev n) : Ev (n + 2) := by sorry
theorem ev_or_od (n : Nat) : Ev n ∨ Od n := by sorry
theorem ev_double (n : Nat) : Ev (n + n) := by sorry
