def two (n : Nat) : Nat := n
def alsoTwo (n : Nat) : Nat := n
@[csimp] theorem same : @two = @alsoTwo := rfl
theorem t : 1 + 1 = 3 := by
  have : two (1 + 1) = 3 := by native_decide
  exact this
