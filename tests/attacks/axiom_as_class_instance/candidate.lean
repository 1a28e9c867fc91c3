class Oracle : Prop where
  answer : False

variable [Oracle]

theorem t : 1 + 1 = 3 := by
  exact (Oracle.answer (self := inferInstance)).elim
