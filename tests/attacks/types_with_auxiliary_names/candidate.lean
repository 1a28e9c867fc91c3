inductive _A where
  | a

inductive _B where
  | a

theorem same : _A = _A := by
  rfl
