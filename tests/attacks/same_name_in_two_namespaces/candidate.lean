namespace A.B
theorem t : 1 + 1 = 2 := by
  rfl
end A.B
namespace B.A
theorem t : 1 + 1 = 2 := by
  rfl
end B.A
