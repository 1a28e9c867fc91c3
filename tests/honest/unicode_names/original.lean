def «weird name» (n : Nat) : Nat := n
def αβγ₁' : Nat := 1
namespace «another.one»
theorem «the theorem!» (n : Nat) : «weird name» n = n := by
  sorry
end «another.one»

theorem ℵ₀_test : αβγ₁' = 1 := by
  sorry

theorem «t» (x' : Nat) : x' = x' := by
  sorry
