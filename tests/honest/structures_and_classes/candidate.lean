class Magma (α : Type u) where
  op : α → α → α
  square : α → α := fun a => op a a

class Semi (α : Type u) extends Magma α where
  assoc : ∀ a b c : α, op (op a b) c = op a (op b c)
  name : String := "semi"

local infixl:70 " ⋆ " => Magma.op

structure Hom (α β : Type u) [Magma α] [Magma β] where
  toFun : α → β
  map_op : ∀ a b, toFun (a ⋆ b) = toFun a ⋆ toFun b

instance [Magma α] [Magma β] : CoeFun (Hom α β) (fun _ => α → β) := ⟨Hom.toFun⟩

theorem t [Semi α] (a b c d : α) : a ⋆ b ⋆ c ⋆ d = a ⋆ (b ⋆ (c ⋆ d)) := by
  rw [Semi.assoc, Semi.assoc]

theorem u [Magma α] [Magma β] (f : Hom α β) (a : α) : f (a ⋆ a) = f a ⋆ f a := by
  exact f.map_op a a
