-- Sets as predicates, relations, functions, lists.
def Set' (α : Type) := α → Prop
def Set'.union {α : Type} (s t : Set' α) : Set' α := fun x => s x ∨ t x
def Set'.inter {α : Type} (s t : Set' α) : Set' α := fun x => s x ∧ t x
def Set'.compl {α : Type} (s : Set' α) : Set' α := fun x => ¬ s x
def Set'.sub {α : Type} (s t : Set' α) : Prop := ∀ x, s x → t x

theorem i1 {α : Type} (s t : Set' α) : s.union t = t.union s := by
  sorry

theorem i2 {α : Type} (s t u : Set' α) : s.inter (t.union u) = (s.inter t).union (s.inter u) := by
  sorry

theorem i3 {α : Type} (s t : Set' α) : (s.union t).compl = s.compl.inter t.compl := by
  sorry

theorem i4 {α : Type} (s t : Set' α) (h : s.sub t) : t.compl.sub s.compl := by
  sorry

theorem i5 {α : Type} (s t u : Set' α) (h : s.sub t) (h' : t.sub u) : s.sub u := by
  sorry

def Injective {α β : Type} (f : α → β) : Prop := ∀ x y, f x = f y → x = y
def Surjective {α β : Type} (f : α → β) : Prop := ∀ y, ∃ x, f x = y
theorem i6 {α β γ : Type} (f : α → β) (g : β → γ) (hf : Injective f) (hg : Injective g) : Injective (g ∘ f) := by
  sorry

theorem i7 {α β γ : Type} (f : α → β) (g : β → γ) (hf : Surjective f) (hg : Surjective g) : Surjective (g ∘ f) := by
  sorry

theorem i8 {α β γ : Type} (f : α → β) (g : β → γ) (h : Injective (g ∘ f)) : Injective f := by
  sorry

theorem i9 {α β γ : Type} (f : α → β) (g : β → γ) (h : Surjective (g ∘ f)) : Surjective g := by
  sorry

theorem i10 {α : Type} (f : α → α) (h : ∀ x, f (f x) = x) : Injective f := by
  sorry

theorem i11 {α : Type} (P : α → Prop) (h : ∃ x, ∀ y, P y ↔ y = x) : ∀ a b, P a → P b → a = b := by
  sorry

theorem i12 {α : Type} (r : α → α → Prop) (irr : ∀ x, ¬ r x x) (tr : ∀ x y z, r x y → r y z → r x z) : ∀ x y, r x y → ¬ r y x := by
  sorry

theorem i13 (p q r s : Prop) (h : p → q) (h' : r → s) : p ∨ r → q ∨ s := by
  sorry

theorem i14 {α : Type} (P Q : α → Prop) (h : ∀ x, P x → ¬ Q x) : ¬ ∃ x, P x ∧ Q x := by
  sorry

theorem i15 {α β : Type} (R : α → β → Prop) (h : ∃ x, ∀ y, R x y) : ∀ y, ∃ x, R x y := by
  sorry

def Monotone (f : Nat → Nat) : Prop := ∀ x y, x ≤ y → f x ≤ f y

theorem i16 (f g : Nat → Nat) (hf : Monotone f) (hg : Monotone g) : Monotone (fun x => f (g x)) := by
  sorry

theorem i17 (f g : Nat → Nat) (hf : Monotone f) (hg : Monotone g) : Monotone (fun x => f x + g x) := by
  sorry

theorem i18 (f : Nat → Nat) (h : ∀ n, f n ≤ f (n + 1)) : Monotone f := by
  sorry

def iter (f : Nat → Nat) : Nat → Nat → Nat
  | 0, x => x
  | n + 1, x => iter f n (f x)

theorem i19 (f : Nat → Nat) (m n x : Nat) : iter f (m + n) x = iter f n (iter f m x) := by
  sorry

theorem i20 (f : Nat → Nat) (n x : Nat) (h : f x = x) : iter f n x = x := by
  sorry

theorem i21 {α : Type} (xs : List α) (h : xs ≠ []) : ∃ y ys, xs = y :: ys := by
  sorry

theorem i22 (xs : List Nat) (h : ∀ x ∈ xs, x = 0) : xs.sum = 0 := by
  sorry

theorem i23 {α : Type} (p : α → Bool) (xs : List α) : xs.filter p ++ [] = xs.filter p := by
  sorry

theorem i24 {α β : Type} (f : α → β) (xs ys : List α) : (xs ++ ys).map f = xs.map f ++ ys.map f := by
  sorry

theorem i25 {α : Type} (x : α) (xs : List α) : x ∈ xs ↔ ∃ ys zs, xs = ys ++ x :: zs := by
  sorry
