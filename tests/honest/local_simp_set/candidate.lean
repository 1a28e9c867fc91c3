def f (n : Nat) : Nat := n + 0

section
attribute [local simp] f
attribute [-simp] Nat.zero_add
@[local simp, grind =] theorem f_id (n : Nat) : f n = n := rfl

theorem t (n : Nat) : f (f n) = n := by
  simp
end
