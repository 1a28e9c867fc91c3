def «weird name» (n : Nat) : Nat := n
def αβγ₁' : Nat := 1
namespace «another.one»
theorem «the theorem!» (n : Nat) : «weird name» n = n := by
  rfl
end «another.one»

theorem ℵ₀_test : αβγ₁' = 1 := by
  rfl

theorem «t» (x' : Nat) : x' = x' := by
  exact rfl
