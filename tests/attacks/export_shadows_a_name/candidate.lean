namespace Fake
abbrev Nat.zero : Nat := 1
end Fake
namespace N
export Fake (Nat.zero)
theorem t : Fake.Nat.zero = 1 := by
  rfl
end N
