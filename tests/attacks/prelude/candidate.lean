prelude

inductive Eq : α → α → Prop where
  | refl (a b : α) : Eq a b
