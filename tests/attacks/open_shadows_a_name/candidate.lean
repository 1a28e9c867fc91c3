def prime (n : Nat) : Prop := 1 < n ∧ ∀ m, m ∣ n → m = 1 ∨ m = n

namespace Evil
def prime (_ : Nat) : Prop := True
end Evil

open Evil (prime) in
theorem t : Evil.prime 9 := by
  trivial
