-- Binary trees.
inductive Tree (α : Type) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

namespace Tree

def size : Tree α → Nat
  | leaf => 0
  | node l _ r => l.size + 1 + r.size

def mirror : Tree α → Tree α
  | leaf => leaf
  | node l x r => node r.mirror x l.mirror

def flatten : Tree α → List α
  | leaf => []
  | node l x r => l.flatten ++ x :: r.flatten

def map (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l x r => node (l.map f) (f x) (r.map f)

def collect : Tree α → List α → List α
  | leaf, acc => acc
  | node l x r, acc => l.collect (x :: r.collect acc)

theorem mirror_mirror (t : Tree α) : t.mirror.mirror = t := by
  sorry

theorem size_mirror (t : Tree α) : t.mirror.size = t.size := by
  sorry

theorem length_flatten (t : Tree α) : t.flatten.length = t.size := by
  sorry

theorem flatten_mirror (t : Tree α) : t.mirror.flatten = t.flatten.reverse := by
  sorry

theorem flatten_map (f : α → β) (t : Tree α) : (t.map f).flatten = t.flatten.map f := by
  sorry

theorem collect_eq (t : Tree α) (acc : List α) : t.collect acc = t.flatten ++ acc := by
  sorry

theorem length_collect_nil (t : Tree α) : (t.collect []).length = t.mirror.size := by
  sorry

end Tree
