/-! Regular expressions, paths in graphs, streams. -/
inductive Re where
  | none | eps
  | chr (c : Char)
  | alt (r s : Re)
  | cat (r s : Re)
  | star (r : Re)

inductive Re.Matches : Re → List Char → Prop
  | eps : Matches .eps []
  | chr : Matches (.chr c) [c]
  | altl : Matches r w → Matches (.alt r s) w
  | altr : Matches s w → Matches (.alt r s) w
  | cat : Matches r u → Matches s v → Matches (.cat r s) (u ++ v)
  | nil : Matches (.star r) []
  | cons : Matches r u → Matches (.star r) v → Matches (.star r) (u ++ v)

namespace Re
def nullable : Re → Bool
  | none => false
  | eps => true
  | chr _ => false
  | alt r s => r.nullable || s.nullable
  | cat r s => r.nullable && s.nullable
  | star _ => true

def rev : Re → Re
  | alt r s => alt r.rev s.rev
  | cat r s => cat s.rev r.rev
  | star r => star r.rev
  | r => r

theorem not_none (w : List Char) : ¬ Matches none w := by sorry
theorem eps_iff (w : List Char) : Matches eps w ↔ w = [] := by sorry
theorem alt_iff (r s : Re) (w : List Char) : Matches (alt r s) w ↔ Matches r w ∨ Matches s w := by sorry
theorem cat_iff (r s : Re) (w : List Char) : Matches (cat r s) w ↔ ∃ u v, w = u ++ v ∧ Matches r u ∧ Matches s v := by sorry
theorem cat_eps (r : Re) (w : List Char) : Matches (cat r eps) w ↔ Matches r w := by sorry
theorem star_of (r : Re) (w : List Char) (h : Matches r w) : Matches (star r) w := by sorry
theorem nullable_of_nil (r : Re) (h : r.nullable = true) : Matches r [] := by sorry
theorem nullable_iff (r : Re) : r.nullable = true ↔ Matches r [] := by sorry
theorem rev_rev (r : Re) : r.rev.rev = r := by sorry
theorem star_append (r : Re) (u v : List Char) (hu : Matches (star r) u) (hv : Matches (star r) v) : Matches (star r) (u ++ v) := by sorry
end Re

-- reachability
inductive Path {V : Type} (E : V → V → Prop) : V → V → Nat → Prop
  | nil : Path E a a 0
  | cons : E a b → Path E b c n → Path E a c (n + 1)

namespace Path
theorem edge {V : Type} (E : V → V → Prop) (a b : V) (h : E a b) : Path E a b 1 := by sorry
theorem append {V : Type} (E : V → V → Prop) (a b c : V) (m n : Nat) (h : Path E a b m) (k : Path E b c n) : Path E a c (m + n) := by sorry
theorem snoc {V : Type} (E : V → V → Prop) (a b c : V) (n : Nat) (h : Path E a b n) (k : E b c) : Path E a c (n + 1) := by sorry
theorem reverse {V : Type} (E : V → V → Prop) (sym : ∀ a b, E a b → E b a) (a b : V) (n : Nat) (h : Path E a b n) : Path E b a n := by sorry
theorem mono {V : Type} (E F : V → V → Prop) (sub : ∀ a b, E a b → F a b) (a b : V) (n : Nat) (h : Path E a b n) : Path F a b n := by sorry
theorem invariant {V : Type} (E : V → V → Prop) (P : V → Prop) (step : ∀ a b, E a b → P a → P b) (a b : V) (n : Nat) (h : Path E a b n) (ha : P a) : P b := by sorry
theorem lt {E : Nat → Nat → Prop} (inc : ∀ a b, E a b → a < b) (a b n : Nat) (h : Path E a b n) : a + n ≤ b := by sorry
theorem zero {V : Type} (E : V → V → Prop) (a b : V) (h : Path E a b 0) : a = b := by sorry
end Path

-- streams
def Str (α : Type) := Nat → α
namespace Str
def map (f : α → β) (s : Str α) : Str β := fun n => f (s n)
def tail (s : Str α) : Str α := fun n => s (n + 1)
def cons (a : α) (s : Str α) : Str α
  | 0 => a
  | n + 1 => s n
def zip (f : α → β → γ) (s : Str α) (t : Str β) : Str γ := fun n => f (s n) (t n)
def iter (f : α → α) (a : α) : Str α
  | 0 => a
  | n + 1 => f (iter f a n)
def take : Nat → Str α → List α
  | 0, _ => []
  | n + 1, s => s 0 :: take n (tail s)

theorem tail_cons (a : α) (s : Str α) : tail (cons a s) = s := by sorry
theorem cons_tail (s : Str α) : cons (s 0) (tail s) = s := by sorry
theorem map_map (f : α → β) (g : β → γ) (s : Str α) : map g (map f s) = map (fun x => g (f x)) s := by sorry
theorem map_cons (f : α → β) (a : α) (s : Str α) : map f (cons a s) = cons (f a) (map f s) := by sorry
theorem tail_iter (f : α → α) (a : α) : tail (iter f a) = iter f (f a) := by sorry
theorem map_iter (f : α → α) (a : α) : map f (iter f a) = tail (iter f a) := by sorry
theorem zip_comm (f : α → α → β) (h : ∀ a b, f a b = f b a) (s t : Str α) : zip f s t = zip f t s := by sorry
theorem length_take (n : Nat) (s : Str α) : (take n s).length = n := by sorry
theorem take_map (f : α → β) (n : Nat) (s : Str α) : take n (map f s) = (take n s).map f := by sorry
theorem take_add (m n : Nat) (s : Str α) : take (m + n) s = take m s ++ take n (fun i => s (i + m)) := by sorry
theorem get_take (n i : Nat) (s : Str α) (h : i < n) : (take n s)[i]? = some (s i) := by sorry
end Str
