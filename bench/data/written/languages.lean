-- Ackermann
def ack : Nat → Nat → Nat
  | 0, n => n + 1
  | m + 1, 0 => ack m 1
  | m + 1, n + 1 => ack m (ack (m + 1) n)

theorem ack_one (n : Nat) : ack 1 n = n + 2 := by
  sorry

theorem ack_two (n : Nat) : ack 2 n = 2 * n + 3 := by
  sorry

theorem lt_ack (m n : Nat) : n < ack m n := by
  sorry

-- permutations as an inductive predicate
inductive Perm' {α : Type} : List α → List α → Prop
  | nil : Perm' [] []
  | cons (x : α) {l₁ l₂ : List α} : Perm' l₁ l₂ → Perm' (x :: l₁) (x :: l₂)
  | swap (x y : α) (l : List α) : Perm' (y :: x :: l) (x :: y :: l)
  | trans {l₁ l₂ l₃ : List α} : Perm' l₁ l₂ → Perm' l₂ l₃ → Perm' l₁ l₃

theorem Perm'.refl {α : Type} (l : List α) : Perm' l l := by
  sorry

theorem Perm'.symm {α : Type} {l₁ l₂ : List α} (h : Perm' l₁ l₂) : Perm' l₂ l₁ := by
  sorry

theorem Perm'.length_eq {α : Type} {l₁ l₂ : List α} (h : Perm' l₁ l₂) : l₁.length = l₂.length := by
  sorry

theorem Perm'.mem_iff {α : Type} {l₁ l₂ : List α} (h : Perm' l₁ l₂) (a : α) : a ∈ l₁ ↔ a ∈ l₂ := by
  sorry

theorem Perm'.map {α β : Type} (f : α → β) {l₁ l₂ : List α} (h : Perm' l₁ l₂) : Perm' (l₁.map f) (l₂.map f) := by
  sorry

theorem Perm'.append_left {α : Type} (l : List α) {l₁ l₂ : List α} (h : Perm' l₁ l₂) : Perm' (l ++ l₁) (l ++ l₂) := by
  sorry

theorem Perm'.append_right {α : Type} (l : List α) {l₁ l₂ : List α} (h : Perm' l₁ l₂) : Perm' (l₁ ++ l) (l₂ ++ l) := by
  sorry

theorem Perm'.middle {α : Type} (x : α) (l₁ l₂ : List α) : Perm' (l₁ ++ x :: l₂) (x :: (l₁ ++ l₂)) := by
  sorry

-- regular expressions
inductive Regex (α : Type)
  | empty
  | eps
  | char (c : α)
  | alt (r s : Regex α)
  | seq (r s : Regex α)
  | star (r : Regex α)

namespace Regex
inductive Matches {α : Type} : Regex α → List α → Prop
  | eps : Matches eps []
  | char (c : α) : Matches (char c) [c]
  | altLeft {r s : Regex α} {w : List α} : Matches r w → Matches (alt r s) w
  | altRight {r s : Regex α} {w : List α} : Matches s w → Matches (alt r s) w
  | seq {r s : Regex α} {u v : List α} : Matches r u → Matches s v → Matches (seq r s) (u ++ v)
  | starNil {r : Regex α} : Matches (star r) []
  | starCons {r : Regex α} {u v : List α} : Matches r u → Matches (star r) v → Matches (star r) (u ++ v)

def nullable {α : Type} : Regex α → Bool
  | empty => false
  | eps => true
  | char _ => false
  | alt r s => nullable r || nullable s
  | seq r s => nullable r && nullable s
  | star _ => true

theorem not_matches_empty {α : Type} (w : List α) : ¬ Matches (empty : Regex α) w := by
  sorry

theorem matches_alt_comm {α : Type} (r s : Regex α) (w : List α) : Matches (alt r s) w → Matches (alt s r) w := by
  sorry

theorem matches_eps_iff {α : Type} (w : List α) : Matches (eps : Regex α) w ↔ w = [] := by
  sorry

theorem matches_alt_iff {α : Type} (r s : Regex α) (w : List α) : Matches (alt r s) w ↔ Matches r w ∨ Matches s w := by
  sorry

theorem matches_seq_eps {α : Type} (r : Regex α) (w : List α) : Matches r w → Matches (seq eps r) w := by
  sorry

theorem matches_star_one {α : Type} (r : Regex α) (w : List α) (h : Matches r w) : Matches (star r) w := by
  sorry

theorem nullable_sound {α : Type} (r : Regex α) (h : nullable r = true) : Matches r [] := by
  sorry

theorem nullable_complete {α : Type} (r : Regex α) (h : Matches r []) : nullable r = true := by
  sorry
end Regex

-- relations
def Refl {α : Type} (r : α → α → Prop) := ∀ x, r x x
def Symm {α : Type} (r : α → α → Prop) := ∀ x y, r x y → r y x
def Trans' {α : Type} (r : α → α → Prop) := ∀ x y z, r x y → r y z → r x z
def Eucl {α : Type} (r : α → α → Prop) := ∀ x y z, r x y → r x z → r y z
def comp {α : Type} (r s : α → α → Prop) : α → α → Prop := fun x z => ∃ y, r x y ∧ s y z

theorem symm_of_eucl {α : Type} (r : α → α → Prop) (h : Refl r) (e : Eucl r) : Symm r := by
  sorry

theorem trans_of_eucl {α : Type} (r : α → α → Prop) (h : Refl r) (e : Eucl r) : Trans' r := by
  sorry

theorem comp_assoc {α : Type} (r s t : α → α → Prop) : comp (comp r s) t = comp r (comp s t) := by
  sorry

theorem trans_iff_comp {α : Type} (r : α → α → Prop) : Trans' r ↔ ∀ x z, comp r r x z → r x z := by
  sorry

inductive Star {α : Type} (r : α → α → Prop) : α → α → Prop
  | refl (x : α) : Star r x x
  | step {x y z : α} : r x y → Star r y z → Star r x z

theorem Star.trans {α : Type} {r : α → α → Prop} {x y z : α} (h : Star r x y) (k : Star r y z) : Star r x z := by
  sorry

theorem Star.tail {α : Type} {r : α → α → Prop} {x y z : α} (h : Star r x y) (k : r y z) : Star r x z := by
  sorry

theorem Star.mono {α : Type} {r s : α → α → Prop} (h : ∀ x y, r x y → s x y) {x y : α} (k : Star r x y) : Star s x y := by
  sorry

theorem Star.invariant {α : Type} {r : α → α → Prop} (p : α → Prop) (h : ∀ x y, r x y → p x → p y) {x y : α}
    (k : Star r x y) (hx : p x) : p y := by
  sorry

theorem Star.symm {α : Type} {r : α → α → Prop} (h : ∀ x y, r x y → r y x) {x y : α} (k : Star r x y) : Star r y x := by
  sorry
