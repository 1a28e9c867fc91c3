/-! Functions, quotients, relations. -/
def Injective (f : α → β) : Prop := ∀ a b, f a = f b → a = b
def Surjective (f : α → β) : Prop := ∀ b, ∃ a, f a = b
def LeftInv (g : β → α) (f : α → β) : Prop := ∀ a, g (f a) = a

theorem inj_comp {f : α → β} {g : β → γ} (hf : Injective f) (hg : Injective g) :
    Injective (g ∘ f) := by sorry
theorem surj_comp {f : α → β} {g : β → γ} (hf : Surjective f) (hg : Surjective g) :
    Surjective (g ∘ f) := by sorry
theorem inj_of_leftInv {f : α → β} {g : β → α} (h : LeftInv g f) : Injective f := by sorry
theorem surj_of_leftInv {f : α → β} {g : β → α} (h : LeftInv g f) : Surjective g := by sorry
theorem inj_of_comp {f : α → β} {g : β → γ} (h : Injective (g ∘ f)) : Injective f := by sorry
theorem surj_of_comp {f : α → β} {g : β → γ} (h : Surjective (g ∘ f)) : Surjective g := by sorry
theorem surj_has_rightInv {f : α → β} (h : Surjective f) : ∃ g : β → α, ∀ b, f (g b) = b := by sorry
theorem leftInv_unique {f : α → β} {g k : β → α} (hs : Surjective f) (h1 : LeftInv g f)
    (h2 : LeftInv k f) : g = k := by sorry

def Idempotent (f : α → α) : Prop := ∀ x, f (f x) = f x
theorem idem_inj_id {f : α → α} (h : Idempotent f) (hi : Injective f) : f = id := by sorry
theorem idem_surj_id {f : α → α} (h : Idempotent f) (hs : Surjective f) : f = id := by sorry

def iter (f : α → α) : Nat → α → α
  | 0, x => x
  | n + 1, x => iter f n (f x)
theorem iter_succ' (f : α → α) (n : Nat) (x : α) : iter f (n + 1) x = f (iter f n x) := by sorry
theorem iter_add (f : α → α) (m n : Nat) (x : α) : iter f (m + n) x = iter f m (iter f n x) := by sorry
theorem iter_id (n : Nat) (x : α) : iter id n x = x := by sorry
theorem iter_comm (f g : α → α) (h : ∀ x, f (g x) = g (f x)) (n : Nat) (x : α) :
    iter f n (g x) = g (iter f n x) := by sorry
theorem iter_inj (f : α → α) (h : Injective f) (n : Nat) : Injective (iter f n) := by sorry
theorem iter_mul (f : α → α) (m n : Nat) (x : α) : iter f (m * n) x = iter (iter f m) n x := by sorry

def modRel (n : Nat) : Setoid Nat where
  r a b := a % n = b % n
  iseqv := ⟨fun _ => rfl, fun h => h.symm, fun h k => h.trans k⟩
theorem modRel_add (n a b c d : Nat) (h : (modRel n).r a b) (k : (modRel n).r c d) :
    (modRel n).r (a + c) (b + d) := by sorry
theorem modRel_mul (n a b c d : Nat) (h : (modRel n).r a b) (k : (modRel n).r c d) :
    (modRel n).r (a * c) (b * d) := by sorry
theorem quot_eq (n a : Nat) : Quotient.mk (modRel n) (a + n) = Quotient.mk (modRel n) a := by sorry
theorem quot_ne : Quotient.mk (modRel 3) 1 ≠ Quotient.mk (modRel 3) 2 := by sorry
