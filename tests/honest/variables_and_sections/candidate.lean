universe u v

section
variable {α : Type u} {β : Type v} (f : α → β)

section Injective
variable (hf : ∀ a b, f a = f b → a = b)
include hf

theorem t (a b : α) (h : f a = f b) : a = b := by
  exact hf a b h
end Injective

omit f in
theorem u [Inhabited α] : Nonempty α := by
  exact ⟨default⟩
end
