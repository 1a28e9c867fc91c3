-- Relations and their closures.
section
variable {α : Type}

def Symm (R : α → α → Prop) : Prop := ∀ x y, R x y → R y x
def Trans' (R : α → α → Prop) : Prop := ∀ x y z, R x y → R y z → R x z
def Incl (R S : α → α → Prop) : Prop := ∀ x y, R x y → S x y
def inv (R : α → α → Prop) : α → α → Prop := fun x y => R y x
def comp (R S : α → α → Prop) : α → α → Prop := fun x z => ∃ y, R x y ∧ S y z

inductive Star (R : α → α → Prop) : α → α → Prop where
  | refl (x : α) : Star R x x
  | step {x y z : α} : R x y → Star R y z → Star R x z

theorem inv_inv (R : α → α → Prop) : inv (inv R) = R := by
  sorry

theorem symm_iff_inv (R : α → α → Prop) : Symm R ↔ Incl (inv R) R := by
  sorry

theorem trans_iff_comp (R : α → α → Prop) : Trans' R ↔ Incl (comp R R) R := by
  sorry

theorem comp_assoc (R S T : α → α → Prop) : comp (comp R S) T = comp R (comp S T) := by
  sorry

theorem Star.single {R : α → α → Prop} {x y : α} (h : R x y) : Star R x y := by
  sorry

theorem Star.trans {R : α → α → Prop} {x y z : α} (h₁ : Star R x y) (h₂ : Star R y z) :
    Star R x z := by
  sorry

theorem Star.mono {R S : α → α → Prop} (h : Incl R S) {x y : α} (hxy : Star R x y) : Star S x y := by
  sorry

theorem Star.symm {R : α → α → Prop} (hR : Symm R) {x y : α} (h : Star R x y) : Star R y x := by
  sorry

theorem Star.idem {R : α → α → Prop} {x y : α} (h : Star (Star R) x y) : Star R x y := by
  sorry

end
