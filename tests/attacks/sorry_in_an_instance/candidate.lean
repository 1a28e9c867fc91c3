class Oracle : Prop where
  answer : False
instance : Oracle := ⟨by sorry⟩
theorem t : 1 + 1 = 3 := Oracle.answer.elim
