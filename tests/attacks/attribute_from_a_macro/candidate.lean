def two (n : Nat) : Nat := n
def three (_ : Nat) : Nat := 3
macro "mark " a:attr : command => `(attribute [$a] two)
mark implemented_by three
theorem t : 1 + 1 = 3 := by
  have : two (1 + 1) = 3 := by decide +native
  exact this
