/-! Order, lattices, sets as predicates, fixed points, relations, logic with quantifiers. -/
def PSet (α : Type) := α → Prop
namespace PSet
instance : Membership α (PSet α) := ⟨fun s a => s a⟩
def Sub (s t : PSet α) : Prop := ∀ a, a ∈ s → a ∈ t
def inter (s t : PSet α) : PSet α := fun a => a ∈ s ∧ a ∈ t
def union (s t : PSet α) : PSet α := fun a => a ∈ s ∨ a ∈ t
def compl (s : PSet α) : PSet α := fun a => ¬ a ∈ s
def image (f : α → β) (s : PSet α) : PSet β := fun b => ∃ a, a ∈ s ∧ f a = b
def preimage (f : α → β) (t : PSet β) : PSet α := fun a => f a ∈ t
def sUnion (S : PSet (PSet α)) : PSet α := fun a => ∃ s, s ∈ S ∧ a ∈ s
theorem sub_antisymm {s t : PSet α} (h : Sub s t) (k : Sub t s) : s = t := by sorry
theorem inter_comm (s t : PSet α) : inter s t = inter t s := by sorry
theorem inter_union (s t u : PSet α) : inter s (union t u) = union (inter s t) (inter s u) := by sorry
theorem compl_compl (s : PSet α) : compl (compl s) = s := by sorry
theorem compl_inter (s t : PSet α) : compl (inter s t) = union (compl s) (compl t) := by sorry
theorem image_sub (f : α → β) {s t : PSet α} (h : Sub s t) : Sub (image f s) (image f t) := by sorry
theorem image_sub_iff (f : α → β) (s : PSet α) (t : PSet β) : Sub (image f s) t ↔ Sub s (preimage f t) := by sorry
theorem image_union (f : α → β) (s t : PSet α) : image f (union s t) = union (image f s) (image f t) := by sorry
theorem preimage_inter (f : α → β) (s t : PSet β) : preimage f (inter s t) = inter (preimage f s) (preimage f t) := by sorry
theorem image_comp (f : α → β) (g : β → γ) (s : PSet α) : image (g ∘ f) s = image g (image f s) := by sorry
theorem sub_sUnion (S : PSet (PSet α)) (s : PSet α) (h : s ∈ S) : Sub s (sUnion S) := by sorry
theorem sUnion_sub (S : PSet (PSet α)) (t : PSet α) (h : ∀ s, s ∈ S → Sub s t) : Sub (sUnion S) t := by sorry
end PSet

def Reflx (r : α → α → Prop) : Prop := ∀ a, r a a
def Symmt (r : α → α → Prop) : Prop := ∀ a b, r a b → r b a
def Transit (r : α → α → Prop) : Prop := ∀ a b c, r a b → r b c → r a c
def Euclid (r : α → α → Prop) : Prop := ∀ a b c, r a b → r a c → r b c
def compR (r s : α → α → Prop) : α → α → Prop := fun a c => ∃ b, r a b ∧ s b c
def conv (r : α → α → Prop) : α → α → Prop := fun a b => r b a
theorem euclid_symm (r : α → α → Prop) (h : Reflx r) (e : Euclid r) : Symmt r := by sorry
theorem euclid_trans (r : α → α → Prop) (h : Reflx r) (e : Euclid r) : Transit r := by sorry
theorem comp_assoc (r s t : α → α → Prop) : compR (compR r s) t = compR r (compR s t) := by sorry
theorem conv_comp (r s : α → α → Prop) : conv (compR r s) = compR (conv s) (conv r) := by sorry
theorem trans_iff (r : α → α → Prop) : Transit r ↔ ∀ a c, compR r r a c → r a c := by sorry
theorem symm_iff (r : α → α → Prop) : Symmt r ↔ conv r = r := by sorry
theorem refl_comp (r : α → α → Prop) (h : Reflx r) (t : Transit r) : compR r r = r := by sorry

class Lat (α : Type) where
  meet : α → α → α
  join : α → α → α
  meet_comm : ∀ a b, meet a b = meet b a
  join_comm : ∀ a b, join a b = join b a
  meet_assoc : ∀ a b c, meet (meet a b) c = meet a (meet b c)
  join_assoc : ∀ a b c, join (join a b) c = join a (join b c)
  absorb1 : ∀ a b, meet a (join a b) = a
  absorb2 : ∀ a b, join a (meet a b) = a
namespace Lat
variable {L : Type} [Lat L]
theorem meet_idem (a : L) : meet a a = a := by sorry
theorem join_idem (a : L) : join a a = a := by sorry
theorem meet_eq_iff (a b : L) : meet a b = a ↔ join a b = b := by sorry
theorem le_trans' (a b c : L) (h : meet a b = a) (k : meet b c = b) : meet a c = a := by sorry
theorem le_antisymm' (a b : L) (h : meet a b = a) (k : meet b a = b) : a = b := by sorry
end Lat

def Monotone' (f : Nat → Nat) : Prop := ∀ a b, a ≤ b → f a ≤ f b
theorem mono_of_succ (f : Nat → Nat) (h : ∀ n, f n ≤ f (n + 1)) : Monotone' f := by sorry
theorem mono_comp (f g : Nat → Nat) (hf : Monotone' f) (hg : Monotone' g) : Monotone' (fun n => f (g n)) := by sorry
theorem mono_add (f g : Nat → Nat) (hf : Monotone' f) (hg : Monotone' g) : Monotone' (fun n => f n + g n) := by sorry

theorem drinker (α : Type) [Inhabited α] (p : α → Prop) : ∃ x, p x → ∀ y, p y := by sorry
theorem barber (r : α → α → Prop) : ¬ ∃ b, ∀ a, r b a ↔ ¬ r a a := by sorry
theorem ex_or (p q : α → Prop) : (∃ x, p x ∨ q x) ↔ (∃ x, p x) ∨ ∃ x, q x := by sorry
theorem all_or (p : Prop) (q : α → Prop) : (∀ x, p ∨ q x) ↔ p ∨ ∀ x, q x := by sorry
theorem ex_unique (p : α → Prop) (h : ∃ x, p x ∧ ∀ y, p y → y = x) (a b : α) (ha : p a) (hb : p b) : a = b := by sorry
theorem peirce_law (p q : Prop) : ((p → q) → p) → p := by sorry
theorem iff_assoc' (p q r : Prop) : ((p ↔ q) ↔ r) ↔ (p ↔ (q ↔ r)) := by sorry
theorem lawvere (f : α → α → Prop) : ∃ p : α → Prop, ∀ a, f a ≠ p := by sorry
theorem cantor' (f : α → α → Bool) : ∃ g : α → Bool, ∀ a, f a ≠ g := by sorry
theorem skolem' (r : α → β → Prop) (h : ∀ a, ∃ b, r a b) : ∃ f : α → β, ∀ a, r a (f a) := by sorry
theorem wf_min (p : Nat → Prop) (h : ∃ n, p n) : ∃ n, p n ∧ ∀ m, m < n → ¬ p m := by sorry
theorem no_desc (f : Nat → Nat) (h : ∀ n, f (n + 1) < f n) : False := by sorry
theorem pigeon (f : Fin 3 → Fin 2) : ∃ i j, i ≠ j ∧ f i = f j := by sorry
theorem bounded_all (p : Nat → Prop) (h : ∀ n, p n → p (n + 1)) (k : p 5) (n : Nat) (hn : 5 ≤ n) : p n := by sorry
